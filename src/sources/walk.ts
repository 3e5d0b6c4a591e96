import { join, posix } from 'node:path';
import { isPrivateFolder } from '../core/private-folders.ts';
import { byBytes, type Disk, type Entry } from '../store/disk.ts';
import type { Workspace } from '../store/workspace.ts';
import { TEMPORARY } from '../store/write.ts';

/** A glob, taken apart as far as needed to know which folders can hold a match. */
export interface Pattern {
  glob: string;
  /** The folder that all matches lie in, step by step from the root. */
  base: string[];
  /** How many folders a match can lie in at most, or null. */
  depth: number | null;
  /** Does it name anything with a dot in front? */
  dots: boolean;
}

const WILD = /[*?[\]{}()!+@\\|]/;

/** @throws PawlError `E_OUTSIDE` for a glob that leads out of the root. */
export function readPattern(path: string, workspace: Workspace): Pattern {
  const glob = posix.normalize(path);
  const steps = glob.split('/');
  const wild = steps.findIndex((step) => WILD.test(step));
  const base = steps.slice(0, wild === -1 ? -1 : wild);
  workspace.inRoot(glob.startsWith('/') ? glob : base.join('/'));
  const bounded = !glob.includes('**') && !/[{(]/.test(glob);
  return { glob, base, depth: bounded ? steps.length - 1 : null, dots: /(?:^|[/{,(|!\\[])\./.test(glob) };
}

/** Is every folder on the way a folder, no symbolic link and none of ours? @returns the steps up to the first that is not. */
export function plainSteps(disk: Disk, root: string, steps: readonly string[]): string[] {
  const isPlain = (step: string, index: number) =>
    !isPrivateFolder(step) && disk.stat(join(root, ...steps.slice(0, index), step))?.kind === 'folder';
  const end = steps.findIndex((step, index) => !isPlain(step, index));
  return steps.slice(0, end === -1 ? steps.length : end);
}

/**
 * Paths from the root of all files below the pattern's base, ordered by the UTF-8 bytes of the whole path, read as they are asked for.
 * Without private folders, our own temporary files, symbolic links, and what is neither file nor folder.
 *
 * @param after only paths behind it; folders that can't hold one are not read. null = all.
 * @param enter called with each folder (path from the root) before it is listed; false leaves it out.
 */
export function* walk(
  { disk, root, pattern }: { disk: Disk; root: string; pattern: Pattern },
  after: string | null,
  enter: (folder: string) => boolean,
): Generator<string> {
  if (plainSteps(disk, root, pattern.base).length < pattern.base.length) return;
  yield* below(pattern.base);

  function* below(steps: string[]): Generator<string> {
    const folder = steps.join('/');
    if (!enter(folder)) return;
    const prefix = steps.length === 0 ? '' : `${folder}/`;
    for (const name of sorted(disk.entries(join(root, folder)))) {
      const path = prefix + name;
      const isFolder = name.endsWith('/');
      if (after !== null && byBytes(path, after) <= 0 && !(isFolder && after.startsWith(path))) continue;
      if (!isFolder) yield path;
      else if (isWalked(name.slice(0, -1), steps.length + 1)) yield* below([...steps, name.slice(0, -1)]);
    }
  }

  function isWalked(name: string, depth: number): boolean {
    if (isPrivateFolder(name) || (name.startsWith('.') && !pattern.dots)) return false;
    return pattern.depth === null || depth <= pattern.depth;
  }
}

/** With `/` behind folders, since that is what follows in a path: `a.md` comes before `a/b.md`, and `a-b` before both. */
function sorted(entries: Entry[]): string[] {
  const names: string[] = [];
  for (const { name, kind } of entries) {
    if (kind === 'folder') names.push(`${name}/`);
    else if (kind === 'file' && !TEMPORARY.test(name)) names.push(name);
  }
  return names.sort(byBytes);
}
