import { isDeepStrictEqual } from 'node:util';
import type { MarkSpec } from '../core/model.ts';
import { readHeadMatter } from '../formats/head-matter.ts';
import { isSettable, readMark, setFields, withoutField } from '../formats/mark.ts';
import { sha256 } from '../store/workspace.ts';
import { same } from '../store/write.ts';
import type { Filed, Filing } from './source.ts';

/** What is to be done with an item's file as it is now. `bytes`: what it becomes, null = nothing is written. */
export interface Verdict {
  as: Filed['as'];
  kept: string[];
  bytes: Buffer | null;
}

/** Reads the values of front matter. @throws PawlError `E_FORMAT`. */
export type Values = (bytes: Uint8Array) => Record<string, unknown>;

const nothing = (as: Filed['as'], kept: string[] = []): Verdict => ({ as, kept, bytes: null });

/**
 * The rules of filing on one file: the mark first, then the base check, then fields and mark as one new text.
 *
 * @param current the file's bytes, null = gone.
 * @throws PawlError `E_FORMAT` when the front matter, there or in the new text, can't be read.
 */
export function judge(current: Buffer | null, filing: Filing, spec: MarkSpec, values: Values): Verdict {
  if (current === null) return nothing('gone');
  const mark = readMark(readHeadMatter(current), spec);
  if (mark.kind === 'refused') return nothing('superseded');
  if (mark.kind === 'theirs') return nothing('theirs');
  const value = spec.value ?? filing.day;
  const set = (bytes: Buffer, fields: object) => setFields(bytes, { ...fields, [spec.field]: value }, filing.item);
  const unmarked = (bytes: Uint8Array) => withoutField(bytes, spec.field);

  if (filing.ownBytes !== null) {
    const own = ownText(Buffer.from(filing.ownBytes), filing, spec, set);
    const isOurs = same(unmarked(current), unmarked(own.bytes));
    if (mark.kind !== 'todo') return nothing(isOurs ? 'already' : 'theirs', isOurs ? own.kept : []);
    if (sha256(current) === filing.base.files[filing.item]) return { as: 'marked', ...own };
    return isOurs ? { as: 'marked', kept: own.kept, bytes: set(current, {}) } : nothing('superseded');
  }
  const { fill, kept } = compare(current, filing, spec, values);
  if (mark.kind === 'todo') return { as: 'marked', kept, bytes: set(current, fill) };
  // Our own filing left a person's values as they were, so beside our own mark they don't say that it was a person who marked.
  const isOurs = Object.keys(fill).length === 0 && (kept.length === 0 || mark.text === value);
  return isOurs ? nothing('already', kept) : nothing('theirs');
}

/** The run's new text with its fields and our mark: what it did to the mark itself doesn't count. */
function ownText(written: Buffer, filing: Filing, spec: MarkSpec, set: (bytes: Buffer, fields: object) => Buffer) {
  const isMarkable = isSettable(readHeadMatter(written), spec.field);
  const bytes = isMarkable ? written : withoutField(written, spec.field);
  const matter = readHeadMatter(bytes);
  const names = namesOf(filing, spec);
  const kept = names.filter((name) => !isSettable(matter, name));
  return {
    kept,
    bytes: set(
      bytes,
      pick(
        filing.fields,
        names.filter((name) => !kept.includes(name)),
      ),
    ),
  };
}

/** A field is filled while it holds what the run saw. One that holds ours is there; anything else is a person's, and stays. */
function compare(current: Buffer, { base, ...filing }: Filing, spec: MarkSpec, values: Values) {
  const names = namesOf(filing, spec);
  const now = names.length === 0 ? {} : values(current);
  const matter = readHeadMatter(current);
  const open = names.filter((name) => !isEqual(now[name], filing.fields[name]));
  const kept = open.filter((name) => !isEqual(now[name], base.fields[name]) || !isSettable(matter, name));
  return {
    kept,
    fill: pick(
      filing.fields,
      open.filter((name) => !kept.includes(name)),
    ),
  };
}

const namesOf = ({ fields }: Pick<Filing, 'fields'>, spec: MarkSpec) =>
  Object.keys(fields).filter((name) => name !== spec.field);

/** An empty value and a missing one are the same to a person. */
export const isEqual = (left: unknown, right: unknown) => isDeepStrictEqual(left ?? null, right ?? null);

const pick = (fields: Record<string, unknown>, names: string[]) =>
  Object.fromEntries(names.map((name) => [name, fields[name]]));
