import { ended, type Format, newSpot, type Problem, ROW_MOST, type Row } from '../formats/table.ts';
import type { Stat } from '../store/disk.ts';
import { fileSystemTime, isSettled } from '../store/names.ts';
import { changing, formatOf, isSame, readAt, statTable, type Table } from './table-file.ts';
import { buildIndex, hashOfId, rowsWith, type TableIndex } from './table-index.ts';
import { TOO_LONG } from './table-rows.ts';

/** A table as it was when its stamps were `stat`. */
export interface View {
  stat: Stat;
  format: Format;
  index: TableIndex;
  /** Any later change gives the file other stamps. */
  isSettled: boolean;
}

/** A row as it is now. */
export interface Found {
  row: Row | Problem;
  bytes: Buffer;
  offset: number;
  line: number;
}

/** @returns null when the file is no longer the one of the view. */
export type ReadRow = (row: number) => Found | null;

export const TRIES = 3;
const READ_BYTES = 16 * 1024;

/**
 * Reads the whole table, or takes the last view of it while the file has the same stamps.
 *
 * It is believed by git's rule alone: stamps 2 s older than the reading.
 * @param clock a file name to ask for the file system's time with.
 */
export function openViews(table: Table, clock: string): () => View {
  let last: View | null = null;
  return () => {
    if (last?.isSettled && isSame(last.stat, statTable(table))) return last;
    for (let attempt = 1; attempt <= TRIES; attempt += 1) {
      const since = fileSystemTime(table.disk, clock);
      const stat = statTable(table);
      const read = readAt(table);
      const format = formatOf(table, read);
      const index = buildIndex(table.spec.path, format, read, Number(stat.size));
      if (!isSame(stat, table.disk.stat(table.path))) continue;
      last = { stat, format, index, isSettled: since !== null && isSettled(stat, since) };
      return last;
    }
    throw changing(table);
  };
}

/** Reads single rows, those that follow one another with few reads. */
export function rowReader(table: Table, { stat, format, index }: View): ReadRow {
  const spot = newSpot();
  const readTable = readAt(table);
  let from = 0;
  let held: Buffer = Buffer.alloc(0);
  return (row) => {
    const offset = index.offsets[row] as number;
    const end = row + 1 < index.rows ? (index.offsets[row + 1] as number) : Number(stat.size);
    const most = Math.min(end - offset, ROW_MOST + 1);
    if (offset < from || offset + most > from + held.length) {
      from = offset;
      held = readTable(offset, Math.max(most, READ_BYTES));
      if (!isSame(stat, table.disk.stat(table.path))) return null;
    }
    // Blank lines may follow.
    const around = held.subarray(offset - from, offset - from + most);
    const bytes = format.find(ended(around), 0, spot) ? around.subarray(0, spot.next) : around;
    const read = bytes.length > ROW_MOST ? { problem: TOO_LONG } : format.read(bytes);
    // Within the grain of the stamps it may have become another row: then nothing is where the index says.
    const isOther = 'id' in read && hashOfId(read.id) !== index.hashes[row];
    return isOther ? null : { row: read, bytes, offset, line: index.lines[row] as number };
  };
}

/** Rows that have this id, at most two: more make no difference. @returns null when the file is no longer the one of the view. */
export function rowsOf({ index }: View, read: ReadRow, id: string): Found[] | null {
  const found: Found[] = [];
  for (const row of rowsWith(index, hashOfId(id))) {
    const each = read(row);
    if (each === null) return null;
    if ('id' in each.row && each.row.id === id && found.push(each) === 2) break;
  }
  return found;
}
