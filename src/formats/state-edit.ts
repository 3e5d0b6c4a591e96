import { Lexer } from 'yaml';
import type { State } from '../core/model.ts';
import { type Edits, editsOf, lineAfter } from './edits.ts';
import { printToday, printValues, STATE_KEYS, TODAY_KEYS } from './state-lines.ts';
import { entryEnd, isEmpty, type YamlEntry, type YamlMap, type YamlNode } from './yaml-nodes.ts';

/**
 * Writes `next` over `yaml`, which holds `now` and was read as `map`: only the text of values that differ is touched.
 *
 * Why not `yaml`'s own printing: it straightens all spacing and prints 0017 and 12345678901234567890 in keys we don't know as numbers.
 * Keys that are missing are added behind the one they follow in `STATE_KEYS`.
 */
export function editState(yaml: string, map: YamlMap, now: State, next: State): string {
  const edits = editsOf(yaml);
  const [before, after] = [printValues(now), printValues(next)];
  let end = 0;
  for (const key of STATE_KEYS) {
    const entry = map.entries.find((each) => each.key === key);
    const [old, value] = [before[key], after[key]];
    if (entry === undefined) {
      edits.insertLines(end, typeof value === 'string' ? [`${key}: ${value}`] : wholeList(key, value));
      continue;
    }
    end = lineAfter(yaml, entryEnd(entry));
    if (key === 'today' && entry.value?.kind === 'map') editToday(edits, yaml, entry.value, now, next);
    else if (Array.isArray(old) && Array.isArray(value)) editList(edits, yaml, entry, old, value);
    else if (old !== value) editValue(edits, yaml, entry, String(value));
  }
  return edits.apply();
}

const wholeList = (key: string, entries: string[]) =>
  entries.length === 0 ? [`${key}: []`] : [`${key}:`, ...entries.map((entry) => `  - ${entry}`)];

function editValue(edits: Edits, yaml: string, entry: YamlEntry, value: string): void {
  if (entry.value === null || isEmpty(entry.value)) {
    edits.insert(colonEnd(yaml, entry), hasColon(yaml, entry) ? ` ${value}` : `: ${value}`);
    return;
  }
  const { from, to } = entry.value;
  const old = yaml.slice(from, to);
  const comments = commentsIn(old).map((comment) => ` ${comment}`);
  edits.replace(from, to, `${value}${comments.join('')}${old.endsWith('\n') ? '\n' : ''}`);
}

function editToday(edits: Edits, yaml: string, map: YamlMap, now: State, next: State): void {
  const [before, after] = [printToday(now.today), printToday(next.today)];
  const missing: string[] = [];
  for (const key of TODAY_KEYS) {
    const inner = map.entries.find((each) => each.key === key);
    if (inner === undefined) missing.push(`${key}: ${after[key]}`);
    else if (before[key] !== after[key]) editValue(edits, yaml, inner, after[key]);
  }
  if (missing.length > 0) addTo(edits, yaml, map, missing);
}

function addTo(edits: Edits, yaml: string, map: YamlMap, texts: string[]): void {
  if (map.flow) {
    edits.insert(map.from + 1, ` ${texts.join(', ')}${map.entries.length > 0 ? ',' : ' '}`);
    return;
  }
  const at = map.entries[0]?.keyFrom ?? 0;
  const indent = yaml.slice(yaml.lastIndexOf('\n', at - 1) + 1, at);
  const eol = yaml.includes('\r\n') ? '\r\n' : '\n';
  edits.insert(at, texts.map((text) => text + eol + indent).join(''));
}

/** Keeps the lines of entries that stay, where they are and as they are; takes out and puts in whole lines. */
function editList(edits: Edits, yaml: string, entry: YamlEntry, old: string[], entries: string[]): void {
  if (JSON.stringify(old) === JSON.stringify(entries)) return;
  const lines =
    entry.value?.kind === 'list' && !entry.value.flow ? entry.value.items.map((item) => lineOf(yaml, item)) : [];
  const indent = lines[0]?.indent;
  if (indent === undefined || lines.some((line) => line.indent !== indent)) {
    rebuildList(edits, yaml, entry, old, entries);
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
  if (entries.length === 0) edits.insert(colonEnd(yaml, entry), ' []');
}

/** For a list that isn't one entry a line yet: it becomes so. What was said in comments between the entries stays. */
function rebuildList(edits: Edits, yaml: string, entry: YamlEntry, old: string[], entries: string[]): void {
  const from = colonEnd(yaml, entry);
  const to = isEmpty(entry.value) ? from : Math.max(from, entryEnd(entry));
  const items = entry.value?.kind === 'list' ? entry.value.items : [];
  const lines = entries.map((entry) => `  - ${oneLine(yaml, items[old.indexOf(entry)]) ?? entry}`);
  const slice = yaml.slice(from, to);
  edits.replace(from, to, (lines.length === 0 ? ' []' : '') + (slice.endsWith('\n') ? '\n' : ''));
  edits.insertLines(lineAfter(yaml, to), [...commentsIn(slice).map((comment) => `  ${comment}`), ...lines]);
}

/** An entry's own text, with keys we don't know, if it can stand on one line. */
function oneLine(yaml: string, item: YamlNode | undefined): string | null {
  if (item?.kind !== 'map' || !item.flow) return null;
  const text = yaml.slice(item.from, item.to);
  if (commentsIn(text).length > 0) return null;
  const parts = text.split('\n').map((part) => part.trim());
  return parts.includes('') ? null : parts.join(' ');
}

function lineOf(yaml: string, item: YamlNode): { start: number; end: number; indent?: string } {
  const start = yaml.lastIndexOf('\n', item.from - 1) + 1;
  const indent = yaml.slice(start, item.from);
  const place = { start, end: lineAfter(yaml, item.to) };
  return /^ *- +$/.test(indent) ? { ...place, indent } : place;
}

function colonAt(yaml: string, { keyTo }: YamlEntry): number {
  let at = keyTo;
  while (yaml[at] === ' ' || yaml[at] === '\t') at++;
  return at;
}
const hasColon = (yaml: string, entry: YamlEntry) => yaml[colonAt(yaml, entry)] === ':';
const colonEnd = (yaml: string, entry: YamlEntry) => (hasColon(yaml, entry) ? colonAt(yaml, entry) + 1 : entry.keyTo);

/** Comments as they are written. The lexer announces every scalar with a mark of its own, so a text that begins with `#` is none. */
function commentsIn(yaml: string): string[] {
  const tokens = [...new Lexer().lex(yaml)];
  return tokens.filter((token, index) => token.startsWith('#') && tokens[index - 1] !== '\u001f');
}
