import { LF, QUOTE, SPACE } from './table.ts';

export const BACKSLASH = 0x5c;
const OPEN = 0x7b;
const CLOSE = 0x7d;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;
/** Keys of one line that are looked at; a line with more is no row. */
const KEYS_MOST = 1024;

/** Offsets of the top-level keys and values of one line, four numbers each: the key with its quotes, the value. */
export interface Walk {
  spans: Int32Array;
  count: number;
  /** Where the line goes on behind the last that was understood; its closing brace when all was. */
  close: number;
  /** A key has a backslash in it. */
  isOdd: boolean;
}

export const newWalk = (): Walk => ({ spans: new Int32Array(4 * KEYS_MOST), count: 0, close: 0, isOdd: false });

/** Finds the top-level keys and values of the object that begins at `from`, in bytes that end with a line. @returns false when there is none, or it does not end in this line. */
export function walkObject(bytes: Uint8Array, from: number, walk: Walk): boolean {
  const { spans } = walk;
  walk.count = 0;
  walk.isOdd = false;
  if (bytes[from] !== OPEN) return false;
  let at = skipBlanks(bytes, from + 1);
  walk.close = at;
  if (bytes[at] === CLOSE) return true;
  for (;;) {
    if (bytes[at] !== QUOTE || walk.count === KEYS_MOST) return false;
    const place = 4 * walk.count;
    spans[place] = at;
    backslashes = 0;
    at = skipString(bytes, at + 1);
    if (at === -1) return false;
    spans[place + 1] = at;
    walk.isOdd ||= backslashes > 0;
    at = skipBlanks(bytes, at);
    if (bytes[at] !== COLON) return false;
    at = skipBlanks(bytes, at + 1);
    spans[place + 2] = at;
    at = skipValue(bytes, at);
    if (at === -1) return false;
    spans[place + 3] = at;
    walk.count += 1;
    at = skipBlanks(bytes, at);
    walk.close = at;
    if (bytes[at] === CLOSE) return true;
    if (bytes[at] !== COMMA) return false;
    at = skipBlanks(bytes, at + 1);
  }
}

export function skipBlanks(bytes: Uint8Array, from: number): number {
  let at = from;
  for (; ; at += 1) {
    const byte = bytes[at] as number;
    // One comparison for nearly all: what is no blank in JSON is found out by whoever reads the line.
    if (byte > SPACE || byte === LF) return at;
  }
}

let backslashes = 0;

/** @returns where the text behind an opening quote ends, behind its closing one; -1 when it does not in this line. */
function skipString(bytes: Uint8Array, from: number): number {
  for (let at = from; ; at += 1) {
    const byte = bytes[at] as number;
    // Small letters are above all that matters.
    if (byte > BACKSLASH) continue;
    if (byte === QUOTE) return at + 1;
    if (byte === LF) return -1;
    if (byte !== BACKSLASH) continue;
    backslashes += 1;
    if (bytes[at + 1] !== LF) at += 1;
  }
}

function skipValue(bytes: Uint8Array, from: number): number {
  const first = bytes[from];
  if (first === QUOTE) return skipString(bytes, from + 1);
  if (first === OPEN || first === OPEN_LIST) return skipNested(bytes, from);
  let at = from;
  for (; ; at += 1) {
    const byte = bytes[at] as number;
    if (byte === COMMA || byte === CLOSE || byte <= SPACE) break;
  }
  return at === from ? -1 : at;
}

function skipNested(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; ; at += 1) {
    const byte = bytes[at];
    if (byte === LF) return -1;
    if (byte === OPEN || byte === OPEN_LIST) depth += 1;
    else if (byte === CLOSE || byte === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (byte === QUOTE) {
      at = skipString(bytes, at + 1) - 1;
      if (at < 0) return -1;
    }
  }
}
