import { addText, below, type Sums, type Text } from './checklist-hash.ts';

/** What the box of a list entry says. `theirs`: a person's own sign, such as `[-]`: not done, and not to be taken. */
export type Box = 'none' | 'open' | 'done' | 'theirs';

/** A list entry: the line that begins with its marker. Offsets in the line count from its first byte. */
export interface Entry extends Sums {
  /** Of its marker, with tabs to every fourth. */
  column: number;
  box: Box;
  /** Where the sign in the box is, and how many bytes it has. */
  signAt: number;
  signLength: number;
  /** Without an id of its own. */
  textAt: number;
  textEnd: number;
  /** Of the whole line, without its line end. */
  length: number;
  /** The id that stands on the line, or null. */
  own: string | null;
}

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const MOST_GAP = 4;
const MOST_DIGITS = 9;
const OWN_ID_BYTES = 160;
const OWN_ID =
  /(?:^|[ \t])(?:\{#(\w[\w.:-]{0,127})\}|\^([A-Za-z0-9-]{1,128})|<!--[ \t]*id:[ \t]*(\w[\w.:-]{0,127})[ \t]*-->)$/;
/** The form of the ids that are made from texts, which no line can have as its own. */
export const MADE_ID = /^[0-9a-f]{12}(?:-[1-9]\d*)?$/;

export const isLineEnd = (byte: number | undefined): boolean => byte === LF || byte === CR;
const isSpace = (byte: number | undefined): boolean => byte === SPACE || byte === TAB;

export function newEntry(): Entry {
  const sums = { left: 0, right: 0 };
  const text = { textAt: 0, textEnd: 0, length: 0, own: null };
  return { ...sums, column: 0, box: 'none', signAt: 0, signLength: 0, ...text };
}

/** @returns the length of the list marker at `at` (`-`, `*`, `+`, `1.`, `1)`), 0 = there is none. White space or the line end is behind it. */
export function markerAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  let end = at;
  if (first === 0x2d || first === 0x2a || first === 0x2b) end = at + 1;
  else if (first >= 0x30 && first <= 0x39) {
    while (end - at < MOST_DIGITS && isDigit(bytes[end])) end += 1;
    if (bytes[end] !== 0x2e && bytes[end] !== 0x29) return 0;
    end += 1;
  } else return 0;
  return isSpace(bytes[end]) || isLineEnd(bytes[end]) ? end - at : 0;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;

/**
 * Reads the line of a list entry whose marker is at `markerFrom`, in `column`; it has to end in a line end.
 *
 * @param parent the sums of the entry it is nested in.
 * @returns where the line ends.
 */
export function readEntry(
  source: Text,
  at: number,
  markerFrom: number,
  marker: number,
  column: number,
  parent: Sums | null,
  into: Entry,
): number {
  const { bytes } = source;
  let from = markerFrom + marker;
  let gap = 0;
  for (; isSpace(bytes[from]); from += 1) gap += bytes[from] === TAB ? 4 - ((column + marker + gap) & 3) : 1;
  into.column = column;
  into.own = null;
  const textAt = gap > MOST_GAP ? from : readBox(bytes, at, from, into);
  if (gap > MOST_GAP) into.box = 'none';
  below(parent, into);
  const textEnd = addText(into, source, textAt, bytes.length);
  let end = textEnd;
  while (!isLineEnd(bytes[end])) end += 1;
  into.textAt = textAt - at;
  into.textEnd = textEnd - at;
  into.length = end - at;
  if (into.box !== 'none') readOwnId(source, textAt, textEnd, parent, into);
  // A box without a text is nothing to do.
  if (into.textEnd <= into.textAt) into.box = 'none';
  return end;
}

/** @returns where the text begins. */
function readBox(bytes: Uint8Array, at: number, from: number, into: Entry): number {
  into.box = 'none';
  if (bytes[from] !== 0x5b) return from;
  const sign = bytes[from + 1] as number;
  const length = sign < 0xc0 ? 1 : sign < 0xe0 ? 2 : sign < 0xf0 ? 3 : 4;
  const end = from + 1 + length;
  if (bytes[end] !== 0x5d || sign === 0x5d || isLineEnd(sign) || !isSpace(bytes[end + 1])) return from;
  into.box = sign === SPACE ? 'open' : sign === 0x78 || sign === 0x58 ? 'done' : 'theirs';
  into.signAt = from + 1 - at;
  into.signLength = length;
  let text = end + 1;
  while (isSpace(bytes[text])) text += 1;
  return text;
}

/** Takes an id at the end of the text out of it, and out of the sums. */
function readOwnId(source: Text, from: number, end: number, parent: Sums | null, into: Entry): void {
  const { bytes } = source;
  if (!mayEndInId(bytes, from, end)) return;
  const tail = bytes.toString('latin1', Math.max(from, end - OWN_ID_BYTES), end);
  const found = OWN_ID.exec(tail);
  const id = found?.[1] ?? found?.[2] ?? found?.[3];
  if (found === null || id === undefined || MADE_ID.test(id)) return;
  below(parent, into);
  into.textEnd += addText(into, source, from, end - found[0].length) - end;
  into.own = id;
}

/** Cheap, since it is asked for every line. */
function mayEndInId(bytes: Uint8Array, from: number, end: number): boolean {
  let at = end - 1;
  if (bytes[at] === 0x7d || bytes[at] === 0x3e) return true;
  while (at > from && isInCaretId(bytes[at] as number)) at -= 1;
  return bytes[at] === 0x5e;
}

const isInCaretId = (byte: number): boolean =>
  (byte >= 0x30 && byte <= 0x39) || byte === 0x2d || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a);
