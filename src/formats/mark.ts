import type { MarkSpec } from '../core/model.ts';
import { PawlError } from '../errors.ts';
import {
  decoded,
  type Entry,
  findEntry,
  type HeadMatter,
  lineOf,
  type Refusal,
  readHeadMatter,
} from './head-matter.ts';
import { printLike, printValue } from './scalar.ts';

interface Edit {
  from: number;
  to: number;
  text: string;
}

export interface Field {
  /** A scalar without its quotes, a flow list as it is written; null for anything else: several lines, a map, the key twice. */
  text: string | null;
  /** Counted from 1, in the whole file. */
  line(): number;
}

/** What an item's mark says. `theirs`: a person's own word, such as `doing`: not done, and not to be taken. */
export type Mark = { kind: 'todo' } | { kind: 'done'; text: string } | { kind: 'theirs'; text: string } | Refusal;

/** @returns what a top-level key holds, or null when it is not there. */
export function readField(matter: HeadMatter, key: string): Field | null {
  const entry = entryIn(matter, key);
  if (entry === null || matter.kind !== 'matter') return null;
  const line = () => lineOf(matter.text, entry.at);
  if (!isOneLine(entry)) return { text: null, line };
  const written = writtenIn(matter.text, entry);
  return { text: entry.style === 'quoted' ? unquoted(written) : written, line };
}

/** Reads the mark from the front matter (A17, A19). */
export function readMark(matter: HeadMatter, spec: MarkSpec): Mark {
  if (matter.kind === 'refused') return matter;
  return markOf(readField(matter, spec.field), spec);
}

/** Reads the mark from a value that was found, in whatever kind of file. */
export function markOf(field: Field | null, spec: MarkSpec): Mark {
  if (field === null || (field.text !== null && isNothing(field.text))) return { kind: 'todo' };
  return spec.value === null ? dateMark(spec.field, field) : wordMark(spec.field, spec.value, spec.todo, field);
}

const isNothing = (text: string) => /^(?:|~|null)$/i.test(text);

function dateMark(key: string, { text, line }: Field): Mark {
  if (text !== null && isDate(text)) return { kind: 'done', text };
  if (text !== null && /^(?:no|false)$/i.test(text)) return { kind: 'todo' };
  const got = text === null ? 'no single value' : JSON.stringify(text);
  return { kind: 'refused', line: line(), why: `${key} should be a date such as 2026-06-09, got ${got}` };
}

function wordMark(key: string, done: string, todo: readonly string[], { text, line }: Field): Mark {
  if (text === null) return { kind: 'refused', line: line(), why: `${key} should be one word, got no single value` };
  if (text === done) return { kind: 'done', text };
  return todo.includes(text) ? { kind: 'todo' } : { kind: 'theirs', text };
}

function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d(?:[Tt ] *\d.*)?$/.test(text)) return false;
  const month = Number(text.slice(5, 7));
  const day = Number(text.slice(8, 10));
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= 28 || day <= new Date(Date.UTC(Number(text.slice(0, 4)), month, 0)).getUTCDate();
}

/** Can `setFields` change this key? One whose value takes several lines, or that is there twice, it can't. */
export function isSettable(matter: HeadMatter, key: string): boolean {
  const entry = entryIn(matter, key);
  return entry === null || isOneLine(entry);
}

/**
 * Sets top-level keys of the front matter; every byte but their values stays.
 *
 * Shape: a key that is there keeps its place, its spacing, its quotes and the comment behind it; a missing one becomes a line before the
 * closing `---`; without front matter a new one is put at the top. New lines end as the file's own do.
 * @throws PawlError `E_FORMAT` for front matter that can't be read, or a value of several lines.
 */
export function setFields(bytes: Uint8Array, fields: Record<string, unknown>, file = 'item'): Buffer {
  const matter = readHeadMatter(bytes);
  if (matter.kind === 'none') return withNewMatter(bytes, matter.start, fields);
  if (matter.kind === 'refused') throw new PawlError('E_FORMAT', matter.why, { at: `${file}:${matter.line}` });
  if (matter.kind === 'open') throw new Error('this is only the beginning of a file');

  const edits: Edit[] = [];
  const missing: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    const entry = entryIn(matter, key);
    if (entry === null) missing[key] = value;
    else edits.push(edit(matter.text, entry, value, file));
  }
  const added = linesFor(missing, lineEnd(bytes, matter.close));
  edits.push({ from: matter.close, to: matter.close, text: added });
  return apply(bytes, edits);
}

/** The bytes as they were without the line of this key. Front matter that holds nothing else counts as none. */
export function withoutField(bytes: Uint8Array, key: string): Buffer {
  const matter = readHeadMatter(bytes);
  if (matter.kind !== 'matter') return Buffer.from(bytes);
  const entry = entryIn(matter, key);
  const { at, end } = entry ?? { at: matter.from, end: matter.from };
  const isAll = at === matter.from && end === matter.close;
  return apply(bytes, [{ from: isAll ? matter.start : at, to: isAll ? matter.body : end, text: '' }]);
}

const entryIn = (matter: HeadMatter, key: string) => (matter.kind === 'matter' ? findEntry(matter, key) : null);
const isOneLine = ({ style }: Entry) => style !== 'block' && style !== 'twice';

function edit(text: string, entry: Entry, value: unknown, file: string): Edit {
  const { from, to, style } = entry;
  if (!isOneLine(entry))
    throw new PawlError('E_FORMAT', `${entry.key} should be there once, with its value on its own line`, {
      at: `${file}:${lineOf(text, entry.at)}`,
    });
  if (style === 'empty') return { from, to, text: ` ${printValue(value)}` };
  const before = writtenIn(text, entry);
  // Empty quotes say nothing about how a person wants a text to be written.
  const isAlike = style === 'quoted' && typeof value === 'string' && (value === '') === (unquoted(before) === '');
  return { from, to, text: isAlike ? printLike(before, value) : printValue(value) };
}

/** What a quoted scalar stands for; its inside as it is when it uses escapes that only YAML has. */
function unquoted(written: string): string {
  if (written.startsWith("'")) return written.slice(1, -1).replaceAll("''", "'");
  try {
    return JSON.parse(written) as string;
  } catch {
    return written.slice(1, -1);
  }
}

function withNewMatter(bytes: Uint8Array, start: number, fields: Record<string, unknown>): Buffer {
  const newline = lineEnd(bytes, bytes.indexOf(0x0a) + 1);
  const text = `---${newline}${linesFor(fields, newline)}---${newline}`;
  return apply(bytes, [{ from: start, to: start, text }]);
}

const linesFor = (fields: Record<string, unknown>, newline: string) =>
  Object.entries(fields)
    .map(([key, value]) => `${printValue(key, true)}: ${printValue(value)}${newline}`)
    .join('');

/** How the line before `at` ends; LF when there is none. */
const lineEnd = (bytes: Uint8Array, at: number) => (at >= 2 && bytes[at - 2] === 0x0d ? '\r\n' : '\n');

function apply(bytes: Uint8Array, edits: Edit[]): Buffer {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, text } of edits.toSorted((left, right) => left.from - right.from)) {
    parts.push(bytes.subarray(at, from), Buffer.from(text));
    at = to;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}

const writtenIn = (latin1: string, { from, to }: Entry) => decoded(latin1.slice(from, to));
