/**
 * Where the front matter of an item lies, byte by byte, so that one value can be changed and every other byte stays.
 *
 * Reads the plain form only: `key: value` lines, each with whatever is indented below it. It never evaluates anything.
 */
export type HeadMatter =
  /** `start`: behind the byte order mark. */
  | { kind: 'none'; start: number }
  /** Begins here, but its end lies behind these bytes. */
  | { kind: 'open' }
  | Refusal
  /** `from`: its first line; `close`: the closing `---` line; `body`: what comes after. */
  | { kind: 'matter'; start: number; from: number; close: number; body: number; entries: Entry[] };

export interface Refusal {
  kind: 'refused';
  /** Counted from 1, in the whole file. */
  line: number;
  why: string;
}

/** One top-level key. Offsets in bytes. */
export interface Entry {
  key: string;
  /** Counted from 1, in the whole file. */
  line: number;
  at: number;
  /** Behind the colon. */
  colon: number;
  /** Behind the last character of the key's own line that is not blank. */
  to: number;
  /** Behind the newline of the last line that belongs to it. */
  end: number;
  /** Does the value go on in the lines below? */
  tall: boolean;
}

const SNIFFED_BYTES = 1024;
const DASH = 0x2d;
const OPEN: HeadMatter = { kind: 'open' };

/** @param whole whether `head` is all of the file, not only its beginning. */
export function readHeadMatter(head: Uint8Array, whole = true): HeadMatter {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.length);
  const encoding = notText(bytes);
  if (encoding !== null) return refusal(1, `an item should be UTF-8 text, this is ${encoding}`);
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  if (bytes[start] !== DASH || bytes[start + 1] !== DASH || bytes[start + 2] !== DASH || bytes[start + 3] === DASH)
    return { kind: 'none', start };

  // One character a byte: offsets in the text are offsets in the file, and Latin-1 is no worse than UTF-8.
  const text = bytes.toString('latin1');
  const from = text.indexOf('\n', start) + 1;
  const opening = from === 0 ? text.length : from;
  if (!isBare(text, start, opening))
    return refusal(1, `front matter should begin with a bare ---, got ${shown(text, start, opening)}`);
  const close = from === 0 ? null : closing(text, from, whole);
  if (close === null) return whole ? refusal(1, 'front matter that begins here should end with a line ---') : OPEN;
  const entries = entriesOf(text, from, close.at);
  return 'kind' in entries ? entries : { kind: 'matter', start, from, close: close.at, body: close.end, entries };
}

function notText(bytes: Buffer): string | null {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16';
  const zero = bytes.subarray(0, SNIFFED_BYTES).indexOf(0);
  if (zero === -1) return null;
  return zero < 2 && bytes[zero + 2] === 0 ? 'UTF-16' : 'binary';
}

function closing(text: string, from: number, whole: boolean): { at: number; end: number } | null {
  for (let at = text.indexOf('\n---', from - 1); at !== -1; at = text.indexOf('\n---', at + 1)) {
    const newline = text.indexOf('\n', at + 1);
    const end = newline === -1 ? text.length : newline + 1;
    if (isBare(text, at + 1, end) && (newline !== -1 || whole)) return { at: at + 1, end };
  }
  return null;
}

function entriesOf(text: string, from: number, close: number): Entry[] | Refusal {
  const entries: Entry[] = [];
  const keys = new Set<string>();
  let last: Entry | undefined;
  for (let at = from, line = 2; at < close; line += 1) {
    const end = text.indexOf('\n', at) + 1;
    const to = trimmedEnd(text, at, end);
    const first = trimmedStart(text, at, to);
    const silent = first === to || text[first] === '#';
    if (last !== undefined && (silent ? last.tall && first > at && first < to : belongs(text, at, first, to, last))) {
      last.tall = true;
      last.end = end;
    } else if (!silent) {
      last = entryOf(text, at, to, line, end);
      if (last === undefined)
        return refusal(line, `front matter should hold "key: value" lines, got ${shown(text, at, to)}`);
      if (keys.has(last.key)) return refusal(line, `front matter should hold ${JSON.stringify(last.key)} only once`);
      keys.add(last.key);
      entries.push(last);
    }
    at = end;
  }
  return entries;
}

/** Is this line part of the value above it? */
function belongs(text: string, at: number, first: number, to: number, above: Entry): boolean {
  if (first > at) return true;
  const mark = text[at] as string;
  if (mark === '-' && (to === at + 1 || isBlank(text, at + 1)))
    return above.tall || isEmpty(text, above.colon, above.to);
  return mark === ']' || mark === '}';
}

function entryOf(text: string, at: number, to: number, line: number, end: number): Entry | undefined {
  const quote = text[at];
  const isQuoted = quote === '"' || quote === "'";
  const keyEnd = isQuoted ? quotedEnd(text, at, to) : plainKeyEnd(text, at, to);
  const colon = keyEnd === -1 ? -1 : trimmedStart(text, keyEnd, to);
  if (colon === -1 || !endsKey(text, colon, to)) return undefined;
  const written = decoded(text.slice(at, keyEnd));
  return { key: isQuoted ? unquoted(written) : written, line, at, colon: colon + 1, to, end, tall: false };
}

const endsKey = (text: string, at: number, to: number) => text[at] === ':' && (at + 1 === to || isBlank(text, at + 1));

/** Where a plain key ends, or -1 when this line can't have one. */
function plainKeyEnd(text: string, at: number, to: number): number {
  if ('?:,[]{}#&*!|>%@`'.includes(text[at] as string) || (text[at] === '-' && isBlank(text, at + 1))) return -1;
  for (let colon = text.indexOf(':', at); colon !== -1 && colon < to; colon = text.indexOf(':', colon + 1)) {
    if (!endsKey(text, colon, to)) continue;
    const end = trimmedEnd(text, at, colon);
    return hasComment(text, at, end) ? -1 : end;
  }
  return -1;
}

/** Behind the closing quote of what begins at `at`, or -1. */
export function quotedEnd(text: string, at: number, to: number): number {
  const quote = text[at];
  for (let i = at + 1; i < to; i += 1) {
    if (text[i] === '\\' && quote === '"') i += 1;
    else if (text[i] === quote) {
      if (quote === '"' || text[i + 1] !== quote) return i + 1;
      i += 1;
    }
  }
  return -1;
}

/** What a quoted scalar stands for; its inside as it is when it uses escapes that only YAML has. */
export function unquoted(written: string): string {
  if (written.startsWith("'")) return written.slice(1, -1).replaceAll("''", "'");
  try {
    return JSON.parse(written) as string;
  } catch {
    return written.slice(1, -1);
  }
}

/** Is there nothing but blanks and a comment? */
export function isEmpty(text: string, from: number, to: number): boolean {
  const first = trimmedStart(text, from, to);
  return first === to || (text[first] === '#' && first > from);
}

/** Where a comment behind something begins, its blanks included; `to` when there is none. */
export function commentAt(text: string, from: number, to: number): number {
  for (let hash = text.indexOf('#', from); hash !== -1 && hash < to; hash = text.indexOf('#', hash + 1))
    if (hash > from && isBlank(text, hash - 1)) return trimmedEnd(text, from, hash);
  return to;
}

const hasComment = (text: string, from: number, to: number) => commentAt(text, from, to) < to;

// Not `trim` and `\s`: for them the second byte of an "à" is white space.
const isBlank = (text: string, at: number) => text[at] === ' ' || text[at] === '\t';

export function trimmedStart(text: string, from: number, to: number): number {
  let at = from;
  while (at < to && isBlank(text, at)) at += 1;
  return at;
}

function trimmedEnd(text: string, from: number, to: number): number {
  let at = to;
  while (at > from && (isBlank(text, at - 1) || text[at - 1] === '\n' || text[at - 1] === '\r')) at -= 1;
  return at;
}

const isBare = (text: string, from: number, to: number) => trimmedEnd(text, from, to) === from + 3;
const refusal = (line: number, why: string): Refusal => ({ kind: 'refused', line, why });
const shown = (text: string, from: number, to: number) =>
  JSON.stringify(decoded(text.slice(from, trimmedEnd(text, from, to))).slice(0, 60));
const decoded = (latin1: string) => Buffer.from(latin1, 'latin1').toString('utf8');
