import { fingerprint } from '../fingerprint.ts';

/** What a scheduler is to start, and how often. Paths are whole; nothing in them is quoted yet. */
export interface Job {
  /** The folder that holds `.jez/`. */
  root: string;
  node: string;
  /** The built command. */
  entry: string;
  /** Folders for PATH, in order. */
  path: readonly string[];
  /** Milliseconds, a minute or more. */
  everyMs: number;
}

/** The PATH that cron gives its jobs, and what every machine has. */
export const CRON_PATH = '/usr/bin:/bin';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** A whole number of minutes, or null. */
export function minutesOf({ everyMs }: Job): number | null {
  return everyMs % MINUTE === 0 ? everyMs / MINUTE : null;
}

export const secondsOf = ({ everyMs }: Job): number => everyMs / SECOND;

/** `15 minutes`, `minute`, `90 seconds`: what comes after "every". */
export function intervalOf(job: Job): string {
  const minutes = minutesOf(job);
  if (minutes === null) return `${secondsOf(job)} seconds`;
  return minutes === 1 ? 'minute' : `${minutes} minutes`;
}

/** A name for the folder's job in a scheduler: letters, digits and dashes, with a part that differs from folder to folder. */
export function nameOf({ root }: Job): string {
  const last = root.split(/[\\/]/).findLast((part) => part !== '') ?? '';
  const words = last.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  const name = words.slice(0, 40).replace(/^-|-$/g, '');
  return `${name === '' ? 'loop' : name}-${fingerprint(new TextEncoder().encode(root)).slice(0, 6)}`;
}

/**
 * A PATH for a scheduler: the one at hand without what depends on the current folder or is not there, once each, with the
 * folder of node and the usual ones at its end.
 */
export function searchFolders(path: string, node: string, isFolder: (path: string) => boolean): string[] {
  const here = path.split(':').filter((folder) => folder.startsWith('/') && isFolder(folder));
  return [...new Set([...here, ...shortPath(node)])];
}

/** The least with which node is found again by the programs it starts. */
export const shortPath = (node: string): string[] => [
  ...new Set([node.slice(0, node.lastIndexOf('/')), ...CRON_PATH.split(':')]),
];
