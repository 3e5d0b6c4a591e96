import { PawlError } from '../errors.ts';
import { ChecklistReader, type Closed, type Task } from '../formats/checklist.ts';
import { printed } from '../formats/checklist-hash.ts';
import { MADE_ID } from '../formats/checklist-line.ts';
import type { Disk } from '../store/disk.ts';
import { stampOf } from '../store/seal.ts';

/** The one file of a checklist. `name` is its path from the root, for what people read. */
export interface ListFile {
  disk: Disk;
  path: string;
  name: string;
}

/** Where a task is, as of one reading. All that its id comes from can be read again and compared. */
export interface Place {
  id: string;
  own: boolean;
  at: number;
  length: number;
  line: number;
  /** Behind the last line that belongs to it. */
  end: number;
  /** Offset and length of the lines it is nested in, from the outside in. */
  above: [at: number, length: number][];
  /** Made from its text and those above, also where it has an id of its own. */
  made: string;
  /** Its number among all tasks of the file. */
  index: number;
}

const CHUNK_BYTES = 65_536;
const TRIES = 5;
const LINE_BYTES = 1_048_576;
const LF = 0x0a;
const CR = 0x0d;

/** @throws PawlError `E_FORMAT` when it is not there, or no plain file. */
export function stampNow({ disk, path, name }: ListFile): string {
  const stat = disk.stat(path);
  if (stat === null) throw new PawlError('E_FORMAT', 'source.path names a file that is not there', { at: name });
  if (stat.kind !== 'file')
    throw new PawlError('E_FORMAT', `source.path should be a file, this is a ${stat.kind}`, { at: name });
  return `${stat.dev} ${stampOf(stat)}`;
}

/**
 * Reads the file from its beginning, as far as the caller asks; `closed` has been called for all tasks that ended in what was read.
 *
 * Memory: a part of 64 KiB, or the longest line.
 * @throws PawlError `E_FORMAT` for what is no text, and for a line of more than 1 MiB.
 */
export function* scan({ disk, path, name }: ListFile, closed: Closed, opened?: (task: Task) => void): Generator<void> {
  const reader = new ChecklistReader(closed, opened);
  let lent = Buffer.allocUnsafe(CHUNK_BYTES);
  for (let at = 0; ; ) {
    const read = disk.readAt(path, at, lent.length, lent) ?? Buffer.alloc(0);
    if (at === 0) refuseUtf16(read, name);
    if (read.includes(0)) throw noText(read, name, reader.line);
    const isLast = read.length < lent.length;
    const bytes = isLast ? Buffer.concat([read, Buffer.from('\n')]) : read;
    const to = isLast && endsLine(read) ? read.length : wholeLines(bytes, isLast);
    reader.push(bytes, at === 0 && isMarked(read) ? 3 : 0, to, at);
    at += Math.min(to, read.length);
    if (isLast) {
      reader.end(at);
      return yield;
    }
    yield;
    if (to > 0) continue;
    if (lent.length >= LINE_BYTES)
      throw new PawlError('E_FORMAT', 'this line should have at most 1 MiB', { at: `${name}:${reader.line + 1}` });
    lent = Buffer.allocUnsafe(lent.length * 4);
  }
}

const endsLine = (bytes: Buffer): boolean => bytes.length === 0 || [LF, CR].includes(bytes.at(-1) ?? LF);
const isMarked = (bytes: Buffer): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/** Up to where whole lines go. A carriage return at the very end may be half of a line end. */
function wholeLines(bytes: Buffer, isLast: boolean): number {
  if (isLast) return bytes.length;
  return bytes.lastIndexOf(LF) + 1 || bytes.subarray(0, -1).lastIndexOf(CR) + 1;
}

function refuseUtf16(bytes: Buffer, name: string): void {
  if (bytes.length >= 2 && [0xfffe, 0xfeff].includes(bytes.readUInt16BE(0)))
    throw new PawlError('E_FORMAT', 'this file is UTF-16; save it as UTF-8', { at: `${name}:1` });
}

function noText(bytes: Buffer, name: string, before: number): PawlError {
  const line = before + bytes.toString('latin1', 0, bytes.indexOf(0)).split(/\r\n|[\r\n]/).length;
  return new PawlError('E_FORMAT', 'plain text in UTF-8 was wanted, here is a NUL byte', { at: `${name}:${line}` });
}

/** With the id of the first of its twins. */
export function placeOf(task: Task, above: readonly Task[], depth: number, end: number): Place {
  const made = printed(task.low, task.high);
  return {
    ...{ id: task.own ?? made, own: task.own !== null, made, index: task.index, end },
    ...{ at: task.at, length: task.length, line: task.line },
    above: above.slice(0, depth).map(({ at, length }): [number, number] => [at, length]),
  };
}

export const numbered = (made: string, twins: number): string => (twins === 0 ? made : `${made}-${twins + 1}`);

const LOW_BITS = 0xffff;

/** Numbers the twins of some ids, in the order of the lines, and tells whose id it is. */
export class Wanted {
  /** A quick no for nearly all tasks. */
  private readonly maybe = new Uint8Array(LOW_BITS + 1);
  private readonly made = new Set<string>();
  private readonly counts = new Map<string, number>();
  private readonly numbers = new Map<number, number>();

  constructor(ids: readonly string[]) {
    for (const id of ids) {
      if (!MADE_ID.test(id)) continue;
      this.made.add(id.slice(0, 12));
      this.maybe[Number.parseInt(id.slice(8, 12), 16)] = 1;
    }
  }

  opened = ({ low, high, index }: Task): void => {
    if (this.maybe[low & LOW_BITS] === 0) return;
    const made = printed(low, high);
    if (!this.made.has(made)) return;
    const before = this.counts.get(made) ?? 0;
    this.counts.set(made, before + 1);
    this.numbers.set(index, before);
  };

  /** @returns its own id, or the one that was made of its text if somebody asked for that. */
  idOf({ own, low, high, index }: Task): string | null {
    if (own !== null || this.maybe[low & LOW_BITS] === 0) return own;
    const twins = this.numbers.get(index);
    return twins === undefined ? null : numbered(printed(low, high), twins);
  }
}

/**
 * Finds tasks by their ids, all of those with one id; made ids are unique, so the reading ends with the last of them.
 *
 * @throws PawlError `E_CHANGED` when the file keeps changing while it is read.
 */
export function findPlaces(file: ListFile, ids: readonly string[]): { stamp: string; places: Map<string, Place[]> } {
  return steadily(file, (stamp) => {
    const wanted = new Wanted(ids);
    const places = new Map<string, Place[]>(ids.map((id) => [id, []]));
    let open = ids.every((id) => MADE_ID.test(id)) ? places.size : Number.POSITIVE_INFINITY;
    const closed: Closed = (task, above, depth, end) => {
      const id = wanted.idOf(task);
      const found = id === null ? undefined : places.get(id);
      if (found === undefined || id === null) return;
      found.push({ ...placeOf(task, above, depth, end), id });
      open -= 1;
    };
    const parts = scan(file, closed, wanted.opened);
    for (let part = parts.next(); open > 0 && !part.done; ) part = parts.next();
    return { stamp, places };
  });
}

/** Reads the whole file. */
export function readAll(file: ListFile, closed: Closed): void {
  const parts = scan(file, closed);
  while (parts.next().done !== true);
}

/** Reads until the file stood still. @throws PawlError `E_CHANGED` when it never does. */
export function steadily<T>(file: ListFile, read: (stamp: string) => T): T {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const stamp = stampNow(file);
    const result = read(stamp);
    if (stampNow(file) === stamp) return result;
  }
  throw changed(file);
}

export const changed = ({ name }: ListFile): PawlError =>
  new PawlError('E_CHANGED', 'this file keeps changing while it is read', { at: name });
