import { readdirSync, readFileSync } from 'node:fs';
import { codeOf } from '../errors.ts';
import { builtin } from './builtin.ts';

/** A line of the process table. */
export interface Seen {
  pid: number;
  group: number;
  /** Field 22 of /proc/PID/stat (clock ticks since the machine started); on macOS the date `ps` prints. */
  start: string;
  /** It has ended and only waits for its parent to notice. */
  zombie: boolean;
}

/** @returns null when there is no such process. */
export function see(pid: number): Seen | null {
  return process.platform === 'linux' ? fromProc(pid) : (fromPs('-p', String(pid))[0] ?? null);
}

export function seeAll(): Seen[] {
  return process.platform === 'linux' ? ofAll(fromProc) : fromPs('-ax');
}

/** Where they can be listed for next to nothing, as `carriers` takes them. */
export const pidsNow = (): ReadonlySet<number> => new Set(process.platform === 'linux' ? pids() : []);

/**
 * The processes that were started with all these `NAME=value`; those whose environment we may not read are left out.
 *
 * @param others who need not be looked at: an environment takes as long to read as a short worker takes to run.
 */
export function carriers(variables: string[], others: ReadonlySet<number>): number[] {
  if (process.platform !== 'linux') return carriersFromPs(variables);
  const look = (pid: number) => {
    const environment = readGone(`/proc/${pid}/environ`);
    return environment === null ? null : { pid, carries: hasAll(environment, variables) };
  };
  return ofAll(look, others).flatMap(({ pid, carries }) => (carries ? [pid] : []));
}

function hasAll(environment: string, variables: string[]): boolean {
  if (!variables.every((variable) => environment.includes(variable))) return false;
  const entries = environment.split('\0');
  return variables.every((variable) => entries.includes(variable));
}

/** Looks at every process, and once more when one went meanwhile: it may have left a child that was not in the list yet. */
function ofAll<T>(look: (pid: number) => T | null, others: ReadonlySet<number> = new Set()): T[] {
  const lookAtAll = () =>
    pids()
      .filter((pid) => !others.has(pid))
      .map(look);
  const first = lookAtAll();
  return (first.includes(null) ? lookAtAll() : first).flatMap((seen) => seen ?? []);
}

const pids = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

function fromProc(pid: number): Seen | null {
  const line = readGone(`/proc/${pid}/stat`);
  if (!line) return null;
  // The name stands in parentheses and may hold spaces and parentheses itself.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state = '', , group = ''] = fields;
  return { pid, group: Number(group), start: fields[19] ?? '', zombie: 'ZX'.includes(state) };
}

/** Null for a process that has ended meanwhile, empty for another user's. */
function readGone(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = codeOf(error) ?? '';
    if (['EACCES', 'EPERM'].includes(code)) return '';
    if (['ENOENT', 'ESRCH'].includes(code)) return null;
    throw error;
  }
}

function fromPs(...which: string[]): Seen[] {
  return ps(...which, '-o', 'pid=,pgid=,stat=,lstart=').flatMap((line) => {
    const [, pid, group, state, start] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line) ?? [];
    if (pid === undefined || state === undefined || start === undefined) return [];
    return { pid: Number(pid), group: Number(group), start, zombie: state.startsWith('Z') };
  });
}

/** `ps` prints the environment behind the command, with spaces between, so that a value may only be looked for. */
function carriersFromPs(variables: string[]): number[] {
  return ps('axeww', '-o', 'pid=,command=')
    .filter((line) => variables.every((variable) => `${line} `.includes(` ${variable} `)))
    .map((line) => Number.parseInt(line, 10));
}

function ps(...args: string[]): string[] {
  try {
    const env = { ...process.env, LC_ALL: 'C', TZ: 'UTC' };
    return builtin('node:child_process')
      .execFileSync('ps', args, { encoding: 'utf8', env, maxBuffer: 2 ** 26 })
      .split('\n');
  } catch (error) {
    // It ends with 1 when no process matched.
    if ((error as { status?: unknown }).status === 1) return [];
    throw error;
  }
}
