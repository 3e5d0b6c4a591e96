import { dirname, join } from 'node:path';
import type { Base, Item } from '../core/model.ts';
import { isPrivateFolder } from '../core/private-folders.ts';
import type { Disk } from './disk.ts';
import { baseOf, matcher, patternsFor, plainPath } from './globs.ts';
import { sha256, type Workspace } from './workspace.ts';

/**
 * Copies what an attempt may read into its scratch folder, at the same paths.
 *
 * Only regular files, reached through no link, and never from `.jez`, `.git` or `node_modules`.
 * @returns the sha256 of every copy; null for a path named without a wildcard that has no such file.
 */
export function copyIn(
  disk: Disk,
  workspace: Workspace,
  globs: readonly string[],
  item: Item,
  scratch: string,
): Pick<Base, 'files'> {
  disk.makeFolder(scratch);
  const files = [...wanted(disk, workspace.root, patternsFor(globs, item))];
  return { files: Object.fromEntries(files.map((path) => [path, copy(disk, workspace.root, path, scratch)])) };
}

function wanted(disk: Disk, root: string, patterns: readonly string[]): Set<string> {
  const paths = new Set<string>();
  const isWanted = matcher(patterns);
  for (const pattern of patterns) {
    const plain = plainPath(pattern);
    if (plain !== null) paths.add(plain);
    else for (const path of filesBelow(disk, root, baseOf(pattern))) if (isWanted(path)) paths.add(path);
  }
  return paths;
}

function* filesBelow(disk: Disk, root: string, folder: string): Generator<string> {
  if (!isReachable(disk, root, folder)) return;
  for (const name of disk.list(join(root, folder))) {
    const path = folder === '' ? name : `${folder}/${name}`;
    const kind = disk.stat(join(root, path))?.kind;
    if (kind === 'file') yield path;
    else if (kind === 'folder') yield* filesBelow(disk, root, path);
  }
}

/** Every step down to a folder is a real folder, and none of them is private or leads up. */
function isReachable(disk: Disk, root: string, folder: string): boolean {
  if (folder === '') return true;
  const steps = folder.split('/');
  return steps.every((step, index) => {
    if (step === '' || step === '.' || step === '..' || isPrivateFolder(step)) return false;
    return disk.stat(join(root, ...steps.slice(0, index + 1)))?.kind === 'folder';
  });
}

function copy(disk: Disk, root: string, path: string, scratch: string): string | null {
  const folder = dirname(path);
  if (!isReachable(disk, root, folder === '.' ? '' : folder)) return null;
  const bytes = disk.stat(join(root, path))?.kind === 'file' ? disk.read(join(root, path)) : null;
  if (bytes === null) return null;
  disk.makeFolder(join(scratch, folder));
  disk.create(join(scratch, path), bytes);
  return sha256(bytes);
}
