import { utimesSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, PawlError } from '../errors.ts';
import type { Disk } from './disk.ts';
import { type Chain, generationFile, releaseFile, takeNext } from './lock-chain.ts';
import { enterGate, type Gate, repairGate } from './lock-gate.ts';
import { makeFolder } from './write.ts';

/** The lock of one workspace, while it is ours. */
export interface Held {
  /** Grows by at least one from holder to holder, over restarts and power cuts: the fencing token. */
  generation: number;
  /** Somebody took over: a newer generation exists. */
  lost(): boolean;
  /** @throws PawlError `E_FENCED` when it is lost or released. */
  assertHeld(): void;
  /** Leaves a lost lock to its new holder. A second call does nothing. */
  release(): Promise<void>;
}

const DEFAULTS = { ttlMs: 90_000, observeMs: 10_000, hardLimitMs: 14 * 60_000, beatMs: 5_000, gate: true };
const RETRY_MS = 20;

export type LockOptions = Pick<Chain, 'disk' | 'folder' | 'processes' | 'clock'> & Partial<typeof DEFAULTS>;

/**
 * Takes the lock, if nobody has it.
 *
 * Promises:
 * - A holder that is alive on this machine keeps it, stopped, blocked or slow, whatever the wall clock says, until
 *   `hardLimitMs` of the boot clock; then it is ended before its lock is taken.
 * - One that is dead, or was before a restart of the machine, costs no waiting.
 * - One on another host or in another pid namespace is overtaken when its heartbeat is older than `ttlMs` and does not move
 *   for `observeMs`; should it live after all, `fenced` refuses its next write.
 * @returns null when it is held elsewhere.
 */
export async function acquire(options: LockOptions): Promise<Held | null> {
  const settings = { ...DEFAULTS, ...options };
  const { disk, folder } = settings;
  makeFolder(disk, folder);
  const gate = settings.gate ? await enterGate(folder) : null;
  let generation: number | null = null;
  try {
    generation = await takeNext(settings);
  } finally {
    if (generation === null) await gate?.release();
  }
  if (generation === null) return null;
  // Whoever still has the gate is dead, or about to be refused by the chain.
  return hold(settings, generation, gate ?? (settings.gate ? await repairGate(disk, folder) : null));
}

/** For commands that write: tries for `waitMs` milliseconds. @returns null when it is held elsewhere all the while. */
export async function acquireWithin(options: LockOptions, waitMs: number): Promise<Held | null> {
  const end = performance.now() + waitMs;
  for (;;) {
    const held = await acquire(options);
    if (held !== null || performance.now() > end) return held;
    await sleep(RETRY_MS);
  }
}

function hold({ disk, folder, beatMs }: Chain & { beatMs: number }, generation: number, gate: Gate | null): Held {
  const own = generationFile(folder, generation);
  const next = generationFile(folder, generation + 1);
  const beat = setInterval(() => touch(own), beatMs);
  beat.unref();
  let released = false;

  const lost = () => {
    // Our own file too: after a stop of many generations the next one may have been tidied away, but never before ours.
    if (disk.stat(next) === null && disk.stat(own) !== null) return false;
    gate?.abandon();
    return true;
  };

  return {
    generation,
    lost,
    assertHeld() {
      if (released || lost())
        throw new PawlError('E_FENCED', 'this process no longer holds the lock, so it may not write', { at: own });
    },
    async release() {
      if (released) return;
      released = true;
      clearInterval(beat);
      if (lost()) return;
      // The gate first: once the release can be seen, a gate of this name may be the next holder's.
      await gate?.release();
      markReleased(disk, releaseFile(folder, generation));
    },
  };
}

function markReleased(disk: Disk, path: string): void {
  try {
    disk.create(path, '');
  } catch (error) {
    // EEXIST: a person freed it by hand. ENOENT: the whole folder is gone.
    if (!['EEXIST', 'ENOENT'].includes(codeOf(error) ?? '')) throw error;
  }
}

/** The heartbeat: a stamp, not a change, so it is not a step of the disk. One that fails shows as silence. */
function touch(path: string): void {
  try {
    const now = new Date();
    utimesSync(path, now, now);
  } catch (error) {
    if (codeOf(error) === null) throw error;
  }
}

/**
 * A disk that refuses, with `E_FENCED`, every change once the lock is lost.
 *
 * Between the look and the change a few microseconds are left; what is written in them is made exclusively or rebuilt.
 */
export function fenced(disk: Disk, held: Held): Disk {
  const guard =
    <A extends unknown[], R>(change: (...args: A) => R) =>
    (...args: A): R => {
      held.assertHeld();
      return change(...args);
    };
  return {
    read: (path) => disk.read(path),
    readHead: (path, bytes) => disk.readHead(path, bytes),
    readAt: (path, offset, length, into) => disk.readAt(path, offset, length, into),
    entries: (path) => disk.entries(path),
    list: (path) => disk.list(path),
    stat: (path) => disk.stat(path),
    sync: (path) => disk.sync(path),
    syncFolder: (path) => disk.syncFolder(path),
    create: guard((path, bytes, mode) => disk.create(path, bytes, mode)),
    append: guard((path, bytes) => disk.append(path, bytes)),
    overwrite: guard((path, offset, expected, bytes) => disk.overwrite(path, offset, expected, bytes)),
    rename: guard((from, to) => disk.rename(from, to)),
    link: guard((from, to) => disk.link(from, to)),
    unlink: guard((path) => disk.unlink(path)),
    makeFolder: guard((path) => disk.makeFolder(path)),
    removeFolder: guard((path) => disk.removeFolder(path)),
  };
}
