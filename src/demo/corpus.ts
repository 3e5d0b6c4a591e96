import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { isPrivateFolder } from '../core/private-folders.ts';
import { byBytes } from '../store/disk.ts';
import type { Check } from './findings.ts';
import { oddPages } from './odd-pages.ts';

/** The folder of the demo that stands for node_modules. */
export const DOCS = 'docs';

/** What was copied, as paths from the demo's folder. */
export interface Corpus {
  /** Markdown pages of the packages. */
  pages: string[];
  /** What else these pages link to. */
  linked: string[];
  /** Pages of our own, when the packages have none of their kind. */
  own: string[];
}

/**
 * Copies Markdown pages below `modules`, and whatever of the packages they link to, so that a link which works there works here:
 * the worker itself looks the links up, and what it asks for is what is copied.
 *
 * @param most how many pages to begin with, in the order of their names; pages that these link to are taken as well.
 */
export function makeCorpus(modules: string, to: string, check: Check, most: number): Corpus {
  const { pages, targets, isOdd } = gather(modules, check, most);
  const linked = [...targets].filter((path) => !pages.has(path)).sort(byBytes);
  for (const path of [...pages, ...linked]) copy(realPath(modules, path) ?? '', join(to, path));
  const own = isOdd ? {} : oddPages(DOCS);
  for (const [path, bytes] of Object.entries(own)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    writeFileSync(join(to, path), bytes);
  }
  return { pages: [...pages], linked, own: Object.keys(own) };
}

function gather(modules: string, check: Check, most: number) {
  const pages = new Set(pagesBelow(modules, '').sort(byBytes).slice(0, most));
  const targets = new Set<string>();
  let isOdd = false;
  const project = {
    read: (path: string) => textAt(modules, path),
    has(path: string) {
      const real = realPath(modules, path);
      if (path === '') return true;
      if (real === null || !existsSync(real)) return false;
      if (isPage(path)) pages.add(path);
      else if (path !== DOCS) targets.add(path);
      return true;
    },
  };
  // A set that grows while it is walked: pages that were linked to have their turn too.
  for (const path of pages) {
    const text = project.read(path);
    if (text === null) isOdd = true;
    else check({ path, text }, project);
  }
  return { pages, targets, isOdd };
}

/** Pages in folders that a source passes over as well (hidden, private, behind a link) are none. */
function pagesBelow(modules: string, below: string): string[] {
  return readdirSync(join(modules, below), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(below, entry.name);
    if (entry.isDirectory()) return isWalked(entry.name) ? pagesBelow(modules, path) : [];
    return entry.isFile() && isPage(`${DOCS}/${path}`) ? [`${DOCS}/${path}`] : [];
  });
}

const isWalked = (step: string) => !step.startsWith('.') && !isPrivateFolder(step);
const isPage = (path: string) => path.startsWith(`${DOCS}/`) && path.endsWith('.md') && path.split('/').every(isWalked);

/** @returns where the packages have what the corpus calls `path`; null for what only lies beside them. */
function realPath(modules: string, path: string): string | null {
  if (path === DOCS) return modules;
  return path.startsWith(`${DOCS}/`) ? join(modules, path.slice(DOCS.length + 1)) : null;
}

/** @returns null when there is no such text in UTF-8. */
function textAt(modules: string, path: string): string | null {
  const real = realPath(modules, path);
  if (real === null || !statSync(real).isFile()) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(real));
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Of a folder only that it is there: its files come by themselves where a page links to them. */
function copy(from: string, to: string): void {
  const isFolder = statSync(from).isDirectory();
  mkdirSync(isFolder ? to : dirname(to), { recursive: true });
  if (!isFolder) copyFileSync(from, to, constants.COPYFILE_FICLONE);
}
