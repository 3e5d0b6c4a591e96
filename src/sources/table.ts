import type { Item } from '../core/model.ts';
import type { OpenSource } from './source.ts';
import { changing, formatOf, readAt, statTable, type Table, tableOf } from './table-file.ts';
import { judgeBatch } from './table-filing.ts';
import { hashOfId, isOpen, rowAtLine, rowsWith } from './table-index.ts';
import { listedRow, placeOf, twin, wholeRow } from './table-item.ts';
import { type Found, openViews, type ReadRow, rowReader, rowsOf, TRIES, type View } from './table-view.ts';
import { fileRows } from './table-write.ts';

/** One row of a sheet (CSV, TSV) or line of JSONL per item; the mark is a column or key. The id is what its `id` column holds. */
const openTable: OpenSource = (context) => {
  const table = tableOf(context);
  statTable(table);
  // A header without the columns it needs is told before anything is asked of it.
  formatOf(table, readAt(table));
  const view = openViews(table, context.workspace.cache('table'));

  return {
    pending: (after) => unmarked(table, view, after),
    read: async (id) => steady(table, view, (now, read) => readItem(table, now, read, id)),
    look: async (batch) =>
      steady(table, view, (now, read) => {
        const found = new Map(batch.map(({ item }) => [item, rowsOf(now, read, item)]));
        if ([...found.values()].includes(null)) return undefined;
        return judgeBatch(batch, now.format, table.spec.mark, (id) => found.get(id) ?? []).filed;
      }),
    file: async (batch) => fileRows(table, batch, context.keep),
    async count() {
      const { done, rows } = view().index;
      return { done, total: rows };
    },
    // The file itself: one that is edited in place has other stamps, its folder has not.
    folders: () => [table.path],
  };
};

export default openTable;

/** Looks once more when the file changed between two reads: `work` gives undefined then. @throws PawlError `E_CHANGED`. */
function steady<T>(table: Table, view: () => View, work: (now: View, read: ReadRow) => T | undefined): T {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const now = view();
    const answer = work(now, rowReader(table, now));
    if (answer !== undefined) return answer;
  }
  throw changing(table);
}

/** In the order of the file, from behind `after` round to it. Each row is read here and now. */
async function* unmarked(table: Table, view: () => View, after: string | undefined): AsyncGenerator<Item> {
  let last = after;
  let left = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const now = view();
    const { index } = now;
    const [read, peek] = [rowReader(table, now), rowReader(table, now)];
    let row = last === undefined ? 0 : behind(now, peek, last);
    for (left = Math.min(left, index.rows); left > 0; left -= 1, row += 1) {
      if (row >= index.rows) row = 0;
      if (!isOpen(index, row)) continue;
      const item = itemAt(table, now, read, peek, row);
      if (item === undefined) break;
      if (item === null) continue;
      yield item;
      last = item.id;
    }
    if (left === 0) return;
  }
  throw changing(table);
}

/** @returns null for one that is marked, undefined when the file is no longer the one of the view. */
function itemAt({ spec }: Table, now: View, read: ReadRow, peek: ReadRow, row: number): Item | null | undefined {
  const found = read(row);
  if (found === null) return undefined;
  if ('problem' in found.row) return listedRow(spec.path, found);
  const { id, mark } = found.row;
  if (mark.kind === 'done' || mark.kind === 'theirs') return null;
  if (rowsWith(now.index, hashOfId(id)).length === 1) return listedRow(spec.path, found);
  const rows = rowsOf(now, peek, id);
  if (rows === null) return undefined;
  const other = rows.find(({ offset }) => offset !== found.offset);
  return other === undefined ? listedRow(spec.path, found) : twin(spec.path, found, other);
}

/** The row behind the first with this id; the first of all when there is none. */
function behind({ index }: View, peek: ReadRow, id: string): number {
  const isIt = (found: Found | null) => found !== null && 'id' in found.row && found.row.id === id;
  return 1 + (rowsWith(index, hashOfId(id)).find((row) => isIt(peek(row))) ?? -1);
}

/** @returns undefined when the file is no longer the one of the view. */
function readItem({ spec }: Table, now: View, read: ReadRow, id: string): Item | null | undefined {
  const rows = rowsOf(now, read, id);
  if (rows === null) return undefined;
  const [found, other] = rows;
  if (found !== undefined) return other === undefined ? wholeRow(spec.path, found) : twin(spec.path, found, other);
  const line = Number(/:(\d+)$/.exec(id)?.[1] ?? 0);
  const row = id === placeOf(spec.path, line) ? rowAtLine(now.index, line) : null;
  const nameless = row === null ? null : read(row);
  return nameless !== null && 'problem' in nameless.row ? wholeRow(spec.path, nameless) : null;
}
