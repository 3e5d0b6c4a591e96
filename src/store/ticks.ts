import type { Day } from '../core/model.ts';
import type { Plan, StopMark } from '../core/world.ts';
import type { Disk } from './disk.ts';
import type { Workspace } from './workspace.ts';
import { makeFolder, put, putNew, readJson, toJson } from './write.ts';

const KEPT = 100;

/** `ticks/NNNN.json`: the write-ahead of one tick's entry. */
export interface TickRecord {
  v: 1;
  tick: number;
  day: Day;
  /** The time on the wall, for the entry of an interrupted tick. */
  time: string;
  generation: number;
  state: 'open' | 'closing' | 'closed';
  /** From `closing` on: what the reflection says, and the batches that are spent with it. */
  entry: string | null;
  spent: Plan['spent'];
  stop: StopMark | null;
}

export function tickNumbers(disk: Disk, workspace: Workspace): number[] {
  return disk
    .list(workspace.path('ticks'))
    .flatMap((name) => (/^\d+\.json$/.test(name) ? [Number.parseInt(name, 10)] : []))
    .sort((a, b) => a - b);
}

export const readTick = (disk: Disk, workspace: Workspace, tick: number): TickRecord | null =>
  readJson<TickRecord>(disk, workspace.tick(tick));

/** Step 2, before the first effect of a tick. */
export function openTick(disk: Disk, workspace: Workspace, record: TickRecord): void {
  makeFolder(disk, workspace.path('ticks'));
  putNew(disk, workspace.tick(record.tick), toJson(record));
}

/** Steps 11 and 14. */
export const rewriteTick = (disk: Disk, workspace: Workspace, record: TickRecord): void =>
  put(disk, workspace.tick(record.tick), toJson(record));

/** Drops all but the last hundred; what is dropped has been told. */
export function pruneTicks(disk: Disk, workspace: Workspace): void {
  const numbers = tickNumbers(disk, workspace);
  for (const tick of numbers.slice(0, Math.max(0, numbers.length - KEPT))) disk.unlink(workspace.tick(tick));
}
