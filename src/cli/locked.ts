import { realMachine } from '../engine/machine.ts';
import { PawlError } from '../errors.ts';
import type { Disk } from '../store/disk.ts';
import { acquireWithin, fenced, type Held } from '../store/lock.ts';
import type { Workspace } from '../store/workspace.ts';

const WAIT_MS = 10_000;

/** Does a command's few milliseconds of writing under the tick's lock. @returns null when it is held for 10 s. */
export async function whileLocked<T>(
  workspace: Workspace,
  work: (disk: Disk, held: Held) => Promise<T>,
): Promise<T | null> {
  const { disk, clock, processes, gate } = realMachine;
  const held = await acquireWithin({ disk, folder: workspace.path('lock'), clock, processes, gate }, WAIT_MS);
  if (held === null) return null;
  try {
    return await work(fenced(disk, held), held);
  } finally {
    await held.release();
  }
}

export const busy = (): PawlError =>
  new PawlError('E_BUSY', 'a tick is at work and did not end within 10 s; try again');
