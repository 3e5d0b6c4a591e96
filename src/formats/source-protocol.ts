import { cut, oneLine } from '../core/text.ts';

/** What a source program is asked, besides `v` and `op`. */
export type Request =
  | { op: 'list'; after: string | null; want: number }
  | { op: 'read'; ids: string[] }
  | { op: 'look' | 'file'; items: FilingLine[] }
  | { op: 'count' };

export interface FilingLine {
  id: string;
  /** `0042`. */
  run: string;
  /** Values of the fields that the run saw. */
  base: Record<string, unknown>;
  fields: Record<string, unknown>;
  mark: string;
}

/** One line of a source program's stdout. */
export type Answer =
  | ItemLine
  | { type: 'gone'; id: string }
  | { type: 'filed'; id: string; as: (typeof AS)[number]; kept: string[] }
  | { type: 'count'; done: number; total: number | null }
  | { type: 'end'; complete: boolean };

export interface ItemLine {
  type: 'item';
  id: string;
  /** One line. */
  title: string;
  body: string;
  fields: Record<string, unknown>;
  /** null = not done. */
  mark: string | null;
  /** Why the program says it can't be worked on, or null. */
  refused: string | null;
}

/** A line that breaks the protocol. */
export class BadLine extends Error {}

type Line = Readonly<Record<string, unknown>>;

const AS = ['marked', 'already', 'theirs', 'superseded', 'gone'] as const;
const LONGEST_ID = 512;
const LONGEST_TITLE = 300;
const DEEPEST = 32;
const SHOWN = 80;
/** Controls and the other line ends, as an id is kept in files that are read by line; and halves of characters. */
const NO_ID = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]/u;

/** One line of JSON. */
export const printRequest = (request: Request, root: string): string =>
  `${JSON.stringify({ v: 1, root, ...request })}\n`;

/** Reads one line of stdout; NUL is taken out of every text but ids, where it is refused. @throws BadLine. */
export function readAnswer(text: string): Answer {
  const line = parse(text);
  switch (line.type) {
    case 'item':
      return item(line);
    case 'gone':
      return { type: 'gone', id: id(line) };
    case 'filed':
      return filed(line);
    case 'count':
      return { type: 'count', done: count(line, 'done'), total: isNone(line.total) ? null : count(line, 'total') };
    case 'end':
      if (typeof line.complete !== 'boolean') throw wrong('complete', 'true or false', line.complete);
      return { type: 'end', complete: line.complete };
    default:
      throw wrong('type', 'item, gone, filed, count or end', line.type);
  }
}

function item(line: Line): ItemLine {
  const name = id(line);
  const mark = optional(line, 'mark');
  if (mark !== '' && (mark.length > LONGEST_ID || NO_ID.test(mark))) throw wrong('mark', 'one line', line.mark);
  const fields = line.fields ?? {};
  if (!isObject(fields)) throw wrong('fields', 'an object', fields);
  return {
    type: 'item',
    id: name,
    title: cut(oneLine(optional(line, 'title')), LONGEST_TITLE) || name,
    body: optional(line, 'body').replaceAll('\0', ''),
    fields: cleaned(fields, 'fields') as Record<string, unknown>,
    mark: mark === '' ? null : mark,
    refused: cut(oneLine(optional(line, 'refused')), LONGEST_TITLE) || null,
  };
}

function filed(line: Line): Answer {
  const name = id(line);
  const as = AS.find((each) => each === line.as);
  if (as === undefined) throw wrong('as', AS.join(', '), line.as);
  const kept = line.kept ?? [];
  if (!Array.isArray(kept) || kept.some((each) => typeof each !== 'string'))
    throw wrong('kept', 'a list of names', kept);
  return { type: 'filed', id: name, as, kept };
}

function id(line: Line): string {
  const { id: value } = line;
  if (typeof value !== 'string' || value === '' || value.length > LONGEST_ID || NO_ID.test(value))
    throw wrong('id', `one line of 1 to ${LONGEST_ID} characters`, value);
  return value;
}

/** A text that may be left out; '' = nothing. */
function optional(line: Line, key: string): string {
  const value = line[key];
  if (isNone(value)) return '';
  if (typeof value !== 'string') throw wrong(key, 'text', value);
  return value;
}

function count(line: Line, key: string): number {
  const value = line[key];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw wrong(key, 'a whole number', value);
  return value;
}

function parse(text: string): Line {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // Said below, with the line.
  }
  throw new BadLine(`a line should be one JSON object, got ${shown(text)}`);
}

function cleaned(value: unknown, key: string, levels = DEEPEST): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '');
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) throw new BadLine(`${key} should be nested less than ${DEEPEST} deep`);
  if (Array.isArray(value)) return value.map((each) => cleaned(each, key, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleaned(each, key, levels - 1)]));
}

const isNone = (value: unknown) => value === undefined || value === null;
const isObject = (value: unknown): value is Line =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const wrong = (key: string, what: string, got: unknown) =>
  new BadLine(`${key} should be ${what}, got ${got === undefined ? 'nothing' : shown(JSON.stringify(got))}`);

const shown = (text: string) => cut(oneLine(text), SHOWN);
