import { isMap, parseDocument } from 'yaml';
import type { Rule } from '../core/rule.ts';
import { PawlError } from '../errors.ts';
import { readPlain } from './plain-yaml.ts';
import { valuesOf } from './yaml-nodes.ts';

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
  const doc = parse(current === '' ? HEADING : current, file);
  for (const { id, at, version, approved, why, ...entry } of rules) {
    // What says nothing takes no room in a file that people read.
    const rest = { ...(at && { at }), ...(version && { version }), ...(approved && { approved }), ...(why && { why }) };
    doc.set(id, doc.createNode({ ...entry, ...rest }, { flow: true }));
  }
  const held = heldIds(doc.toJS() as Record<string, Partial<Rule>>);
  for (const id of held.slice(0, Math.max(0, held.length - HELD_MOST))) doc.delete(id);
  return doc.toString({ lineWidth: 0 });
}

/** Ids of what is only held: first what was seen on the fewest items, and of that the oldest. */
const heldIds = (entries: Record<string, Partial<Rule>>): string[] =>
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
