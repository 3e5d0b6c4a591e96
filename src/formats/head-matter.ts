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
  | Matter;

export interface Refusal {
  kind: 'refused';
  /** Counted from 1, in the whole file. */
  line: number;
  why: string;
}

/** Offsets in bytes. */
export interface Matter {
  kind: 'matter';
  start: number;
  /** Its first line. */
  from: number;
  /** The closing `---` line. */
  close: number;
  /** What comes after. */
  body: number;
  /** The file up to there, one character a byte: offsets in it are offsets in the file, and Latin-1 is no worse than UTF-8. */
  text: string;
}

/** One top-level key. Offsets in bytes. */
export interface Entry {
  key: string;
  at: number;
  /** Behind the newline of the last line that belongs to it. */
  end: number;
  /** The value alone: no blanks, no comment. Behind the colon when it is empty. */
  from: number;
  to: number;
  /** `block`: takes more than its own line, or has an anchor, alias or tag. `twice`: so does the key. */
  style: 'empty' | 'plain' | 'quoted' | 'flow' | 'block' | 'twice';
}

const SNIFFED_BYTES = 1024;
const DASH = 0x2d;

/** @param whole whether `head` is all of the file, not only its beginning. */
export function readHeadMatter(head: Uint8Array, whole = true): HeadMatter {
  const bytes = Buffer.isBuffer(head) ? head : Buffer.from(head.buffer, head.byteOffset, head.length);
  const encoding = notText(bytes);
  if (encoding !== null) return refusal(1, `an item should be UTF-8 text, this is ${encoding}`);
  const start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  if (bytes[start] !== DASH || bytes[start + 1] !== DASH || bytes[start + 2] !== DASH || bytes[start + 3] === DASH)
    return { kind: 'none', start };

  const text = bytes.toString('latin1');
  const opening = lineAt(text, start);
  if (!BARE.test(opening)) return refusal(1, `front matter should begin with a bare ---, got ${shown(opening)}`);
  const from = start + opening.length;
  const close = closing(text, from, whole);
  if (close === -1)
    return whole ? refusal(1, 'front matter that begins here should end with a line ---') : { kind: 'open' };
  LINES.lastIndex = from;
  LINES.test(text.slice(0, close));
  if (LINES.lastIndex !== close) return strange(text, LINES.lastIndex);
  return { kind: 'matter', start, from, close, body: close + lineAt(text, close).length, text };
}

function notText(bytes: Buffer): string | null {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16';
  const zero = bytes.subarray(0, SNIFFED_BYTES).indexOf(0);
  if (zero === -1) return null;
  return zero < 2 && bytes[zero + 2] === 0 ? 'UTF-16' : 'binary';
}

// Nowhere `\s` or `trim`: for them the second byte of an "à" is white space. Each expression reads a text once, from left to right.
const BARE = /^---[ \t]*\r?\n?$/;
const SILENT = String.raw`[ \t]*(?:#[^\n]*)?\r?\n`;
const BELOW = String.raw`(?:[ \t#\]}\r]|-(?=[ \t\r\n]))[^\n]*\n|\n`;
const PLAIN_KEY = String.raw`(?:[^\-?:,[\]{}#&*!|>'"%@${'`'} \t\r\n]|[\-?](?![ \t\r\n]))(?:[^:\n]|:(?![ \t\r\n]))*`;
const QUOTED_KEY = String.raw`(?:"[^"\\\n]*"|'[^'\n]*')[ \t]*`;
const KEY_LINE = String.raw`(?:${PLAIN_KEY}|${QUOTED_KEY}):(?=[ \t\r\n])[^\n]*\n`;
const LINES = new RegExp(`(?:${SILENT})*(?:${KEY_LINE}(?:${BELOW})*)*`, 'y');
const ALL_BELOW = new RegExp(`(?:${BELOW})*`, 'y');
const COLON = /[ \t]*:(?=[ \t\r\n])/y;
const GOES_ON = new RegExp(String.raw`(?:${SILENT})*(?:[ \t]+[^ \t\r\n#]|[\]}]|-[ \t\r\n])`, 'y');

function closing(text: string, from: number, whole: boolean): number {
  for (let at = text.indexOf('\n---', from - 1); at !== -1; at = text.indexOf('\n---', at + 1)) {
    const line = lineAt(text, at + 1);
    if (BARE.test(line) && (whole || line.endsWith('\n'))) return at + 1;
  }
  return -1;
}

function strange(text: string, at: number): Refusal {
  return refusal(lineOf(text, at), `front matter should hold "key: value" lines, got ${shown(lineAt(text, at))}`);
}

/** Finds a top-level key, written plainly or in quotes. */
export function findEntry({ text, close }: Matter, key: string): Entry | null {
  const latin1 = encoded(key);
  const hits = keyLines(text, close, latin1);
  // Hardly anybody quotes a key, and this is asked of every item: two looks for a quote are cheaper than two for the key.
  if (text.includes('\n"')) hits.push(...keyLines(text, close, `"${latin1}"`));
  if (text.includes("\n'")) hits.push(...keyLines(text, close, `'${latin1}'`));
  const [hit] = hits;
  if (hit === undefined) return null;
  const next = text.indexOf('\n', hit.colon) + 1;
  GOES_ON.lastIndex = next;
  const isTall = GOES_ON.test(text);
  const value = valueIn(text.slice(hit.colon, text[next - 2] === '\r' ? next - 2 : next - 1));
  const style = hits.length > 1 ? 'twice' : isTall ? 'block' : value.style;
  const end = isTall ? endBelow(text, next) : next;
  return { key, at: hit.at, end, from: hit.colon + value.from, to: hit.colon + value.to, style };
}

function keyLines(text: string, close: number, written: string): { at: number; colon: number }[] {
  const hits: { at: number; colon: number }[] = [];
  const line = `\n${written}`;
  for (let at = text.indexOf(line); at !== -1 && at < close; at = text.indexOf(line, at + 1)) {
    COLON.lastIndex = at + line.length;
    if (COLON.test(text)) hits.push({ at: at + 1, colon: COLON.lastIndex });
  }
  return hits;
}

function endBelow(text: string, from: number): number {
  ALL_BELOW.lastIndex = from;
  ALL_BELOW.test(text);
  return ALL_BELOW.lastIndex;
}

type Value = Pick<Entry, 'from' | 'to' | 'style'>;

const QUOTED = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')(?=[ \t]*$|[ \t]+#)/;
/** Lists whose quotes or comments might hide where they end are left alone. */
const FLOW_LIST = /^\[(?:[^[\]{}"'#]|"[^"\\]*")*\](?=[ \t]*$|[ \t]+#)/;

/** What stands behind a colon, up to the end of the line. */
function valueIn(line: string): Value {
  const from = /^[ \t]*/.exec(line)?.[0].length ?? 0;
  const rest = line.slice(from);
  if (rest === '' || rest.startsWith('#')) return { from: 0, to: 0, style: 'empty' };
  if (/^["']/.test(rest)) return spanned(from, QUOTED.exec(rest), 'quoted', line);
  if (rest.startsWith('[')) return spanned(from, FLOW_LIST.exec(rest), 'flow', line);
  if (/^[|>&*!%@`{]/.test(rest)) return { from, to: line.length, style: 'block' };
  const comment = /[ \t]#/.exec(rest)?.index ?? rest.length;
  return { from, to: from + withoutBlanks(rest.slice(0, comment)).length, style: 'plain' };
}

function spanned(from: number, found: RegExpExecArray | null, style: Entry['style'], line: string): Value {
  return found === null ? { from, to: line.length, style: 'block' } : { from, to: from + found[0].length, style };
}

function withoutBlanks(text: string): string {
  let end = text.length;
  while (text[end - 1] === ' ' || text[end - 1] === '\t') end -= 1;
  return text.slice(0, end);
}

function lineAt(text: string, at: number): string {
  const newline = text.indexOf('\n', at);
  return text.slice(at, newline === -1 ? text.length : newline + 1);
}

/** @returns the line that an offset is in, counted from 1. */
export const lineOf = (text: string, at: number) => text.slice(0, at).split('\n').length;
const refusal = (line: number, why: string): Refusal => ({ kind: 'refused', line, why });
const shown = (latin1: string) => JSON.stringify(decoded(latin1).trim().slice(0, 60));

/** @returns what a part of `text` says as UTF-8. */
export const decoded = (latin1: string) =>
  ASCII.test(latin1) ? latin1 : Buffer.from(latin1, 'latin1').toString('utf8');
const encoded = (text: string) => (ASCII.test(text) ? text : Buffer.from(text).toString('latin1'));
const ASCII = /^[ -~]*$/;
