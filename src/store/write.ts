import { dirname } from 'node:path';
import { PawlError } from '../errors.ts';
import { builtin } from './builtin.ts';
import type { Disk } from './disk.ts';

/** Our own temporary names, so that recovery removes nobody else's. */
export const TEMPORARY = /\.tmp-[0-9a-f-]{36}$/;

const NEWLINE = 0x0a;

/** Leaves `bytes` in a synced temporary file beside `path` and hands its name to `publish`. */
function beside<T>(
  disk: Disk,
  path: string,
  bytes: Uint8Array | string,
  publish: (temporary: string) => T,
  mode?: number,
): T {
  const temporary = `${path}.tmp-${builtin('node:crypto').randomUUID()}`;
  try {
    disk.create(temporary, bytes, mode);
    disk.sync(temporary);
    return publish(temporary);
  } catch (error) {
    try {
      disk.unlink(temporary);
    } catch {
      // The first error is the one to tell; a later tick sweeps the temporary file.
    }
    throw error;
  }
}

/** Replaces `path` in one step that survives a power cut: readers see the old bytes or the new. Keeps the file's mode. */
export function put(disk: Disk, path: string, bytes: Uint8Array | string): void {
  beside(disk, path, bytes, (temporary) => disk.rename(temporary, path), modeOf(disk, path));
  disk.syncFolder(dirname(path));
}

/** Makes `path`, never half-written. @returns false when it is there already: somebody else made it first. */
export function putNew(disk: Disk, path: string, bytes: Uint8Array | string): boolean {
  const made = beside(disk, path, bytes, (temporary) => {
    const first = disk.link(temporary, path);
    disk.unlink(temporary);
    return first;
  });
  disk.syncFolder(dirname(path));
  return made;
}

/**
 * Replaces `path` only if it still holds `expected` (null = is not there), compared as late as can be.
 *
 * What is left is the gap between that comparison and the rename, about a tenth of a millisecond: docs/crash-safety.md.
 * @returns false when somebody changed it meanwhile; then nothing is written.
 */
export function putIfUnchanged(
  disk: Disk,
  path: string,
  expected: Uint8Array | null,
  bytes: Uint8Array | string,
  beforeReplacing?: () => void,
): boolean {
  const replaced = beside(
    disk,
    path,
    bytes,
    (temporary) => {
      beforeReplacing?.();
      if (!same(disk.read(path), expected)) {
        disk.unlink(temporary);
        return false;
      }
      if (expected === null) {
        const made = disk.link(temporary, path);
        disk.unlink(temporary);
        return made;
      }
      disk.rename(temporary, path);
      return true;
    },
    modeOf(disk, path),
  );
  if (replaced) disk.syncFolder(dirname(path));
  return replaced;
}

const REWRITES = 5;

/** Changes a file that people edit too, from what it says at that moment. @throws PawlError `E_BUSY` when it keeps changing. */
export function rewrite(disk: Disk, path: string, change: (text: string) => string): void {
  for (let attempt = 0; attempt < REWRITES; attempt++) {
    const current = disk.read(path);
    const before = current?.toString('utf8') ?? '';
    const after = change(before);
    if (after === before || putIfUnchanged(disk, path, current, after)) return;
  }
  throw new PawlError('E_BUSY', 'somebody keeps writing to this file', { at: path });
}

/** Replaces `path` in one step for readers, but not for a power cut: for caches and beats, which may be lost. */
export function putUnsynced(disk: Disk, path: string, bytes: Uint8Array | string): void {
  const temporary = `${path}.${process.pid}`;
  disk.unlink(temporary);
  disk.create(temporary, bytes);
  disk.rename(temporary, path);
}

/** Adds whole lines at the end, after a newline when the file was torn in the middle of one. */
export function appendLines(disk: Disk, path: string, text: string): void {
  const size = Number(disk.stat(path)?.size ?? -1n);
  const torn = size > 0 && disk.readAt(path, size - 1, 1)?.[0] !== NEWLINE;
  disk.append(path, torn ? `\n${text}` : text);
  disk.sync(path);
  if (size === -1) disk.syncFolder(dirname(path));
}

/** Makes a folder whose name survives a power cut, with all missing parents. */
export function makeFolder(disk: Disk, path: string): void {
  if (disk.stat(path) !== null) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(disk, parent);
  disk.makeFolder(path);
  disk.syncFolder(parent);
}

/** Parses a JSON file that only the program writes. @returns null when it is not there. @throws PawlError `E_FORMAT`. */
export function readJson<T>(disk: Disk, path: string): T | null {
  const bytes = disk.read(path);
  if (bytes === null) return null;
  try {
    return JSON.parse(bytes.toString('utf8')) as T;
  } catch (cause) {
    throw new PawlError('E_FORMAT', 'this file is written by pawl alone and should be JSON', { at: path, cause });
  }
}

export const toJson = (value: unknown): string => `${JSON.stringify(value, null, 1)}\n`;

export function same(left: Uint8Array | null, right: Uint8Array | null): boolean {
  if (left === null || right === null) return left === right;
  return Buffer.compare(left, right) === 0;
}

function modeOf(disk: Disk, path: string): number | undefined {
  const stat = disk.stat(path);
  return stat === null ? undefined : Number(stat.mode & 0o777n);
}
