import type { Mark } from '../formats/mark.ts';
import type { Format, Spot } from '../formats/table.ts';
import type { ReadAt } from './table-file.ts';
import { eachRow } from './table-rows.ts';

/** What is known of each row, by its number: 17 bytes a row, so that a million fit. */
export interface TableIndex {
  rows: number;
  done: number;
  /** Where each row begins. */
  offsets: Float64Array;
  lines: Uint32Array;
  states: Uint8Array;
  /** Of the ids; 0 = there is none. */
  hashes: Uint32Array;
  /** Rows by hash, made once it pays. */
  groups: Groups | null;
  lookups: number;
}

interface Groups {
  /** First rows by their hash: row + 1, 0 = free. As many as a power of two. */
  slots: Uint32Array;
  /** Later rows with a hash that was there already: mostly the same id once more. */
  repeats: Map<number, number[]>;
}

const TODO = 0;
const DONE = 1;
const THEIRS = 2;
const REFUSED = 3;
/** Not a row, or one without an id. */
const NAMELESS = 4;
const STATES: Record<Mark['kind'], number> = { todo: TODO, done: DONE, theirs: THEIRS, refused: REFUSED };
/** Bytes of a row to reckon with before any is read. */
const ROW_USUAL = 64;
/** A slice looks for some ten ids: to go through all hashes for each takes less than to put a million in order. */
const LOOKUPS_FEW = 200;

/** @param size of the file, in bytes. @throws PawlError `E_FORMAT` as `eachRow` does. */
export function buildIndex(file: string, format: Format, read: ReadAt, size: number): TableIndex {
  const index = emptyIndex(Math.max(64, Math.ceil(size / ROW_USUAL)));
  const stateOf = markReader(format);
  eachRow(file, format, read, (bytes, from, spot, offset, line) => {
    const row = index.rows;
    if (row === index.offsets.length) grow(index);
    const hash = idHash(format, bytes, from, spot);
    const state = hash === 0 ? NAMELESS : stateOf(bytes, spot.markFrom, spot.markTo);
    index.offsets[row] = offset;
    index.lines[row] = line;
    index.hashes[row] = hash;
    index.states[row] = state;
    index.rows = row + 1;
    if (state === DONE) index.done += 1;
  });
  return index;
}

/** Numbers of the rows whose id has this hash: those with the id are among them. */
export function rowsWith(index: TableIndex, hash: number): number[] {
  index.lookups += 1;
  if (index.groups === null && index.lookups > LOOKUPS_FEW) index.groups = grouped(index);
  return index.groups === null ? searched(index, hash) : inGroup(index, index.groups, hash);
}

function searched({ hashes, rows }: TableIndex, hash: number): number[] {
  const found: number[] = [];
  for (let row = hashes.indexOf(hash); row !== -1 && row < rows; row = hashes.indexOf(hash, row + 1)) found.push(row);
  return found;
}

function inGroup({ hashes }: TableIndex, { slots, repeats }: Groups, hash: number): number[] {
  for (let slot = hash & (slots.length - 1); ; slot = (slot + 1) & (slots.length - 1)) {
    const row = (slots[slot] as number) - 1;
    if (row === -1) return [];
    if (hashes[row] === hash) return [row, ...(repeats.get(hash) ?? [])];
  }
}

function grouped({ hashes, rows }: TableIndex): Groups {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(1.5 * rows + 2)));
  const repeats = new Map<number, number[]>();
  for (let row = 0; row < rows; row += 1) {
    const hash = hashes[row] as number;
    let slot = hash & (slots.length - 1);
    while (slots[slot] !== 0 && hashes[(slots[slot] as number) - 1] !== hash) slot = (slot + 1) & (slots.length - 1);
    if (slots[slot] === 0) slots[slot] = row + 1;
    else if (repeats.get(hash)?.push(row) === undefined) repeats.set(hash, [row]);
  }
  return { slots, repeats };
}

/** Whether a row is to be looked at: neither done nor taken by a person. */
export const isOpen = ({ states }: TableIndex, row: number): boolean => states[row] !== DONE && states[row] !== THEIRS;

/** @returns the row that begins in this line, or null. */
export function rowAtLine({ lines, rows }: TableIndex, line: number): number | null {
  const row = lines.subarray(0, rows).indexOf(line);
  return row === -1 ? null : row;
}

/** @returns the hash of a row's id, or 0 when it has none. */
export function idHash(format: Format, bytes: Buffer, from: number, spot: Spot): number {
  if (spot.problem !== null || spot.idFrom === spot.idTo) return 0;
  if (spot.isIdPlain) return hashOf(bytes, spot.idFrom, spot.idTo);
  const row = format.read(bytes.subarray(from, spot.next));
  return 'problem' in row ? 0 : hashOfId(row.id);
}

export function hashOfId(id: string): number {
  const bytes = Buffer.from(id);
  return hashOf(bytes, 0, bytes.length);
}

/** 32 bits, none 0: of a million ids a hundred or so meet another, so nothing is believed of two rows before both were read. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = to - from;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const four =
      (bytes[at] as number) |
      ((bytes[at + 1] as number) << 8) |
      ((bytes[at + 2] as number) << 16) |
      ((bytes[at + 3] as number) << 24);
    hash = Math.imul(hash ^ four, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  for (; at < to; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) >>> 0 || 1;
}

function emptyIndex(room: number): TableIndex {
  return {
    ...{ rows: 0, done: 0, groups: null, lookups: 0 },
    ...{ offsets: new Float64Array(room), lines: new Uint32Array(room) },
    ...{ states: new Uint8Array(room), hashes: new Uint32Array(room) },
  };
}

function grow(index: TableIndex): void {
  const next = emptyIndex(2 * index.rows);
  next.offsets.set(index.offsets);
  next.lines.set(index.lines);
  next.states.set(index.states);
  next.hashes.set(index.hashes);
  Object.assign(index, { ...next, rows: index.rows, done: index.done });
}

const KNOWN_MARKS = 256;

/** Judges each spelling of a mark once: there are few in a table, and the rules take a hundred times as long as this. */
function markReader(format: Format): (bytes: Buffer, from: number, to: number) => number {
  const known: ({ text: Buffer; state: number } | undefined)[] = new Array(KNOWN_MARKS);
  return (bytes, from, to) => {
    if (from === to) return TODO;
    const place = hashOf(bytes, from, to) % KNOWN_MARKS;
    const found = known[place];
    if (found !== undefined && isText(found.text, bytes, from, to)) return found.state;
    const state = STATES[format.markIn(bytes, from, to).kind];
    known[place] = { text: Buffer.from(bytes.subarray(from, to)), state };
    return state;
  };
}

function isText(text: Buffer, bytes: Buffer, from: number, to: number): boolean {
  if (text.length !== to - from) return false;
  for (let at = 0; at < text.length; at += 1) if (text[at] !== bytes[from + at]) return false;
  return true;
}
