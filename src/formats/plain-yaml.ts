import { LIMIT } from './text.ts';
import { entryEnd, type YamlEntry, type YamlList, type YamlMap, type YamlNode, type YamlScalar } from './yaml-nodes.ts';

// This file loads no package, so that reading a plain file doesn't either.
/** Of maps by lines, and of what is in brackets within one: together they stay below what `readNodes` allows. */
const DEEPEST = 8;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ODD = /[\u0000-\u0009\u000b\u000c\u000e-\u001f\u007f-\u00a0\u2028\u2029\ufeff\ufffe\uffff]|\r(?!\n)/;
/** Words that are no text in one version of YAML or another, and names that are more than a key to JavaScript. */
const NO_KEY = /^(?:null|true|false|yes|no|on|off|y|n|__proto__|constructor|prototype)$/i;

// Each part begins with what the part before can't hold, so that nothing is tried twice: reading takes linear time.
const KEY = /([A-Za-z_][\w-]{0,99}):(?= |\r?\n|$)/y;
const REST = /(?: *| +#.*)(?=\r?\n|$)/y;
const START = String.raw`(?:[\w./~($+\u00a1-\uffff]|-[\w./])`;
const words = (letter: string) => new RegExp(`${START}${letter}*(?: +(?!#)${letter}+)*`, 'y');
const BY_LINES = words(String.raw`(?:[^ :\r\n]|:(?! |\r?\n|$))`);
const IN_FLOW = words(String.raw`(?:[^ :,[\]{}\r\n]|:(?![ ,[\]{}]|\r?\n|$))`);
const DOUBLE = /"([^"\\\r\n]*(?:\\["\\][^"\\\r\n]*)*)"/y;
const SINGLE = /'([^'\r\n]*(?:''[^'\r\n]*)*)'/y;

const WORDS = new Map<string, boolean | null>([
  ...['~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);
const WHOLE = /^[-+]?\d+$/;
const DECIMAL = /^[-+]?\d+\.\d+$/;
/** Numbers in other words. */
const NUMBER = /^(?:0o[0-7]+|0x[\da-f]+|[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?|[-+]?\.(?:inf|nan))$/i;

interface Line {
  /** Its first character that is no blank. */
  at: number;
  indent: number;
}

interface Reader {
  source: string;
  /** Those that say something. */
  lines: Line[];
  /** The line to be read next. */
  next: number;
  /** Where reading is within a line. */
  at: number;
}

/**
 * Reads YAML in its plain form: maps by lines, plain keys, lists by lines of values that take one line, maps and lists in one line, comments,
 * quotes without escapes other than `\"` and `\\`.
 *
 * @returns exactly what `yaml` reads, or null when only `yaml` can tell. Never throws.
 */
export function readPlain(source: string): YamlMap | null {
  if (source.length > LIMIT || ODD.test(source)) return null;
  const reader: Reader = { source, lines: linesOf(source), next: 0, at: 0 };
  if (reader.lines[0]?.indent !== 0) return null;
  const root = mapByLines(reader, 0, 0);
  // A line that nobody wanted: one that goes on with the value above, or stands between two levels.
  return reader.next === reader.lines.length ? root : null;
}

function linesOf(source: string): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < source.length; ) {
    let at = start;
    while (source[at] === ' ') at++;
    const letter = source[at];
    if (letter !== undefined && letter !== '#' && letter !== '\r' && letter !== '\n')
      lines.push({ at, indent: at - start });
    const end = source.indexOf('\n', at);
    start = end === -1 ? source.length : end + 1;
  }
  return lines;
}

function mapByLines(reader: Reader, indent: number, depth: number): YamlMap | null {
  const entries: YamlEntry[] = [];
  const seen = new Set<string>();
  const from = reader.lines[reader.next]?.at ?? 0;
  for (let line = reader.lines[reader.next]; line?.indent === indent; line = reader.lines[reader.next]) {
    reader.next++;
    reader.at = line.at;
    const entry = key(reader, seen);
    const value = entry === null ? null : (valueByLines(reader) ?? valueBelow(reader, indent, depth));
    if (entry === null || value === null) return null;
    entries.push({ ...entry, value });
  }
  const last = entries.at(-1);
  return last === undefined ? null : { kind: 'map', from, to: entryEnd(last), flow: false, entries };
}

function listByLines(reader: Reader, indent: number): YamlList | null {
  const items: YamlNode[] = [];
  const from = reader.lines[reader.next]?.at ?? 0;
  for (let line = reader.lines[reader.next]; line?.indent === indent; line = reader.lines[reader.next]) {
    if (!isItem(reader, line)) break;
    reader.next++;
    reader.at = line.at + 1;
    const item = valueByLines(reader);
    if (item === null) return null;
    items.push(item);
  }
  const last = items.at(-1);
  return last === undefined ? null : { kind: 'list', from, to: last.to, flow: false, items };
}

const isItem = ({ source }: Reader, { at }: Line) => source[at] === '-' && source[at + 1] === ' ';

/** Takes `key:`. */
function key(reader: Reader, seen: Set<string>): Omit<YamlEntry, 'value'> | null {
  const from = reader.at;
  const name = take(reader, KEY)?.[1];
  if (name === undefined || NO_KEY.test(name) || seen.has(name)) return null;
  seen.add(name);
  return { key: name, keyFrom: from, keyTo: from + name.length };
}

/** A value with nothing but a comment behind it. null also when there is none: then `at` is behind the blanks. */
function valueByLines(reader: Reader): YamlNode | null {
  skipBlanks(reader);
  const start = reader.at;
  const found = value(reader, BY_LINES, 0);
  if (found !== null && take(reader, REST) !== null) return found;
  reader.at = start;
  return null;
}

/** What stands below `key:`, when nothing stands beside it. */
function valueBelow(reader: Reader, indent: number, depth: number): YamlNode | null {
  const { at } = reader;
  const letter = reader.source[at];
  const isAlone = letter === undefined || letter === '\r' || letter === '\n' || letter === '#';
  if (!isAlone || depth === DEEPEST) return null;
  const line = reader.lines[reader.next];
  if (line !== undefined && line.indent >= indent && isItem(reader, line)) return listByLines(reader, line.indent);
  if (line !== undefined && line.indent > indent) return mapByLines(reader, line.indent, depth + 1);
  return { kind: 'scalar', from: at, to: at, value: null, source: '', style: 'plain' };
}

function value(reader: Reader, plain: RegExp, depth: number): YamlNode | null {
  const letter = reader.source[reader.at];
  if (letter === '{') return depth === DEEPEST ? null : mapInFlow(reader, depth + 1);
  if (letter === '[') return depth === DEEPEST ? null : listInFlow(reader, depth + 1);
  if (letter === '"') return quoted(reader, DOUBLE, /\\(.)/g, '$1');
  if (letter === "'") return quoted(reader, SINGLE, /''/g, "'");
  return plainScalar(reader, plain);
}

function mapInFlow(reader: Reader, depth: number): YamlMap | null {
  const entries: YamlEntry[] = [];
  const seen = new Set<string>();
  const place = inFlow(reader, '}', () => {
    const entry = key(reader, seen);
    skipBlanks(reader);
    const found = entry === null ? null : value(reader, IN_FLOW, depth);
    if (entry !== null && found !== null) entries.push({ ...entry, value: found });
    return found !== null;
  });
  return place && { kind: 'map', ...place, flow: true, entries };
}

function listInFlow(reader: Reader, depth: number): YamlList | null {
  const items: YamlNode[] = [];
  const place = inFlow(reader, ']', () => {
    const item = value(reader, IN_FLOW, depth);
    if (item !== null) items.push(item);
    return item !== null;
  });
  return place && { kind: 'list', ...place, flow: true, items };
}

/** Takes what stands between brackets, a comma between two. */
function inFlow(reader: Reader, closes: string, one: () => boolean): { from: number; to: number } | null {
  const from = reader.at++;
  skipBlanks(reader);
  let letter = reader.source[reader.at];
  if (letter === closes) return { from, to: ++reader.at };
  do {
    skipBlanks(reader);
    if (!one()) return null;
    skipBlanks(reader);
    letter = reader.source[reader.at++];
  } while (letter === ',');
  return letter === closes ? { from, to: reader.at } : null;
}

function quoted(reader: Reader, pattern: RegExp, escaped: RegExp, by: string): YamlScalar | null {
  const from = reader.at;
  const text = take(reader, pattern)?.[1]?.replace(escaped, by);
  return text === undefined
    ? null
    : { kind: 'scalar', from, to: reader.at, value: text, source: text, style: 'quoted' };
}

function plainScalar(reader: Reader, pattern: RegExp): YamlScalar | null {
  const from = reader.at;
  const source = take(reader, pattern)?.[0];
  const found = source === undefined ? undefined : plainValue(source);
  if (source === undefined || found === undefined) return null;
  return { kind: 'scalar', from, to: reader.at, value: found, source, style: 'plain' };
}

/** @returns undefined for what only `yaml` should read. */
function plainValue(source: string): YamlScalar['value'] | undefined {
  const word = WORDS.get(source);
  if (word !== undefined) return word;
  // Digits, signs and the dot come before it: what begins otherwise is no number.
  if (source >= ':') return source;
  if (WHOLE.test(source)) return Number.parseInt(source, 10);
  if (DECIMAL.test(source)) return Number.parseFloat(source);
  return NUMBER.test(source) ? undefined : source;
}

function skipBlanks(reader: Reader): void {
  while (reader.source[reader.at] === ' ') reader.at++;
}

function take(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.source);
  if (found !== null) reader.at = pattern.lastIndex;
  return found;
}
