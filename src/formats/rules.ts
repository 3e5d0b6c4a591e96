import { isMap, parseDocument } from 'yaml';
import type { Rule } from '../core/capture.ts';
import { PawlError } from '../errors.ts';

const HEADING = '# What became of each learning, by id. Change a state to `vetoed` and it is never applied.\n';

/** Reads the ledger of learnings. @throws PawlError `E_FORMAT` with file:line:column. */
export function parseRules(text: string, file: string): Rule[] {
  const doc = parse(text, file);
  if (doc.contents === null) return [];
  if (!isMap(doc.contents))
    throw new PawlError('E_FORMAT', 'expected one entry a learning: `L1: { ... }`', { at: file });
  return Object.entries(doc.toJS() as Record<string, Partial<Rule>>).map(([id, entry]) => {
    const states: Rule['state'][] = ['held', 'queued', 'vetoed', 'refused'];
    const state = states.find((each) => each === entry?.state);
    if (state === undefined || typeof entry.rule !== 'string')
      throw new PawlError('E_FORMAT', `${id} should have a rule and a state of ${states.join(', ')}`, { at: file });
    return {
      id,
      state,
      key: String(entry.key ?? ''),
      rule: entry.rule,
      level: entry.level === 1.5 ? 1.5 : 1,
      tick: Number(entry.tick ?? 0),
      day: String(entry.day ?? ''),
      items: Array.isArray(entry.items) ? entry.items.map(String) : [],
    };
  });
}

/** Sets the entries of `rules`, one line each; comments and all other entries stay. */
export function printRules(current: string, rules: readonly Rule[], file: string): string {
  const doc = parse(current === '' ? HEADING : current, file);
  for (const { id, ...entry } of rules) doc.set(id, doc.createNode(entry, { flow: true }));
  return doc.toString({ lineWidth: 0 });
}

function parse(text: string, file: string) {
  const doc = parseDocument(text, { version: '1.2', schema: 'core', uniqueKeys: true, logLevel: 'error' });
  const bad = doc.errors[0] ?? doc.warnings[0];
  if (bad === undefined) return doc;
  const [place] = bad.linePos ?? [];
  const at = place === undefined ? file : `${file}:${place.line}:${place.col}`;
  throw new PawlError('E_FORMAT', bad.message.split('\n')[0] ?? 'not YAML', { at });
}
