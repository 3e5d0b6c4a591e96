import { isMap, parseDocument } from 'yaml';
import type { Rule } from '../core/rule.ts';
import { PawlError } from '../errors.ts';
import { editsOf, lineAfter } from './edits.ts';
import { readPlain } from './plain-yaml.ts';
import { entryEnd, valuesOf, type YamlMap } from './yaml-nodes.ts';

const HELD_MOST = 500;
const HEADING = '# What became of each learning, by id. Change a state to `vetoed` and it is never applied.\n';

/** Reads the ledger of learnings. @throws PawlError `E_FORMAT` with file:line:column. */
export function parseRules(text: string, file: string): Rule[] {
  return Object.entries(entriesOf(text, file)).map(([id, entry]) => readRule(id, entry, file));
}

function readRule(id: string, entry: Partial<Rule>, file: string): Rule {
  const state = STATES.find((each) => each === entry?.state);
  if (state === undefined || typeof entry.rule !== 'string')
    throw new PawlError('E_FORMAT', `${id} should have a rule and a state of ${STATES.join(', ')}`, { at: file });
  return {
    ...{ id, state, key: String(entry.key ?? ''), rule: entry.rule, level: entry.level === 1.5 ? 1.5 : 1 },
    ...{ tick: Number(entry.tick ?? 0), day: String(entry.day ?? ''), at: String(entry.at ?? '') },
    ...{ items: list(entry.items).map(String), runs: list(entry.runs).map(Number) },
    ...{ version: Number(entry.version ?? 0), approved: entry.approved === true, why: String(entry.why ?? '') },
  };
}

const STATES: Rule['state'][] = ['held', 'queued', 'applied', 'kept', 'vetoed', 'refused', 'reverted'];
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** A ledger without a line, or with plain ones, is read without the package. */
function entriesOf(text: string, file: string): Record<string, Partial<Rule>> {
  if (text === '') return {};
  const plain = readPlain(text);
  if (plain !== null) return valuesOf(plain) as Record<string, Partial<Rule>>;
  const doc = parse(text, file);
  if (doc.contents === null) return {};
  if (!isMap(doc.contents))
    throw new PawlError('E_FORMAT', 'expected one entry a learning: `L1: { ... }`', { at: file });
  return doc.toJS() as Record<string, Partial<Rule>>;
}

/**
 * Sets the entries of `rules`, one line each; comments and all other entries stay.
 *
 * Of what is only held the 500 that were seen most and last are kept: every tick reads this file.
 */
export function printRules(current: string, rules: readonly Rule[], file: string): string {
  const text = current === '' ? HEADING : current;
  const plain = readPlain(text);
  return plain === null ? throughPackage(text, rules, file) : inPlace(text, plain, rules);
}

/** Line by line, as the loop writes them: the package takes longer over a few hundred entries than the whole tick. */
function inPlace(text: string, map: YamlMap, rules: readonly Rule[]): string {
  const edits = editsOf(text);
  const entries = new Map(map.entries.map((entry) => [entry.key, entry]));
  const fresh: string[] = [];
  for (const rule of rules) {
    const there = entries.get(rule.id);
    if (there === undefined) fresh.push(printEntry(rule));
    else edits.replace(there.keyFrom, entryEnd(there), printEntry(rule));
  }
  edits.insertLines(text.length, fresh);
  const next = edits.apply();
  const after = readPlain(next);
  if (after === null) return next;
  const gone = tooMany(valuesOf(after) as Entries);
  if (gone.length === 0) return next;
  const cuts = editsOf(next);
  for (const { key, keyFrom, ...entry } of after.entries)
    if (gone.includes(key)) cuts.replace(keyFrom, lineAfter(next, entryEnd({ key, keyFrom, ...entry })), '');
  return cuts.apply();
}

const printEntry = (rule: Rule): string => throughPackage('', [rule], '').trimEnd();

function throughPackage(text: string, rules: readonly Rule[], file: string): string {
  const doc = parse(text, file);
  for (const { id, at, version, approved, why, ...entry } of rules) {
    // What says nothing takes no room in a file that people read.
    const rest = { ...(at && { at }), ...(version && { version }), ...(approved && { approved }), ...(why && { why }) };
    doc.set(id, doc.createNode({ ...entry, ...rest }, { flow: true }));
  }
  for (const id of tooMany(doc.toJS() as Entries)) doc.delete(id);
  return doc.toString({ lineWidth: 0 });
}

type Entries = Record<string, Partial<Rule>>;

const tooMany = (entries: Entries): string[] => {
  const held = heldIds(entries);
  return held.slice(0, Math.max(0, held.length - HELD_MOST));
};

/** Ids of what is only held: first what was seen on the fewest items, and of that the oldest. */
const heldIds = (entries: Entries): string[] =>
  Object.entries(entries)
    .filter(([, entry]) => entry.state === 'held')
    .sort(([, a], [, b]) => (a.items?.length ?? 0) - (b.items?.length ?? 0) || (a.tick ?? 0) - (b.tick ?? 0))
    .map(([id]) => id);

function parse(text: string, file: string) {
  const doc = parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: true, logLevel: 'error' });
  const bad = doc.errors[0] ?? doc.warnings[0];
  if (bad === undefined) return doc;
  const [place] = bad.linePos ?? [];
  const at = place === undefined ? file : `${file}:${place.line}:${place.col}`;
  throw new PawlError('E_FORMAT', bad.message.split('\n')[0] ?? 'not YAML', { at });
}
