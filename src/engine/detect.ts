import { basename } from 'node:path';
import { systemZone } from '../formats/zone.ts';
import { readPattern, walk } from '../sources/walk.ts';
import type { Disk } from '../store/disk.ts';
import { matcher } from '../store/globs.ts';
import { findRoot, Workspace } from '../store/workspace.ts';
import { readJson } from '../store/write.ts';

/** Looking stops here: whoever runs `init` in a home folder by mistake should not wait for all of it. */
const MOST_FOLDERS = 20_000;
const MOST_FILES = 200_000;

export const DOCS = 'docs/**/*.md';
export const ANYWHERE = '**/*.md';

/** What a folder looks like before there is a loop in it. */
export interface Detected {
  /** The package's name, or the folder's. */
  name: string;
  git: boolean;
  timezone: string;
  /** Where most Markdown pages are; null without any. */
  path: string | null;
  /** A loop in a folder above, whose commands would be meant there. */
  above: string | null;
}

export function detect(disk: Disk, root: string): Detected {
  const docs = countFiles(disk, root, DOCS);
  const all = countFiles(disk, root, ANYWHERE);
  const above = findRoot(disk, `${root}/..`);
  return {
    name: packageName(disk, root) ?? (basename(root) || 'this folder'),
    git: hasGit(disk, root),
    timezone: systemZone(),
    path: all === 0 ? null : docs * 2 >= all ? DOCS : ANYWHERE,
    above: above === root ? null : above,
  };
}

/** @returns how many files a glob from the root matches now. @throws PawlError `E_OUTSIDE` for one that leads out of it. */
export function countFiles(disk: Disk, root: string, path: string): number {
  const pattern = readPattern(path, new Workspace(root));
  const matches = matcher([pattern.glob]);
  let count = 0;
  let files = 0;
  let folders = 0;
  for (const file of walk({ disk, root, pattern }, null, () => folders++ < MOST_FOLDERS)) {
    if (matches(file)) count++;
    if (++files === MOST_FILES) break;
  }
  return count;
}

function packageName(disk: Disk, root: string): string | null {
  try {
    const name = readJson<{ name?: unknown }>(disk, `${root}/package.json`)?.name;
    return typeof name === 'string' && name !== '' ? name : null;
  } catch {
    // Somebody else's file: it only lends a word, and a broken one is not for us to report.
    return null;
  }
}

function hasGit(disk: Disk, root: string): boolean {
  for (let folder = root; ; folder = folder.slice(0, folder.lastIndexOf('/'))) {
    if (disk.stat(`${folder}/.git`) !== null) return true;
    if (folder === '') return false;
  }
}
