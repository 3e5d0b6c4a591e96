import type { MarkSpec } from '../core/model.ts';
import { type Mark, markOf } from './mark.ts';

/** Units: bytes. A longer row is not worked on, and none is written. */
export const ROW_MOST = 512 * 1024;

export const TAB = 0x09;
export const LF = 0x0a;
export const CR = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;

/**
 * Where the parts of one row lie, as offsets in the bytes it was found in.
 *
 * One object, filled again for each row: a million of them would cost more than the reading.
 */
export interface Spot {
  /** Where the next row begins. */
  next: number;
  /** Line ends in it, its own included. */
  lines: number;
  isBlank: boolean;
  /** Why it can't be a row, or null. */
  problem: string | null;
  /** The id as it is written, without quotes and blanks around it. Empty = there is none. */
  idFrom: number;
  idTo: number;
  /** Whether these bytes are the id itself: nothing in them stands for something else. */
  isIdPlain: boolean;
  /** The mark as it is written, with its quotes. */
  markFrom: number;
  markTo: number;
}

export const newSpot = (): Spot => ({
  ...{ next: 0, lines: 0, isBlank: false, problem: null },
  ...{ idFrom: 0, idTo: 0, isIdPlain: true, markFrom: 0, markTo: 0 },
});

/** One row, read whole. */
export interface Row {
  id: string;
  mark: Mark;
  /** By column or key, as written: text in a sheet, any JSON in JSONL. */
  fields: Record<string, unknown>;
  body: string;
  /** What a value reads as once it is in this table; undefined when it may not be written there. */
  fit(name: string, value: unknown): unknown;
  /** The row with these values, each one that fits; every other byte stays. */
  set(values: Record<string, unknown>): Buffer;
}

export interface Problem {
  problem: string;
}

/** How the rows of one file are written. Rows begin at byte `start`, which is in line `line`. */
export interface Format {
  start: number;
  line: number;
  /** Whether a quote that is not closed can hide the rows behind it, and line ends can be in a row. */
  isQuoted: boolean;
  /**
   * Finds the row that begins at `from`. The last byte has to end a line: loops that need not look for the end take half the time.
   *
   * @returns false when a quote is open at the end.
   */
  find(bytes: Uint8Array, from: number, spot: Spot): boolean;
  /** What a mark says as it is written there. */
  markIn(bytes: Buffer, from: number, to: number): Mark;
  /** Reads one row, with or without its line end. */
  read(bytes: Buffer): Row | Problem;
}

/** With a line end behind the last row, where it has none. */
export const ended = (bytes: Buffer): Buffer =>
  bytes[bytes.length - 1] === LF ? bytes : Buffer.concat([bytes, Buffer.of(LF)]);

/** The mark of a cell, by the rules of front matter; `line` is for the caller to know. */
export const cellMark = (text: string, spec: MarkSpec): Mark => markOf({ text, line: () => 1 }, spec);

/** @returns why this can't be the id of an item, or null. */
export function idProblem(id: string, name: string): string | null {
  if (id === '') return `${name} should name the item, it is empty`;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(id)) return `${name} should be one line of plain text`;
  return id.length > 512 ? `${name} should have at most 512 characters, it has ${id.length}` : null;
}

/** Without the blanks around it: ASCII ones, which are the same in bytes. */
export const trimmed = (text: string): string => text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');

/** @returns the encoding of a file that is no UTF-8, as its first bytes tell, or null. */
export function otherEncoding(head: Uint8Array): string | null {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16';
  const zero = head.subarray(0, 1024).indexOf(0);
  if (zero === -1) return null;
  return zero < 2 ? 'UTF-16' : 'binary';
}

export const afterMark = (head: Uint8Array): number =>
  head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
