import { isDeepStrictEqual } from 'node:util';
import type { MarkSpec } from '../core/model.ts';
import { type Format, ROW_MOST, type Row } from '../formats/table.ts';
import type { Verdict } from './filing.ts';
import type { Filed, Filing } from './source.ts';
import type { Found } from './table-view.ts';

/** The bytes of one row as they are to become. Offsets in the file. */
export interface RowEdit {
  from: number;
  to: number;
  bytes: Buffer;
}

/**
 * Judges a whole batch, in its order: a row that is there twice in it is judged the second time as the first left it.
 *
 * @param find the rows with an id, two when there are more.
 * @returns edits in the order of the file.
 */
export function judgeBatch(
  batch: readonly Filing[],
  format: Format,
  spec: MarkSpec,
  find: (id: string) => readonly Found[],
): { filed: Filed[]; edits: RowEdit[] } {
  const edits = new Map<number, RowEdit>();
  const filed = batch.map((filing) => {
    const { as, kept, bytes } = judgeOne(filing);
    return { item: filing.item, run: filing.run, as, kept, bytes };
  });
  return {
    filed: filed.map(({ bytes: _, ...told }) => told),
    edits: [...edits.values()].toSorted((left, right) => left.from - right.from),
  };

  function judgeOne(filing: Filing): Verdict {
    const [found, other] = find(filing.item);
    if (found === undefined) return nothing('gone');
    const edit = edits.get(found.offset);
    const row = edit === undefined ? found.row : format.read(edit.bytes);
    // Nobody can say which of two rows is meant, or what one that can't be read says.
    if (other !== undefined || 'problem' in row) return nothing('superseded');
    const verdict = judgeRow(row, filing, spec);
    const { offset, bytes } = found;
    if (verdict.bytes !== null) edits.set(offset, { from: offset, to: offset + bytes.length, bytes: verdict.bytes });
    return verdict;
  }
}

const nothing = (as: Filed['as'], kept: string[] = []): Verdict => ({ as, kept, bytes: null });

/** The rules of filing on one row: the mark first, then fields and mark as one new row. */
function judgeRow(row: Row, filing: Filing, spec: MarkSpec): Verdict {
  const { mark } = row;
  if (mark.kind === 'refused') return nothing('superseded');
  if (mark.kind === 'theirs') return nothing('theirs');
  const value = spec.value ?? filing.day;
  const { fill, kept } = compare(row, filing, spec);
  if (mark.kind === 'done') {
    // Our own filing left a person's values as they were, so beside our own mark they don't say that it was a person who marked.
    const isOurs = Object.keys(fill).length === 0 && (kept.length === 0 || mark.text === value);
    return isOurs ? nothing('already', kept) : nothing('theirs');
  }
  const bytes = row.set({ ...fill, [spec.field]: value });
  if (bytes.length <= ROW_MOST) return { as: 'marked', kept, bytes };
  return { as: 'marked', kept: [...kept, ...Object.keys(fill)], bytes: row.set({ [spec.field]: value }) };
}

/** A field is filled while it holds what the run saw. One that holds ours is there; a person's stays, and so does one that ours does not fit in. */
function compare(row: Row, { base, fields }: Filing, spec: MarkSpec) {
  const kept: string[] = [];
  const fill: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === spec.field) continue;
    const ours = row.fit(name, value);
    const now = Object.hasOwn(row.fields, name) ? row.fields[name] : null;
    if (ours !== undefined && isEqual(now, ours)) continue;
    const seen = Object.hasOwn(base.fields, name) ? base.fields[name] : null;
    if (ours === undefined || !isEqual(now, seen)) kept.push(name);
    else fill[name] = ours;
  }
  return { kept, fill };
}

/** An empty value and a missing one are the same to a person. */
const isEqual = (left: unknown, right: unknown) => isDeepStrictEqual(bare(left), bare(right));
const bare = (value: unknown) => (value === '' || value === undefined ? null : value);
