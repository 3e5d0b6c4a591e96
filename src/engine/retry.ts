import type { OutcomeLine } from '../core/model.ts';
import { parked } from '../core/trail.ts';
import { PawlError } from '../errors.ts';
import type { Disk } from '../store/disk.ts';
import { appendOutcomes, readJournal } from '../store/journal.ts';
import type { Workspace } from '../store/workspace.ts';
import { readLoop } from './observe.ts';

/** An item that waits for a person, and why. */
export interface Parked {
  item: string;
  run: number;
  why: string;
}

function parkedItems(disk: Disk, workspace: Workspace): Parked[] {
  const { tries, sideEffects } = readLoop(disk, workspace).procedure;
  return Object.entries(readJournal(disk, workspace).journal.trails).flatMap(([item, trail]) => {
    const why = parked(trail, tries, sideEffects);
    return why === null ? [] : [{ item, run: trail.lastRun, why }];
  });
}

/**
 * Gives parked items their tries back, by a line each in outcomes.jsonl; `item` null = all. To be called under the lock.
 *
 * @returns what was released. @throws PawlError `E_USAGE` for an item that is not parked; it names those that are.
 */
export function release(disk: Disk, workspace: Workspace, item: string | null, now: Date): Parked[] {
  const all = parkedItems(disk, workspace);
  const id = item?.replace(/^(?:\.\/)+/, '');
  const chosen = id === undefined ? all : all.filter((each) => each.item === id);
  if (id !== undefined && chosen.length === 0) {
    const names = all.map((each) => each.item).join(', ');
    throw new PawlError(
      'E_USAGE',
      `${id} does not wait for you; ${names === '' ? 'nothing does' : `these do: ${names}`}`,
    );
  }
  const lines = chosen.map((each): OutcomeLine => {
    return { v: 1, release: each.item, afterRun: each.run, at: now.toISOString(), by: 'pawl retry' };
  });
  appendOutcomes(disk, workspace, lines);
  return chosen;
}
