import { dirname, isAbsolute, join, posix } from 'node:path';
import { isPrivateFolder } from '../core/private-folders.ts';
import { PawlError } from '../errors.ts';
import type { Stat } from '../store/disk.ts';
import type { Place } from './listing.ts';
import type { SourceContext } from './source.ts';
import { type Pattern, plainSteps, readPattern } from './walk.ts';

/** Where the items of a move source lie, and where they lie once they are done. */
export interface Route extends Place {
  /** The folder of done items, step by step from the root. */
  to: string[];
}

/** What lies under the two names of an item. */
export interface Names {
  /** Absolute. */
  from: string;
  to: string;
  /** The new name, from the root. */
  path: string;
  /** The file that is there, null = none. */
  open: Stat | null;
  done: Stat | null;
  /** Both names are one file: a move that was interrupted before the old name was taken away. */
  isOne: boolean;
  /** Why no item can have the new name, or null. */
  blocked: string | null;
}

/** @throws PawlError `E_FORMAT` when `path` or `to` can't be used so, `E_OUTSIDE` when one leads out of the root. */
export function readRoute({ disk, workspace, procedure }: SourceContext): Route {
  const { path, to } = procedure.source;
  if (path === '') throw wanted('path', 'a glob such as todo/**/*.md', path);
  const steps = posix
    .normalize(to ?? '')
    .split('/')
    .filter((step) => step !== '' && step !== '.');
  if (to === null || to === '' || to.includes('*') || isAbsolute(to) || steps.some(isPrivateFolder))
    throw wanted('to', 'the folder that done items go to, such as done', to);
  workspace.inRoot(to);
  const pattern = readPattern(path, workspace);
  if (steps.every((step, index) => pattern.base[index] === step))
    throw wanted('to', `a folder beside or below those of ${path}`, to);
  return { disk, workspace, pattern, to: steps };
}

const wanted = (key: string, what: string, got: string | null) =>
  new PawlError('E_FORMAT', `source.${key} should be ${what}, got ${got === null ? 'nothing' : JSON.stringify(got)}`, {
    at: '.jez/loop.md',
  });

/** Below `to` nothing is an item, whatever the glob says. */
export function isOpenPath(route: Route, path: string): boolean {
  return isBelow(path, route.pattern.base) && !isBelow(path, route.to);
}

/** The path that a done item had, or null when it can't be one of ours. */
export function openPathOf({ pattern, to }: Route, path: string): string | null {
  return isBelow(path, to) ? [...pattern.base, ...path.split('/').slice(to.length)].join('/') : null;
}

/** The folder of done items as a place to walk; its glob is no other place's, so that no list of names is taken for its own. */
export function donePattern({ pattern, to }: Route): Pattern {
  const { glob, base, depth, dots } = pattern;
  const below = depth === null ? null : depth - base.length + to.length;
  return { glob: `${to.join('/')} for ${glob}`, base: to, depth: below, dots };
}

const isBelow = (path: string, steps: readonly string[]) =>
  steps.length === 0 || path.startsWith(`${steps.join('/')}/`);

/**
 * @returns null for a path that no item of this route can have.
 * @throws PawlError `E_OUTSIDE` for a path that leads out of the root.
 */
export function namesOf(route: Route, id: string): Names | null {
  const { workspace } = route;
  const from = workspace.inRoot(id);
  if (posix.normalize(id) !== id || !isOpenPath(route, id)) return null;
  const path = donePathOf(route, id);
  const target = workspace.inRoot(path);
  const open = fileAt(route, id);
  const done = fileAt(route, path);
  const isOne = open !== null && done !== null && open.dev === done.dev && open.ino === done.ino;
  const isItself = isOne && isOneFolder(route, from, target);
  const blocked = isItself ? 'the folder of done items is its own' : done === null ? obstacle(route, path) : null;
  return { from, to: target, path, open, done, isOne, blocked };
}

/**
 * Nothing has the new name of this item, and nothing is in its way: one look, where `namesOf` takes six.
 *
 * @param free folders found to be so, as long as one listing takes.
 */
export function isFree(route: Route, id: string, free: Set<string>): boolean {
  const path = donePathOf(route, id);
  if (route.disk.stat(join(route.workspace.root, path)) !== null) return false;
  const folder = dirname(path);
  if (!free.has(folder) && obstacle(route, path) !== null) return false;
  free.add(folder);
  return true;
}

const donePathOf = ({ pattern, to }: Route, id: string) =>
  [...to, ...id.split('/').slice(pattern.base.length)].join('/');

/** What is in the way of a new file at `path`, or null. */
function obstacle({ disk, workspace: { root } }: Route, path: string): string | null {
  const steps = path.split('/');
  const plain = plainSteps(disk, root, steps.slice(0, -1)).length;
  const next = steps.slice(0, plain + 1).join('/');
  if (disk.stat(join(root, next)) === null) return null;
  return plain < steps.length - 1 ? `${next} should be a folder, and no link` : `${next} is there and is no file`;
}

function fileAt({ disk, workspace: { root } }: Route, path: string): Stat | null {
  const stat = disk.stat(join(root, path));
  if (stat?.kind !== 'file') return null;
  const folders = path.split('/').slice(0, -1);
  return plainSteps(disk, root, folders).length === folders.length ? stat : null;
}

/** Where case is ignored, two names can be one folder. */
function isOneFolder({ disk }: Route, from: string, to: string): boolean {
  const [left, right] = [disk.stat(dirname(from)), disk.stat(dirname(to))];
  return left?.dev === right?.dev && left?.ino === right?.ino;
}
