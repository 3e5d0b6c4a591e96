import { dirname } from 'node:path';
import { codeOf } from '../errors.ts';
import { builtin } from '../store/builtin.ts';
import type { Disk } from '../store/disk.ts';
import { makeFolder, same } from '../store/write.ts';
import type { MoveVerdict } from './move-filing.ts';
import { moveInIndex } from './move-git.ts';
import type { Names } from './move-route.ts';
import type { SourceContext } from './source.ts';

/**
 * Does what was decided; from the moment the new name is there the item is done. Durable once it returns.
 *
 * @returns false when somebody changed or took the file meanwhile: nothing was done.
 */
export function perform(context: SourceContext, names: Names, id: string, verdict: MoveVerdict): boolean {
  const { disk, keep } = context;
  const { from, to } = names;
  if (verdict.step === 'none') {
    // It may have been this call's forerunner, killed before the names were safe.
    if (verdict.as === 'already') for (const path of [to, from]) syncFolderOf(disk, path);
    return true;
  }
  if (verdict.step === 'finish') return settle(context, names, id, verdict.expected);
  makeFolder(disk, dirname(to));
  if (verdict.step === 'make') {
    keep(from);
    return make(disk, names, verdict) && settle(context, names, id, verdict.expected);
  }
  try {
    return disk.link(from, to) && settle(context, names, id, null);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return false;
    // Another file system lies there, or the file has all the names it can have: then its bytes go there.
    const bytes = code === 'EXDEV' || code === 'EMLINK' ? disk.read(from) : null;
    if (bytes === null) throw error;
    return perform(context, names, id, { ...verdict, step: 'make', bytes, expected: bytes });
  }
}

/** Never half-written, never over anything, with the mode of the old one. @returns false when that changed, or the new name is taken. */
function make(
  disk: Disk,
  { from, to, open }: Names,
  { bytes, expected }: { bytes: Buffer; expected: Buffer },
): boolean {
  const temporary = `${to}.tmp-${builtin('node:crypto').randomUUID()}`;
  try {
    disk.create(temporary, bytes, Number((open?.mode ?? 0o644n) & 0o777n));
    disk.sync(temporary);
    return same(disk.read(from), expected) && disk.link(temporary, to);
  } finally {
    disk.unlink(temporary);
  }
}

/** The old name goes last, after git's index: until then the move is found interrupted, and all of this is done again. */
function settle({ disk, workspace }: SourceContext, names: Names, id: string, expected: Buffer | null): true {
  syncFolderOf(disk, names.to);
  moveInIndex(workspace.root, id, names.path);
  if (isStill(disk, names, expected)) disk.unlink(names.from);
  syncFolderOf(disk, names.from);
  return true;
}

/** Does the old name hold what went to the new one? Anything else was put there by a person in this moment, and stays. */
function isStill(disk: Disk, { from, to }: Names, expected: Buffer | null): boolean {
  if (expected !== null) return same(disk.read(from), expected);
  const [old, made] = [disk.stat(from), disk.stat(to)];
  return old !== null && old.dev === made?.dev && old.ino === made.ino;
}

function syncFolderOf(disk: Disk, path: string): void {
  if (disk.stat(dirname(path)) !== null) disk.syncFolder(dirname(path));
}
