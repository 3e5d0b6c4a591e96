import {
  fstatSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import type { ProcessId, State } from '../core/model.ts';
import { pausedLine, readStateFast } from '../formats/state-fast.ts';
import type { SealFile } from './seal.ts';

// The usual tick ends here, and costs hardly more than starting node: no package, no process.stdout, nothing but node:fs.

/** Why a tick may exit at once; null = it has to look closer. */
export type Glance = 'paused' | 'waiting' | 'running' | 'sealed' | null;

/** Looks at state.md, PAUSE and stamps alone. `jez` is the `.jez` folder, `now` milliseconds since 1970. */
export function glance(jez: string, now: number): Glance {
  if (statSync(`${jez}/PAUSE`, { throwIfNoEntry: false }) !== undefined) return 'paused';
  const text = readOrNull(`${jez}/state.md`);
  if (text === null) return null;
  const state = readStateFast(text);
  if (state === null) return pausedLine(text) === true ? 'paused' : null;
  if (state.paused) return 'paused';
  if (state.waitingUntil !== null && Date.parse(state.waitingUntil) > now) return 'waiting';
  if (state.inFlight.length > 0) return areRunning(jez, state, now) ? 'running' : null;
  return isSealed(jez, now) ? 'sealed' : null;
}

/** Every batch in flight has an owner that lives, on this machine, and its time is not over. */
function areRunning(jez: string, { inFlight }: State, now: number): boolean {
  const boot = readOrNull('/proc/sys/kernel/random/boot_id')?.trim();
  const host = readOrNull('/proc/sys/kernel/hostname')?.trim();
  if (boot === undefined || host === undefined) return false;
  const batches = new Set(inFlight.map(({ batch }) => batch));
  if (inFlight.some(({ until }) => Date.parse(until) < now)) return false;
  return [...batches].every((batch) => {
    const folder = `${jez}/batches/${String(batch).padStart(4, '0')}`;
    const owner = parsed<ProcessId>(readOrNull(`${folder}/owner.json`));
    return owner?.boot === boot && owner.host === host && owner.namespace === namespaceOf() && isAlive(owner);
  });
}

/** Field 22 of /proc/PID/stat tells a process from a later one with the same pid; field 3 a zombie. */
function isAlive({ pid, start }: ProcessId): boolean {
  const stat = readOrNull(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  return fields[19] === start && fields[0] !== 'Z' && fields[0] !== 'X';
}

function isSealed(jez: string, now: number): boolean {
  const seal = parsed<SealFile>(readOrNull(`${jez}/cache/seal.json`));
  if (seal?.v !== 1 || !(Date.parse(seal.until) > now)) return false;
  return seal.stamps.every(([path, stamp]) => stampAt(path) === stamp);
}

function stampAt(path: string): string {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}

/** The nearest `.jez` upward, or null. */
export function findJez(from: string): string | null {
  for (let folder = from; ; ) {
    if (statSync(`${folder}/.jez`, { throwIfNoEntry: false })?.isDirectory())
      return `${folder === '/' ? '' : folder}/.jez`;
    const parent = folder.slice(0, folder.lastIndexOf('/')) || '/';
    if (parent === folder) return null;
    folder = parent;
  }
}

/** Shows that the clock fires: the only thing a no-op tick writes. A folder that can't be written is no reason to fail. */
export function beat(jez: string, now: number): void {
  try {
    utimesSync(`${jez}/heartbeat`, now / 1000, now / 1000);
  } catch {
    try {
      writeFileSync(`${jez}/heartbeat`, '');
    } catch {
      // Told by `pawl doctor`, not by mail from cron every 15 minutes.
    }
  }
}

/** One line, if a person may be looking: cron mails whatever is printed. */
export function say(line: string): void {
  // /dev/null is a character device as well, and takes it.
  if (fstatSync(1).isCharacterDevice()) print(1, `${line}\n`);
}

/** Writes all of `text` to stdout or stderr. process.stdout would load streams and sockets: an eighth of a no-op tick. */
export function print(fd: 1 | 2, text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; )
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // Nobody reads on, as in `pawl log | head`.
      if (code === 'EPIPE') return;
      // A pipe that its reader made non-blocking, and that is full: wait a moment.
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
}

function namespaceOf(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return null;
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function parsed<T>(text: string | null): T | null {
  try {
    return text === null ? null : (JSON.parse(text) as T | null);
  } catch {
    return null;
  }
}
