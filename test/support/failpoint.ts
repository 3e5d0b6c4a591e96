import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const PRELOAD = fileURLToPath(new URL('./die-at.cjs', import.meta.url));

/** What is done to a process at one of its steps. */
export interface Failpoint {
  /** Commands it acts in: the rest of the processes run as ever. */
  who: ('tick' | 'run' | 'supervise')[];
  /** Steps on paths below this folder are counted. */
  root: string;
  /** Where the steps are told, outside the folder. */
  log?: string;
  /** The step before which it happens, from 1. */
  at?: number;
  do?: 'kill' | 'SIGTERM' | Errno;
  /** In the middle of the write of that step, which has to be a `create` or an `append`. */
  half?: boolean;
  /** Every step from there on that can fail so. */
  sticky?: boolean;
  edit?: Edits;
}

export type Errno = 'ENOSPC' | 'EIO' | 'EMFILE' | 'EROFS';

/** The kinds of steps that can fail so. */
export const CAN_FAIL: Record<Errno, string[]> = {
  ENOSPC: ['create', 'append', 'makeFolder', 'link', 'rename'],
  EIO: ['create', 'append', 'sync', 'rename', 'link'],
  EMFILE: ['create', 'append', 'sync', 'open'],
  EROFS: ['create', 'append', 'link', 'rename', 'unlink', 'makeFolder', 'removeFolder', 'open'],
};

/** Edits of a person, each the next of the list that finds its place; with them reads are steps too. */
export interface Edits {
  first: number;
  /** Steps between two edits at least. */
  every: number;
  most: number;
  /** `find` is a regular expression, `%` in `put` becomes a text of this edit's own. */
  list: { file: string; find: string; put: string; how: 'rename' | 'in-place' }[];
}

/** A line of the log. */
export interface Step {
  pid: number;
  step?: number;
  kind?: string;
  path?: string;
  failed?: string;
  edited?: string;
  /** Of the list of edits. */
  entry?: number;
  mine?: string;
  /** A file that was compared and then replaced, so many nanoseconds later. */
  gap?: string;
  ns?: number;
}

export const failing = (point: Failpoint): Record<string, string> => ({
  NODE_OPTIONS: `--require=${PRELOAD}`,
  PAWL_FAILPOINT: JSON.stringify({ ...point, kinds: CAN_FAIL[point.do as Errno] ?? [] }),
});

export function stepsIn(log: string): Step[] {
  if (!existsSync(log)) return [];
  return readFileSync(log, 'utf8')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Step]));
}
