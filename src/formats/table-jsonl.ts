import type { MarkSpec } from '../core/model.ts';
import { messageOf } from '../errors.ts';
import type { Mark } from './mark.ts';
import {
  cellMark,
  ended,
  type Format,
  idProblem,
  LF,
  type Problem,
  QUOTE,
  type Row,
  SPACE,
  type Spot,
  TAB,
  trimmed,
} from './table.ts';
import { BACKSLASH, newWalk, skipBlanks, type Walk, walkObject } from './table-walk.ts';

const NO_OBJECT = 'this line should be one JSON object of at most 1,024 keys';
const TWICE = 'each key should be there once';

/** One JSON object a line. Only where its top-level keys and values lie is found by `find`; `read` is as strict as JSON. */
export function jsonlFormat(start: number, idKey: string, spec: MarkSpec): Format {
  const walk = newWalk();
  const [idName, markName] = [Buffer.from(JSON.stringify(idKey)), Buffer.from(JSON.stringify(spec.field))];
  const find: Format['find'] = (bytes, from, spot) => {
    let at = skipBlanks(bytes, from);
    spot.isBlank = bytes[at] === LF;
    const isObject = !spot.isBlank && walkObject(bytes, at, walk);
    if (isObject) at = skipBlanks(bytes, walk.close + 1);
    const isWhole = bytes[at] === LF;
    spot.problem = spot.isBlank || (isObject && isWhole) ? null : NO_OBJECT;
    spot.next = 1 + (isWhole ? at : bytes.indexOf(LF, at));
    spot.lines = 1;
    setParts(bytes, isObject ? walk : null, idName, markName, spot);
    return true;
  };
  const markIn = (bytes: Buffer, from: number, to: number): Mark =>
    cellMark(markText(bytes.toString('utf8', from, to)), spec);
  return {
    ...{ start, line: 1, isQuoted: false, find, markIn },
    read(bytes) {
      const line = ended(bytes);
      const isObject = walkObject(line, skipBlanks(line, 0), walk);
      return isObject ? rowOf(bytes, walk, idKey, spec) : { problem: jsonProblem(bytes) };
    },
  };
}

function setParts(bytes: Uint8Array, walk: Walk | null, idName: Buffer, markName: Buffer, spot: Spot): void {
  spot.idFrom = spot.idTo = spot.markFrom = spot.markTo = 0;
  if (walk === null) return;
  const { spans, count, isOdd } = walk;
  let ids = 0;
  let marks = 0;
  for (let at = 0; at < 4 * count; at += 4) {
    const from = spans[at] as number;
    const to = spans[at + 1] as number;
    if (isKey(bytes, from, to, idName, isOdd)) {
      ids += 1;
      setId(bytes, spans[at + 2] as number, spans[at + 3] as number, spot);
    } else if (isKey(bytes, from, to, markName, isOdd)) {
      marks += 1;
      spot.markFrom = spans[at + 2] as number;
      spot.markTo = spans[at + 3] as number;
    }
  }
  if (ids > 1 || marks > 1) spot.problem = TWICE;
}

/** @param isOdd whether keys of this line have backslashes: then the same key can be written in many ways. */
function isKey(bytes: Uint8Array, from: number, to: number, name: Buffer, isOdd: boolean): boolean {
  if (isOdd) return parsed(Buffer.from(bytes.subarray(from, to)).toString('utf8')) === JSON.parse(name.toString());
  if (to - from !== name.length) return false;
  for (let at = 1; at < name.length; at += 1) if (bytes[from + at] !== name[at]) return false;
  return true;
}

function setId(bytes: Uint8Array, begin: number, end: number, spot: Spot): void {
  const first = bytes[begin] as number;
  const isText = first === QUOTE;
  const isNumber = first === 0x2d || (first >= 0x30 && first <= 0x39);
  let from = isText ? begin + 1 : begin;
  let to = isText ? end - 1 : isNumber ? end : begin;
  while (from < to && (bytes[from] === SPACE || bytes[from] === TAB)) from += 1;
  while (from < to && (bytes[to - 1] === SPACE || bytes[to - 1] === TAB)) to -= 1;
  spot.idFrom = from;
  spot.idTo = to;
  spot.isIdPlain = true;
  for (let at = from; at < to; at += 1) if (bytes[at] === BACKSLASH) spot.isIdPlain = false;
}

function rowOf(bytes: Buffer, walk: Walk, idKey: string, spec: MarkSpec): Row | Problem {
  const text = utf8(bytes);
  if (text === null) return { problem: 'this line should be UTF-8 text' };
  const fields = parsed(text) as Record<string, unknown> | undefined;
  if (fields === undefined) return { problem: jsonProblem(bytes) };
  const spans = spansOf(bytes, walk);
  if (spans === null) return { problem: TWICE };
  const written = (key: string) => {
    const span = spans.get(key);
    return span === undefined ? '' : bytes.toString('utf8', span.from, span.to);
  };
  const value = fields[idKey];
  const id = typeof value === 'number' ? written(idKey) : typeof value === 'string' ? trimmed(value) : '';
  const problem = idProblem(id, idKey);
  if (problem !== null) return { problem };
  const close = walk.close;
  return {
    id,
    fields,
    mark: cellMark(markText(written(spec.field)), spec),
    body: text.trim(),
    fit: (_, value) => JSON.parse(printed(value)) as unknown,
    set: (values) => withValues(bytes, spans, close, values),
  };
}

/** By key, its value's place; null when a key is there twice. */
function spansOf(bytes: Buffer, { spans, count }: Walk): Map<string, { from: number; to: number }> | null {
  const found = new Map<string, { from: number; to: number }>();
  for (let at = 0; at < 4 * count; at += 4) {
    const [keyFrom, keyTo, from, to] = spans.subarray(at, at + 4) as unknown as [number, number, number, number];
    found.set(JSON.parse(bytes.toString('utf8', keyFrom, keyTo)) as string, { from, to });
  }
  return found.size === count ? found : null;
}

function withValues(
  bytes: Buffer,
  spans: ReadonlyMap<string, { from: number; to: number }>,
  close: number,
  values: Record<string, unknown>,
): Buffer {
  const edits = Object.entries(values).map(([key, value]) => {
    const span = spans.get(key);
    if (span !== undefined) return { ...span, text: printed(value) };
    // A row has an id: there is a key before this one.
    return { from: close, to: close, text: `,${JSON.stringify(key)}:${printed(value)}` };
  });
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { from, to, text } of edits.toSorted((left, right) => left.from - right.from)) {
    parts.push(bytes.subarray(at, from), Buffer.from(text));
    at = to;
  }
  return Buffer.concat([...parts, bytes.subarray(at)]);
}

const printed = (value: unknown): string => JSON.stringify(value) ?? 'null';

/** What a mark says as JSON: text, or the plain word it is. */
function markText(written: string): string {
  if (!written.startsWith('"')) return trimmed(written);
  const text = parsed(written);
  return trimmed(typeof text === 'string' ? text : written);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function jsonProblem(bytes: Buffer): string {
  try {
    JSON.parse(bytes.toString('utf8'));
    return NO_OBJECT;
  } catch (error) {
    return `${NO_OBJECT}: ${messageOf(error).replace(/[\r\n]+/g, ' ')}`;
  }
}

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
