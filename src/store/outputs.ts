import { dirname, join } from 'node:path';
import type { Base, Item, Result } from '../core/model.ts';
import { sameButForCase, unportable } from '../core/portable-path.ts';
import { isPrivateFolder } from '../core/private-folders.ts';
import { codeOf } from '../errors.ts';
import type { Disk, Stat } from './disk.ts';
import { matcher, patternsFor } from './globs.ts';
import { sha256 } from './workspace.ts';

/** What one attempt may leave behind. Units: bytes. */
export interface Limits {
  fileBytes: number;
  allBytes: number;
  files: number;
  /** Files and folders looked at in the scratch folder, whatever becomes of them. */
  entries: number;
}

export const LIMITS: Limits = {
  fileBytes: 10 * 1024 * 1024,
  allBytes: 50 * 1024 * 1024,
  files: 1000,
  entries: 100_000,
};

export interface Refused {
  /** From the scratch folder, with `/`; as the agent named it. */
  path: string;
  why: string;
}

export interface Outputs {
  taken: Result['outputs'];
  refused: Refused[];
}

/**
 * Finds what an attempt made, and makes it survive a power cut. To be called when the worker's processes are gone.
 *
 * - Taken: regular files with one name, reached through no link, whose path matches `outputs`, which differ from what was copied in.
 * - Refused, with a reason: links, hard links, pipes and the like, and a `.jez`, wherever they are; files that match and are too
 *   large, too many, badly named, or one name to a file system that ignores case.
 * - Passed over: all else, with everything in a `.git` or `node_modules`, whatever `outputs` says.
 */
export function takeOutputs(
  disk: Disk,
  from: { scratch: string; outputs: readonly string[]; item: Item; base: Base['files'] },
  limits: Limits = LIMITS,
): Outputs {
  const seen: Seen = { files: [], refused: [], entries: 0 };
  walk(disk, from.scratch, '', seen, limits.entries);
  const isAllowed = matcher(patternsFor(from.outputs, from.item));
  const twins = sameButForCase([...seen.files.map(({ path }) => path), ...Object.keys(from.base)]);
  const outputs: Outputs = { taken: {}, refused: seen.refused };
  let room = limits.allBytes;
  for (const { path, stat } of seen.files.filter((file) => isAllowed(file.path))) {
    const before = from.base[path] ?? null;
    // A name the project has already is the project's business.
    const name = before === null ? badPath(path, twins) : null;
    const output = name ?? examine(disk, join(from.scratch, path), stat, limits.fileBytes);
    if (typeof output === 'string') outputs.refused.push({ path, why: output });
    else if (output.sha256 === before) continue;
    else if (Object.keys(outputs.taken).length >= limits.files)
      outputs.refused.push({ path, why: `more than ${limits.files} files` });
    else if (output.size > room) outputs.refused.push({ path, why: `more than ${limits.allBytes} bytes in all` });
    else {
      outputs.taken[path] = output;
      room -= output.size;
    }
  }
  makeDurable(disk, from.scratch, Object.keys(outputs.taken));
  return outputs;
}

interface Seen {
  files: { path: string; stat: Stat }[];
  refused: Refused[];
  entries: number;
}

/** Longer paths can be made step by step, but not opened. */
const LONGEST_PATH = 1024;

function walk(disk: Disk, scratch: string, folder: string, seen: Seen, most: number): void {
  for (const name of disk.list(join(scratch, folder))) {
    const path = folder === '' ? name : `${folder}/${name}`;
    seen.entries += 1;
    if (seen.entries > most) {
      if (seen.entries === most + 1) seen.refused.push({ path, why: `more than ${most} files and folders` });
      return;
    }
    const why = look(disk, scratch, path, name, seen, most);
    if (why !== null) seen.refused.push({ path, why });
  }
}

function look(disk: Disk, scratch: string, path: string, name: string, seen: Seen, most: number): string | null {
  // Tools make .git and node_modules wherever they work; nobody makes a .jez by accident.
  if (isPrivateFolder(name)) return name.toLowerCase() === '.jez' ? '.jez belongs to the loop' : null;
  if (path.length > LONGEST_PATH) return 'the path is too long';
  const stat = disk.stat(join(scratch, path));
  if (stat === null) return name.includes('\ufffd') ? 'the name is not UTF-8' : 'it went while it was looked at';
  if (stat.kind === 'folder') walk(disk, scratch, path, seen, most);
  if (stat.kind === 'link') return 'a symbolic link';
  if (stat.kind === 'other') return 'neither a file nor a folder';
  if (stat.kind === 'file' && stat.nlink > 1n) return 'a hard link';
  if (stat.kind === 'file') seen.files.push({ path, stat });
  return null;
}

function badPath(path: string, twins: ReadonlySet<string>): string | null {
  if (twins.has(path)) return 'another path differs only in case';
  return (
    path
      .split('/')
      .map(unportable)
      .find((why) => why !== null) ?? null
  );
}

/** @returns the output, or why it is refused. */
function examine(disk: Disk, path: string, stat: Stat, most: number): { sha256: string; size: number } | string {
  return stat.size > BigInt(most) ? `larger than ${most} bytes` : readUnmoved(disk, path, stat);
}

/** A process that escaped could still swap the file for a link between our look and our read. */
function readUnmoved(disk: Disk, path: string, before: Stat): { sha256: string; size: number } | string {
  try {
    const bytes = disk.read(path);
    const after = disk.stat(path);
    const isSame = after?.kind === 'file' && after.ino === before.ino && after.ctimeNs === before.ctimeNs;
    if (bytes === null || !isSame || BigInt(bytes.length) !== before.size) return 'it changed while it was read';
    return { sha256: sha256(bytes), size: bytes.length };
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EACCES' || code === 'EPERM' || code === 'ELOOP') return `it can't be read (${code})`;
    throw error;
  }
}

function makeDurable(disk: Disk, scratch: string, paths: readonly string[]): void {
  const folders = new Set<string>();
  for (const path of paths) {
    disk.sync(join(scratch, path));
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) folders.add(folder);
  }
  for (const folder of folders) disk.syncFolder(join(scratch, folder));
  if (paths.length > 0) disk.syncFolder(scratch);
}
