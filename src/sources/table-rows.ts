import { isUtf8 } from 'node:buffer';
import { PawlError } from '../errors.ts';
import { CR, ended, type Format, LF, newSpot, ROW_MOST, type Spot } from '../formats/table.ts';
import { NEVER_CLOSED } from '../formats/table-csv.ts';
import type { ReadAt } from './table-file.ts';

/** Hears of each row that is not blank: the bytes that hold it until it returns, where in them it begins, where that is in the file, and in which line. */
export type Visit = (bytes: Buffer, from: number, spot: Spot, offset: number, line: number) => void;

export const TOO_LONG = 'a row should have at most 512 KiB';

/** Units: bytes. */
const CHUNK = 64 * 1024;
const CHUNK_MOST = 2 * ROW_MOST;

/**
 * Reads all rows of a table once, a chunk at a time; a row that a chunk ends in is read again with the next.
 *
 * @throws PawlError `E_FORMAT`, with the line, for a sheet that is not UTF-8, and for one whose quotes swallow more than any row is long.
 */
export function eachRow(file: string, format: Format, read: ReadAt, visit: Visit): void {
  const spot = newSpot();
  // Lent to each read: the garbage of a large file would be half of all memory.
  const lent = Buffer.allocUnsafe(CHUNK);
  let { start: offset, line } = format;
  for (let length = CHUNK; ; ) {
    const chunk = read(offset, length, length === CHUNK ? lent : undefined);
    const isLast = chunk.length < length;
    const lines = isLast ? ended(chunk) : wholeLines(chunk, format.isQuoted);
    const end = Math.min(lines.length, chunk.length);
    const first = line;
    let at = 0;
    while (at < end && format.find(lines, at, spot)) {
      spot.next = Math.min(spot.next, end);
      if (!spot.isBlank) visit(lines, at, spot, offset + at, line);
      line += spot.lines;
      at = spot.next;
    }
    // One that is in two encodings would be spoilt by what is written into it.
    if (format.isQuoted && !isUtf8(lines.subarray(0, at))) throw notUtf8(file, lines, first);
    if (isLast) {
      if (at < end) visit(lines, at, Object.assign(spot, { problem: NEVER_CLOSED, next: end }), offset + at, line);
      return;
    }
    offset += at;
    length = at > 0 ? CHUNK : Math.min(2 * length, CHUNK_MOST);
    if (at > 0 || chunk.length < CHUNK_MOST) continue;
    if (format.isQuoted) throw endless(file, line);
    visit(chunk, 0, Object.assign(spot, { problem: TOO_LONG, next: chunk.length }), offset, line);
    offset = lineBehind(read, offset + chunk.length);
    line += 1;
    length = CHUNK;
  }
}

/** Up to the last line end that is all there. */
function wholeLines(chunk: Buffer, isSheet: boolean): Buffer {
  const end = chunk.lastIndexOf(LF) + 1;
  return chunk.subarray(0, end > 0 || !isSheet ? end : chunk.lastIndexOf(CR, -2) + 1);
}

function lineBehind(read: ReadAt, from: number): number {
  for (let offset = from; ; ) {
    const chunk = read(offset, CHUNK);
    const newline = chunk.indexOf(LF);
    if (newline !== -1 || chunk.length < CHUNK) return offset + (newline === -1 ? chunk.length : newline + 1);
    offset += chunk.length;
  }
}

function notUtf8(file: string, bytes: Buffer, first: number): PawlError {
  let line = first;
  for (let at = 0; at < bytes.length; line += 1) {
    const end = bytes.indexOf(LF, at) + 1 || bytes.length;
    if (!isUtf8(bytes.subarray(at, end))) break;
    at = end;
  }
  const why = 'a table should be UTF-8 text, here is a byte that is not: save it as "CSV UTF-8"';
  return new PawlError('E_FORMAT', why, { at: `${file}:${line}` });
}

function endless(file: string, line: number): PawlError {
  const why = 'the row that begins here should end within 1 MiB: is one of its quotes never closed?';
  return new PawlError('E_FORMAT', why, { at: `${file}:${line}` });
}
