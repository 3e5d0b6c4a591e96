import { readHeadMatter } from '../formats/head-matter.ts';
import { isSettable, setFields } from '../formats/mark.ts';
import { sha256 } from '../store/workspace.ts';
import { same } from '../store/write.ts';
import { isEqual, type Values } from './filing.ts';
import type { Names } from './move-route.ts';
import type { Filed, Filing } from './source.ts';

/**
 * What is to be done with an item.
 *
 * `step`: `link` gives its file the new name as it is; `make` makes `bytes` under the new name; after both, and for `finish`, the old name
 * is taken away, as long as it still holds `expected` (null = the very file that has the new name).
 */
export type MoveVerdict = Pick<Filed, 'as' | 'kept'> &
  (
    | { step: 'none' | 'link' }
    | { step: 'make'; bytes: Buffer; expected: Buffer }
    | { step: 'finish'; expected: Buffer | null }
  );

/** Nothing is moved. */
export const nothing = (as: Filed['as'], kept: string[] = []): MoveVerdict => ({ as, kept, step: 'none' });

/**
 * The rules of filing on an item that is marked by where it lies.
 *
 * @param read the bytes under one of its names; asked only where they matter.
 * @throws PawlError `E_FORMAT` when front matter that has to be read or set, there or in the run's text, can't be.
 */
export function judgeMove(names: Names, read: (path: string) => Buffer, filing: Filing, values: Values): MoveVerdict {
  if (names.blocked !== null) return nothing(names.open === null ? 'gone' : 'superseded');
  if (names.isOne) return finished(judgeDone(read(names.to), filing, values));
  if (names.open === null) return names.done === null ? nothing('gone') : judgeDone(read(names.to), filing, values);
  if (names.done !== null) return judgeBoth(read(names.from), read(names.to), filing, values);
  if (isPlain(filing)) return { as: 'marked', kept: [], step: 'link' };
  const current = read(names.from);
  const made = newText(current, filing, values);
  if (made === null) return nothing('superseded');
  const { kept, bytes } = made;
  if (same(bytes, current)) return { as: 'marked', kept, step: 'link' };
  return { as: 'marked', kept, step: 'make', bytes, expected: current };
}

const isPlain = ({ ownBytes, fields }: Filing) => ownBytes === null && Object.keys(fields).length === 0;

/** Of a file that has both names the old one is still to be taken away. */
const finished = (verdict: MoveVerdict): MoveVerdict =>
  verdict.as === 'already' ? { as: 'marked', kept: verdict.kept, step: 'finish', expected: null } : verdict;

/** An item that has its new name: by us, or by a person, who may have written something else. */
function judgeDone(current: Buffer, filing: Filing, values: Values): MoveVerdict {
  if (isPlain(filing)) return nothing('already');
  if (filing.ownBytes !== null) {
    const { kept, bytes } = ownText(Buffer.from(filing.ownBytes), filing);
    return same(current, bytes) ? nothing('already', kept) : nothing('theirs');
  }
  const { fill, kept } = compare(current, filing, values);
  // Where not one of the fields is ours, nothing says that it was us who moved it.
  const isOurs = Object.keys(fill).length === 0 && kept.length < Object.keys(filing.fields).length;
  return isOurs ? nothing('already', kept) : nothing('theirs');
}

/** An item with a file under each name: ours, interrupted, when what would be made of the old one now is what the new one holds. */
function judgeBoth(open: Buffer, done: Buffer, filing: Filing, values: Values): MoveVerdict {
  const made = newText(open, filing, values);
  const isOurs = made !== null && same(made.bytes, done);
  return isOurs ? { as: 'marked', kept: made.kept, step: 'finish', expected: open } : nothing('superseded');
}

/** @returns the text an item gets with its new name, or null when it is neither what the run started from nor what it made. */
function newText(current: Buffer, filing: Filing, values: Values): { kept: string[]; bytes: Buffer } | null {
  if (filing.ownBytes === null) {
    const { fill, kept } = compare(current, filing, values);
    return { kept, bytes: withFields(current, fill, filing.item) };
  }
  const made = ownText(Buffer.from(filing.ownBytes), filing);
  return sha256(current) === filing.base.files[filing.item] || same(current, made.bytes) ? made : null;
}

function ownText(written: Buffer, { fields, item }: Filing) {
  const kept = unsettable(written, Object.keys(fields));
  return { kept, bytes: withFields(written, without(fields, kept), item) };
}

/** A field is filled while it holds what the run saw. One that holds ours is there; anything else is a person's, and stays. */
function compare(current: Buffer, { fields, base }: Filing, values: Values) {
  const now = Object.keys(fields).length === 0 ? {} : values(current);
  const open = Object.keys(fields).filter((name) => !isEqual(now[name], fields[name]));
  const closed = unsettable(current, open);
  const kept = open.filter((name) => !isEqual(now[name], base.fields[name]) || closed.includes(name));
  const there = Object.keys(fields).filter((name) => !open.includes(name));
  return { kept, fill: without(fields, [...kept, ...there]) };
}

function unsettable(bytes: Buffer, names: string[]): string[] {
  if (names.length === 0) return [];
  const matter = readHeadMatter(bytes);
  return names.filter((name) => !isSettable(matter, name));
}

const withFields = (bytes: Buffer, fields: Record<string, unknown>, item: string) =>
  Object.keys(fields).length === 0 ? bytes : setFields(bytes, fields, item);

const without = (fields: Record<string, unknown>, names: string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
