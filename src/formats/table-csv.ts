import type { MarkSpec } from '../core/model.ts';
import {
  CR,
  cellMark,
  ended,
  type Format,
  idProblem,
  LF,
  newSpot,
  type Problem,
  QUOTE,
  type Row,
  SPACE,
  type Spot,
  TAB,
  trimmed,
} from './table.ts';
import { printCell, safeText } from './table-cell.ts';

/** What the header says. */
export interface Sheet {
  separator: number;
  names: readonly string[];
  id: number;
  start: number;
  line: number;
}

export const NEVER_CLOSED = 'the quote that opens here is never closed';
const BEHIND_QUOTE = 'behind a closing quote the cell should end';

/**
 * Rows of RFC 4180 as they are found in the wild: any of LF, CRLF and CR ends a row, quotes may hold line ends and doubled quotes, and a
 * quote inside a cell that does not begin with one is text.
 */
export function csvFormat(sheet: Sheet, spec: MarkSpec): Format {
  const { names, id, separator } = sheet;
  const mark = names.indexOf(spec.field);
  const ends = new Int32Array(2 * names.length);
  const find: Format['find'] = (bytes, from, spot) => {
    const count = splitRow(bytes, from, separator, ends, spot);
    if (count === -1) return false;
    setId(bytes, ends[2 * id] as number, ends[2 * id + 1] as number, count > id, spot);
    spot.isBlank = spot.idFrom === spot.idTo && isBlank(bytes, from, spot.next, separator);
    if (spot.problem === null && count !== names.length)
      spot.problem = `this row has ${cells(count)}, the header has ${names.length}`;
    spot.markFrom = ends[2 * mark] as number;
    spot.markTo = ends[2 * mark + 1] as number;
    return true;
  };
  const spot = newSpot();
  return {
    ...{ start: sheet.start, line: sheet.line, isQuoted: true, find },
    markIn: (bytes, from, to) => cellMark(trimmed(cellText(bytes, from, to)), spec),
    read(bytes) {
      if (!find(ended(bytes), 0, spot)) return { problem: NEVER_CLOSED };
      return spot.problem === null ? rowOf(bytes, ends.slice(), sheet, spec) : { problem: spot.problem };
    },
  };
}

const cells = (count: number) => `${count} cell${count === 1 ? '' : 's'}`;

/**
 * Takes one row apart. `ends` gets the first and the last offset of as many cells as it has room for.
 *
 * @param bytes the last of them ends a line.
 * @returns how many cells there are, or -1 when a quote is open at the end.
 */
export function splitRow(bytes: Uint8Array, from: number, separator: number, ends: Int32Array, spot: Spot): number {
  // Most bytes are letters, and above all that matter: one comparison for these.
  const top = Math.max(separator, CR);
  const most = ends.length;
  let at = from;
  spot.lines = 1;
  spot.problem = null;
  for (let place = 0; ; place += 2) {
    const begin = at;
    if (bytes[at] === QUOTE) {
      at = closingQuote(bytes, at + 1, spot) + 1;
      if (at === 0) return -1;
    }
    const closed = at;
    let byte = bytes[at] as number;
    while (byte > top || (byte !== separator && byte !== LF && byte !== CR)) byte = bytes[++at] as number;
    if (closed > begin && at > closed) spot.problem = BEHIND_QUOTE;
    if (place < most) {
      ends[place] = begin;
      ends[place + 1] = at;
    }
    at += 1;
    if (byte === separator) continue;
    spot.next = byte === CR && at < bytes.length && bytes[at] === LF ? at + 1 : at;
    return place / 2 + 1;
  }
}

/** @returns where the quote that is no half of a doubled one is, or -1; adds the line ends before it. The last byte is no quote. */
function closingQuote(bytes: Uint8Array, from: number, spot: Spot): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte > QUOTE) continue;
    if (byte === QUOTE) {
      if (bytes[at + 1] !== QUOTE) return at;
      at += 1;
    } else if (byte === LF || (byte === CR && bytes[at + 1] !== LF)) spot.lines += 1;
  }
  return -1;
}

function setId(bytes: Uint8Array, begin: number, end: number, isThere: boolean, spot: Spot): void {
  let from = isThere ? begin : 0;
  let to = isThere ? end : 0;
  const isQuoted = from < to && bytes[from] === QUOTE;
  if (isQuoted) {
    from += 1;
    to -= 1;
  }
  while (from < to && (bytes[from] as number) <= SPACE && isSpace(bytes[from] as number)) from += 1;
  while (from < to && (bytes[to - 1] as number) <= SPACE && isSpace(bytes[to - 1] as number)) to -= 1;
  spot.idFrom = from;
  spot.idTo = to;
  spot.isIdPlain = true;
  if (isQuoted) for (let at = from; at < to; at += 1) if (bytes[at] === QUOTE) spot.isIdPlain = false;
}

const isSpace = (byte: number) => byte === SPACE || byte === TAB || byte === LF || byte === CR;

/** A line without anything in it, or with separators alone, as spreadsheets leave behind the last row. */
function isBlank(bytes: Uint8Array, from: number, to: number, separator: number): boolean {
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (byte !== separator && !isSpace(byte)) return false;
  }
  return true;
}

/** What a cell says, without its quotes. */
export function cellText(bytes: Buffer, from: number, to: number): string {
  if (bytes[from] !== QUOTE || from === to) return bytes.toString('utf8', from, to);
  return bytes.toString('utf8', from + 1, to - 1).replaceAll('""', '"');
}

function rowOf(bytes: Buffer, ends: Int32Array, sheet: Sheet, spec: MarkSpec): Row | Problem {
  const { names } = sheet;
  const spanOf = (column: number) => [ends[2 * column] as number, ends[2 * column + 1] as number] as const;
  const texts = names.map((_, column) => cellText(bytes, ...spanOf(column)));
  const id = trimmed(texts[sheet.id] ?? '');
  const problem = idProblem(id, names[sheet.id] ?? '');
  if (problem !== null) return { problem };
  const named = names.flatMap((name, column) => (name === '' ? [] : [[name, texts[column] ?? ''] as const]));
  return {
    id,
    mark: cellMark(trimmed(texts[names.indexOf(spec.field)] ?? ''), spec),
    // Of two columns with one name the first is meant.
    fields: Object.fromEntries(named.toReversed()),
    body: named.flatMap(([name, text]) => (text === '' || name === spec.field ? [] : [`${name}: ${text}\n`])).join(''),
    fit: (name, value) => (names.includes(name) ? safeText(value) : undefined),
    set(values) {
      const parts: Uint8Array[] = [];
      let at = 0;
      for (const [column, name] of names.entries()) {
        if (!Object.hasOwn(values, name) || names.indexOf(name) !== column) continue;
        const [from, to] = spanOf(column);
        parts.push(
          bytes.subarray(at, from),
          printCell(safeText(values[name]) ?? '', bytes[from] === QUOTE && to > from, sheet.separator),
        );
        at = to;
      }
      return Buffer.concat([...parts, bytes.subarray(at)]);
    },
  };
}
