import { join } from 'node:path';
import { codeOf } from '../errors.ts';
import type { Disk } from './disk.ts';

/**
 * The gate in front of the generation chain: a folder `gate` that proper-lockfile keeps fresh.
 *
 * It decides nothing. Its age is judged by the wall clock, its stale take-over may let two through and it is released by
 * name, whoever made it; so whatever it says, the chain says who holds the lock (docs/crash-safety.md).
 */
export interface Gate {
  /** Takes the folder away, unless proper-lockfile has told that it is not ours any more. */
  release(): Promise<void>;
  /** Stops keeping it, and leaves the folder to whoever holds the lock now, even when this process ends. */
  abandon(): void;
}

const gateOf = (folder: string) => join(folder, 'gate');

/** @returns null when it is shut or out of order. */
export async function enterGate(folder: string): Promise<Gate | null> {
  // 1.9 times the start of Node itself: not for a tick that has nothing to do.
  const { default: lockfile } = await import('proper-lockfile');
  let open = true;
  const options = { lockfilePath: gateOf(folder), realpath: false, stale: 5_000, update: 1_000, retries: 0 };
  const onCompromised = () => {
    open = false;
  };
  const unlock = await lockfile.lock(folder, { ...options, onCompromised }).catch(orNull);
  if (unlock === null) return null;
  const once = async (work: () => Promise<void>) => {
    if (!open) return;
    open = false;
    await work().catch(orNull);
  };
  return {
    release: () => once(unlock),
    // The package removes all it holds when the process ends. Unlocking under a name that is not there makes it forget this one.
    abandon: () =>
      void once(() => lockfile.unlock(folder, { realpath: false, lockfilePath: `${gateOf(folder)}.lost` })),
  };
}

/** For the holder of the lock: removes the gate a dead process left and enters it afresh. */
export async function repairGate(disk: Disk, folder: string): Promise<Gate | null> {
  try {
    disk.removeFolder(gateOf(folder));
  } catch (error) {
    orNull(error);
  }
  return enterGate(folder);
}

/** Shut (ELOCKED), taken away under our hands (ENOENT), not a folder: a gate that fails is a gate that is not there. */
function orNull(error: unknown): null {
  if (codeOf(error) === null) throw error;
  return null;
}
