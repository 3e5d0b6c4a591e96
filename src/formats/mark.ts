import type { MarkSpec } from '../core/model.ts';
import { PawlError } from '../errors.ts';
import {
  commentAt,
  type Entry,
  type HeadMatter,
  isEmpty,
  quotedEnd,
  type Refusal,
  readHeadMatter,
  trimmedStart,
  unquoted,
} from './head-matter.ts';
import { printLike, printValue } from './scalar.ts';

/** The value of one key as it is written. Offsets in bytes: no blanks, no comment; behind the colon when it is empty. */
interface Value {
  from: number;
  to: number;
  /** `block`: anything that takes more than its own line, or has an anchor, alias or tag. */
  style: 'empty' | 'plain' | 'quoted' | 'flow' | 'block';
}

export interface Field {
  /** A scalar without its quotes, a flow list as it is written; null for a value of several lines. */
  text: string | null;
  line: number;
}

/** What an item's mark says. `theirs`: a person's own word, such as `doing`: not done, and not to be taken. */
export type Mark = { kind: 'todo' } | { kind: 'done'; text: string } | { kind: 'theirs'; text: string } | Refusal;

/** @returns what a top-level key holds, or null when it is not there. `matter` was read from the same `bytes`. */
export function readField(bytes: Uint8Array, matter: HeadMatter, key: string): Field | null {
  const entry = entryIn(matter, key);
  if (entry === undefined) return null;
  const { from, to, style } = valueAt(bytes, entry);
  if (style === 'block') return { text: null, line: entry.line };
  const written = textOf(bytes, from, to);
  return { text: style === 'quoted' ? unquoted(written) : written, line: entry.line };
}

/** Reads the mark from the front matter (A17, A19). */
export function readMark(bytes: Uint8Array, matter: HeadMatter, spec: MarkSpec): Mark {
  if (matter.kind === 'refused') return matter;
  const field = readField(bytes, matter, spec.field);
  if (field === null || (field.text !== null && isNothing(field.text))) return { kind: 'todo' };
  return spec.value === null ? dateMark(spec.field, field) : wordMark(spec.field, spec.value, spec.todo, field);
}

const isNothing = (text: string) => /^(?:|~|null)$/i.test(text);

function dateMark(key: string, { text, line }: Field): Mark {
  if (text !== null && isDate(text)) return { kind: 'done', text };
  if (text !== null && /^(?:no|false)$/i.test(text)) return { kind: 'todo' };
  const got = text === null ? 'a value of several lines' : JSON.stringify(text);
  return { kind: 'refused', line, why: `${key} should be a date such as 2026-06-09, got ${got}` };
}

function wordMark(key: string, done: string, todo: readonly string[], { text, line }: Field): Mark {
  if (text === null) return { kind: 'refused', line, why: `${key} should be one word, got a value of several lines` };
  if (text === done) return { kind: 'done', text };
  return todo.includes(text) ? { kind: 'todo' } : { kind: 'theirs', text };
}

function isDate(text: string): boolean {
  const day = /^(\d{4}-\d\d-\d\d)(?:[Tt ]\s*\d.*)?$/.exec(text)?.[1];
  if (day === undefined) return false;
  const time = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
}

/** Can `setFields` change this key? A value of several lines it can't. */
export function isSettable(bytes: Uint8Array, matter: HeadMatter, key: string): boolean {
  const entry = entryIn(matter, key);
  return entry === undefined || valueAt(bytes, entry).style !== 'block';
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

  const edits: { from: number; to: number; text: string }[] = [];
  const missing: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    const entry = entryIn(matter, key);
    if (entry === undefined) missing[key] = value;
    else edits.push(edit(bytes, entry, value, file));
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

function entryIn(matter: HeadMatter, key: string): Entry | undefined {
  return matter.kind === 'matter' ? matter.entries.find((entry) => entry.key === key) : undefined;
}

function valueAt(bytes: Uint8Array, entry: Entry): Value {
  const line = Buffer.from(bytes.buffer, bytes.byteOffset + entry.colon, entry.to - entry.colon).toString('latin1');
  const { from, to, style } = valueIn(line);
  return { from: from + entry.colon, to: to + entry.colon, style: entry.tall ? 'block' : style };
}

function valueIn(line: string): Value {
  if (isEmpty(line, 0, line.length)) return { from: 0, to: 0, style: 'empty' };
  const from = trimmedStart(line, 0, line.length);
  const to = from + commentAt(line.slice(from), 0, line.length - from);
  const first = line[from] as string;
  if (first === '"' || first === "'") return quotedIn(line, from);
  if (first === '[') return { from, to, style: isFlowList(line.slice(from, to)) ? 'flow' : 'block' };
  return { from, to, style: '|>&*!%@`{'.includes(first) ? 'block' : 'plain' };
}

function quotedIn(line: string, from: number): Value {
  const to = quotedEnd(line, from, line.length);
  const isWhole = to !== -1 && isEmpty(line, to, line.length);
  return isWhole ? { from, to, style: 'quoted' } : { from, to: line.length, style: 'block' };
}

/** Lists whose quotes or comments might hide where they end are left alone. */
const isFlowList = (text: string) => /^\[[^[\]{}"'#]*\]$/.test(text) || isJsonList(text);

function isJsonList(text: string): boolean {
  try {
    return Array.isArray(JSON.parse(text));
  } catch {
    return false;
  }
}

function edit(bytes: Uint8Array, entry: Entry, value: unknown, file: string) {
  const { from, to, style } = valueAt(bytes, entry);
  if (style === 'block')
    throw new PawlError('E_FORMAT', `${entry.key} should have its value on its own line`, {
      at: `${file}:${entry.line}`,
    });
  if (style === 'empty') return { from, to, text: ` ${printValue(value)}` };
  const before = textOf(bytes, from, to);
  const isQuotedText = style === 'quoted' && typeof value === 'string' && unquoted(before) !== '';
  return { from, to, text: isQuotedText ? printLike(before, value) : printValue(value) };
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

function apply(bytes: Uint8Array, edits: { from: number; to: number; text: string }[]): Buffer {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, text } of edits.toSorted((left, right) => left.from - right.from)) {
    parts.push(bytes.subarray(at, from), Buffer.from(text));
    at = to;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}

const textOf = (bytes: Uint8Array, from: number, to: number) =>
  Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('utf8');
