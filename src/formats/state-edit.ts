import { isCollection, isMap, isPair, isScalar, isSeq, Lexer, type Node, type Pair, type YAMLMap } from 'yaml';
import type { State } from '../core/model.ts';
import { type Edits, editsOf, lineAfter } from './edits.ts';
import { printToday, printValues, STATE_KEYS, TODAY_KEYS } from './state-lines.ts';
import { keyOf } from './yaml.ts';

/**
 * Writes `next` over `yaml`, which holds `now` and was read as `map`: only the text of values that differ is touched.
 *
 * Why not `yaml`'s own printing: it straightens all spacing and prints 0017 and 12345678901234567890 in keys we don't know as numbers.
 * Keys that are missing are added behind the one they follow in `STATE_KEYS`.
 */
export function editState(yaml: string, map: YAMLMap, now: State, next: State): string {
  const edits = editsOf(yaml);
  const [before, after] = [printValues(now), printValues(next)];
  let end = 0;
  for (const key of STATE_KEYS) {
    const pair = map.items.find((item) => keyOf(item) === key);
    const [old, value] = [before[key], after[key]];
    if (pair === undefined) {
      edits.insertLines(end, typeof value === 'string' ? [`${key}: ${value}`] : wholeList(key, value));
      continue;
    }
    end = lineAfter(yaml, endOf(pair));
    if (key === 'today' && isMap(pair.value)) editToday(edits, yaml, pair.value, now, next);
    else if (Array.isArray(old) && Array.isArray(value)) editList(edits, yaml, pair, old, value);
    else if (old !== value) editValue(edits, yaml, pair, String(value));
  }
  return edits.apply();
}

const wholeList = (key: string, entries: string[]) =>
  entries.length === 0 ? [`${key}: []`] : [`${key}:`, ...entries.map((entry) => `  - ${entry}`)];

function editValue(edits: Edits, yaml: string, pair: Pair, value: string): void {
  const [from, to] = rangeOf(pair.value);
  if (isEmpty(pair.value)) {
    edits.insert(colonEnd(yaml, pair), hasColon(yaml, pair) ? ` ${value}` : `: ${value}`);
    return;
  }
  const old = yaml.slice(from, to);
  const comments = commentsIn(old).map((comment) => ` ${comment}`);
  edits.replace(from, to, `${value}${comments.join('')}${old.endsWith('\n') ? '\n' : ''}`);
}

function editToday(edits: Edits, yaml: string, map: YAMLMap, now: State, next: State): void {
  const [before, after] = [printToday(now.today), printToday(next.today)];
  const missing: string[] = [];
  for (const key of TODAY_KEYS) {
    const inner = map.items.find((item) => keyOf(item) === key);
    if (inner === undefined) missing.push(`${key}: ${after[key]}`);
    else if (before[key] !== after[key]) editValue(edits, yaml, inner, after[key]);
  }
  if (missing.length > 0) addTo(edits, yaml, map, missing);
}

function addTo(edits: Edits, yaml: string, map: YAMLMap, texts: string[]): void {
  if (map.flow) {
    edits.insert(rangeOf(map)[0] + 1, ` ${texts.join(', ')}${map.items.length > 0 ? ',' : ' '}`);
    return;
  }
  const [at] = rangeOf(map.items[0]?.key);
  const indent = yaml.slice(yaml.lastIndexOf('\n', at - 1) + 1, at);
  const eol = yaml.includes('\r\n') ? '\r\n' : '\n';
  edits.insert(at, texts.map((text) => text + eol + indent).join(''));
}

/** Keeps the lines of entries that stay, where they are and as they are; takes out and puts in whole lines. */
function editList(edits: Edits, yaml: string, pair: Pair, old: string[], entries: string[]): void {
  if (JSON.stringify(old) === JSON.stringify(entries)) return;
  const lines = isSeq(pair.value) && !pair.value.flow ? pair.value.items.map((item) => lineOf(yaml, item as Node)) : [];
  const indent = lines[0]?.indent;
  if (indent === undefined || lines.some((line) => line.indent !== indent)) {
    rebuildList(edits, yaml, pair, old, entries);
    return;
  }
  let next = 0;
  for (const [index, { start, end }] of lines.entries()) {
    const kept = entries.indexOf(old[index] ?? '', next);
    if (kept === -1) edits.replace(start, end, '');
    else {
      if (kept > next)
        edits.insertLines(
          start,
          entries.slice(next, kept).map((entry) => indent + entry),
        );
      next = kept + 1;
    }
  }
  edits.insertLines(
    lines.at(-1)?.end ?? 0,
    entries.slice(next).map((entry) => indent + entry),
  );
  if (entries.length === 0) edits.insert(colonEnd(yaml, pair), ' []');
}

/** For a list that isn't one entry a line yet: it becomes so. What was said in comments between the entries stays. */
function rebuildList(edits: Edits, yaml: string, pair: Pair, old: string[], entries: string[]): void {
  const from = colonEnd(yaml, pair);
  const to = isEmpty(pair.value) ? from : Math.max(from, endOf(pair));
  const items = isSeq(pair.value) ? (pair.value.items as Node[]) : [];
  const lines = entries.map((entry) => `  - ${oneLine(yaml, items[old.indexOf(entry)]) ?? entry}`);
  const slice = yaml.slice(from, to);
  edits.replace(from, to, (lines.length === 0 ? ' []' : '') + (slice.endsWith('\n') ? '\n' : ''));
  edits.insertLines(lineAfter(yaml, to), [...commentsIn(slice).map((comment) => `  ${comment}`), ...lines]);
}

/** An entry's own text, with keys we don't know, if it can stand on one line. */
function oneLine(yaml: string, item: Node | undefined): string | null {
  if (!isMap(item) || !item.flow) return null;
  const [from, to] = rangeOf(item);
  const text = yaml.slice(from, to);
  if (commentsIn(text).length > 0) return null;
  const parts = text.split('\n').map((part) => part.trim());
  return parts.includes('') ? null : parts.join(' ');
}

function lineOf(yaml: string, item: Node): { start: number; end: number; indent?: string } {
  const [at] = rangeOf(item);
  const start = yaml.lastIndexOf('\n', at - 1) + 1;
  const indent = yaml.slice(start, at);
  const place = { start, end: lineAfter(yaml, endOf(item)) };
  return /^ *- +$/.test(indent) ? { ...place, indent } : place;
}

/** Where a value ends, without the comments and blank lines `yaml` counts to a block. */
function endOf(node: unknown): number {
  if (isPair(node)) return isEmpty(node.value) ? rangeOf(node.key)[1] : endOf(node.value);
  if (isCollection(node) && !node.flow && node.items.length > 0) return endOf(node.items.at(-1));
  return rangeOf(node)[1];
}

const rangeOf = (node: unknown): [number, number] => {
  const [from, to] = (node as Node | null | undefined)?.range ?? [0, 0];
  return [from, to];
};

const isEmpty = (node: unknown): boolean =>
  node === null || (isScalar(node) && node.source === '' && node.value === null);

const colonAt = (yaml: string, pair: Pair): number => {
  let at = rangeOf(pair.key)[1];
  while (yaml[at] === ' ' || yaml[at] === '\t') at++;
  return at;
};
const hasColon = (yaml: string, pair: Pair) => yaml[colonAt(yaml, pair)] === ':';
const colonEnd = (yaml: string, pair: Pair) => (hasColon(yaml, pair) ? colonAt(yaml, pair) + 1 : rangeOf(pair.key)[1]);

/** Comments as they are written. The lexer announces every scalar with a mark of its own, so a text that begins with `#` is none. */
function commentsIn(yaml: string): string[] {
  const tokens = [...new Lexer().lex(yaml)];
  return tokens.filter((token, index) => token.startsWith('#') && tokens[index - 1] !== '\u001f');
}
