import { setTimeout as sleep } from 'node:timers/promises';
import { mergeState } from '../core/merge-state.ts';
import type { State } from '../core/model.ts';
import { PawlError } from '../errors.ts';
import { parseState, printState } from '../formats/state.ts';
import type { Disk } from './disk.ts';
import type { Workspace } from './workspace.ts';
import { putIfUnchanged, same } from './write.ts';

const NAME = '.jez/state.md';
const TRIES = 5;
const WAIT_MS = 400;

/** @throws PawlError `E_FORMAT` with file:line:column when it is anything but a valid state; a tick never repairs it. */
export function readState(disk: Disk, workspace: Workspace): State {
  const bytes = disk.read(workspace.state());
  if (bytes === null)
    throw new PawlError('E_FORMAT', 'there is no state.md; `pawl doctor --fix` makes one from what is known', {
      at: NAME,
    });
  return parseState(bytes, NAME);
}

/**
 * Changes state.md over whatever it says at that moment.
 *
 * @throws PawlError `E_BUSY` when it still changes after 5 tries in 2 s, or `E_FORMAT` when it can't be read any more.
 */
export async function changeState(
  disk: Disk,
  workspace: Workspace,
  change: (current: State) => State,
  keep: (path: string) => void = () => {},
): Promise<void> {
  const path = workspace.state();
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const current = disk.read(path) ?? Buffer.alloc(0);
    const next = printState(current, change(parseState(current, NAME)), NAME);
    if (same(next, current)) return;
    if (putIfUnchanged(disk, path, current, next, () => keep(path))) return;
    if (attempt < TRIES) await sleep(WAIT_MS);
  }
  throw new PawlError('E_BUSY', 'somebody keeps writing to this file', { at: NAME });
}

/** Step 9: writes a tick's state once, brought together with what a person wrote since `base` was read. */
export const writeState = (
  disk: Disk,
  workspace: Workspace,
  { base, planned, keep, look = () => {} }: Written,
): Promise<void> =>
  changeState(
    disk,
    workspace,
    (current) => {
      look(current);
      return mergeState(base, planned, current);
    },
    keep,
  );

interface Written {
  base: State;
  planned: State;
  keep(path: string): void;
  /** Sees what the file says in the moment it is replaced. */
  look?(current: State): void;
}
