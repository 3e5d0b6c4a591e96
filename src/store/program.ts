import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative, resolve } from 'node:path';
import { codeOf } from '../errors.ts';
import type { Disk, Stat } from './disk.ts';

/**
 * The argv of a program named in loop.md. It runs in a folder of its own, so an element that names a file below `root` is made
 * absolute; every other element is passed as written, whatever characters it has.
 */
export function program(run: readonly string[], root: string, disk: Disk): string[] {
  return run.map((element) => fileBelow(element, root, disk) ?? element);
}

function fileBelow(element: string, root: string, disk: Disk): string | null {
  if (element === '' || element.startsWith('-') || element.includes('\0') || isAbsolute(element)) return null;
  const path = resolve(root, element);
  if (relative(root, path).startsWith('..')) return null;
  const kind = kindOf(path, disk);
  // A link counts: node_modules/.bin holds nothing else.
  return kind === 'file' || kind === 'link' ? path : null;
}

/** Any text can be an argument, also one that no path could be. */
function kindOf(path: string, disk: Disk): Stat['kind'] | undefined {
  try {
    return disk.stat(path)?.kind;
  } catch (error) {
    if (codeOf(error) === 'ENAMETOOLONG' || codeOf(error) === 'EACCES') return undefined;
    throw error;
  }
}

/** Where a program would be started from. @returns null when there is no such file that may be executed. */
export function findProgram(name: string, searchPath: string): string | null {
  const candidates = name.includes('/')
    ? [name]
    : searchPath.split(delimiter).map((folder) => join(folder === '' ? '.' : folder, name));
  return candidates.find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // Whatever keeps us from looking would keep us from starting it.
    return false;
  }
}

const ALWAYS = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'];

/** All that a worker sees of the environment: six names, those of `executor.env`, and which run and project it belongs to. */
export function workerEnvironment(
  from: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
  own: { PAWL_RUN: string; PAWL_ROOT: string },
): Record<string, string> {
  const passed = [...ALWAYS, ...names].flatMap((name) => {
    const value = from[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(passed), ...own };
}
