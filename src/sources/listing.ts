import { join } from 'node:path';
import type { Disk, Stat } from '../store/disk.ts';
import { fileSystemTime, firstBehind, isSettled, openNames, saveNames } from '../store/names.ts';
import type { Workspace } from '../store/workspace.ts';
import { type Pattern, plainSteps, walk } from './walk.ts';

/** Where the items of a folder source lie. */
export interface Place {
  disk: Disk;
  workspace: Workspace;
  pattern: Pattern;
}

const MOST_FOLDERS = 2_000;
const FEWEST_NAMES = 500;
const HANDFUL = 64;

/**
 * Ids of all files that match, behind `after` (null = from the first), in order, in handfuls.
 *
 * From the snapshot in `.jez/cache/names` while no folder has changed since it was made; else from the folders.
 */
export async function* idsBehind(place: Place, after: string | null): AsyncGenerator<string[]> {
  const { disk, workspace, pattern } = place;
  if (plainSteps(disk, workspace.root, pattern.base).length < pattern.base.length) return;
  const known = openNames(disk, workspace.root, snapshot(workspace), pattern.glob);
  const rest = known === null ? after : yield* known.behind(after);
  if (rest === undefined) return;

  // Loaded only when folders are read: picomatch alone would cost a tick a fifth more.
  const { matcher } = await import('../store/globs.ts');
  const matches = matcher([pattern.glob]);
  const names = scan(place, matches);
  if (names === null)
    yield* handfuls(
      walk(whereOf(place), rest, () => true),
      matches,
    );
  else yield names.slice(firstBehind(names, rest));
}

/** Folders below the base, absolute; where the base itself is missing the nearest folder above it. [] when there are more than `most`. */
export function foldersOf(place: Place, most: number): string[] {
  const { disk, workspace, pattern } = place;
  const steps = plainSteps(disk, workspace.root, pattern.base);
  if (steps.length < pattern.base.length) return [join(workspace.root, ...steps)];
  const folders =
    openNames(disk, workspace.root, snapshot(workspace), pattern.glob)?.folders ?? walkedFolders(place, most);
  return folders.length > most ? [] : folders.map((folder) => join(workspace.root, folder));
}

function walkedFolders(place: Place, most: number): string[] {
  const folders: string[] = [];
  const enter = (folder: string) => folders.length <= most && folders.push(folder) > 0;
  for (const _ of walk(whereOf(place), null, enter)) if (folders.length > most) break;
  return folders;
}

/**
 * All ids, kept for the next time where that pays.
 *
 * @returns null when there are too many folders to watch, or one changed a moment ago, as while marks are set: nothing could be kept then.
 */
function scan(place: Place, matches: (path: string) => boolean): string[] | null {
  const { disk, workspace, pattern } = place;
  const since = fileSystemTime(disk, snapshot(workspace));
  const folders = new Map<string, Stat>();
  const names: string[] = [];
  let keeps = since !== null;
  const enter = (folder: string) => {
    const stat = keeps ? disk.stat(join(workspace.root, folder)) : null;
    if (stat === null || since === null) return false;
    folders.set(folder, stat);
    keeps = isSettled(stat, since) && folders.size <= MOST_FOLDERS;
    return keeps;
  };
  for (const path of walk(whereOf(place), null, enter)) {
    if (!keeps) return null;
    if (matches(path)) names.push(path);
  }
  if (!keeps || since === null) return null;
  if (names.length >= FEWEST_NAMES)
    saveNames(disk, snapshot(workspace), { pattern: pattern.glob, since, folders, names });
  return names;
}

function* handfuls(paths: Iterable<string>, matches: (path: string) => boolean): Generator<string[]> {
  let handful: string[] = [];
  for (const path of paths) {
    if (matches(path)) handful.push(path);
    if (handful.length < HANDFUL) continue;
    yield handful;
    handful = [];
  }
  yield handful;
}

const snapshot = (workspace: Workspace) => workspace.cache('names');
const whereOf = ({ disk, workspace, pattern }: Place) => ({ disk, root: workspace.root, pattern });
