import type { Finished } from './collect.ts';
import type { Day, Learning, Procedure } from './model.ts';
import { cut, oneLine } from './text.ts';

/** An entry of rules.yaml: what became of a learning, by id. */
export interface Rule {
  id: string;
  state: 'held' | 'queued' | 'vetoed' | 'refused';
  /** The signature it is meant to prevent; without one its own words, normalised. */
  key: string;
  rule: string;
  level: 1 | 1.5;
  tick: number;
  day: Day;
  /** Distinct items it was seen on: text inside one item can't raise the count. */
  items: string[];
}

export interface Captured {
  queued: Learning[];
  /** Entries of rules.yaml that are new or changed. */
  rules: Rule[];
  refused: { rule: string; why: string }[];
}

const LONGEST = 300;
/** Until learnings are applied nothing empties the queue, and state.md has to stay small. */
const QUEUE_MOST = 20;

/** Puts what finished runs learned into the queue, or holds it until enough distinct items have shown it. */
export function capture(
  finished: readonly Finished[],
  known: readonly Rule[],
  at: { tick: number; day: Day; queue: readonly Learning[]; learn: Procedure['learn']; nextId: number },
): Captured {
  const captured: Captured = { queued: [], rules: [], refused: [] };
  if (at.learn.mode === 'off') return captured;
  const rules = new Map(known.map((rule) => [rule.key, rule]));
  let nextId = at.nextId;
  let today = known.filter(({ state, day }) => state === 'queued' && day === at.day).length;
  for (const { result } of finished)
    for (const { rule: text, target, level } of result.learnings) {
      const rule = clean(text);
      const why =
        rule === '' ? 'it is empty' : [...rule].length > LONGEST ? `it is longer than ${LONGEST} characters` : null;
      if (why !== null) {
        captured.refused.push({ rule: cut(rule, 60), why });
        continue;
      }
      const signature = oneLine(target ?? '') || null;
      const key = signature ?? `text:${rule.toLowerCase()}`;
      const before = rules.get(key);
      if (before?.items.includes(result.item) || (before !== undefined && before.state !== 'held')) continue;
      const items = [...(before?.items ?? []), result.item];
      const full = at.queue.length + captured.queued.length >= QUEUE_MOST || today >= at.learn.perDay;
      const due = at.learn.mode === 'on' && items.length >= at.learn.sightings && !full;
      const entry: Rule = before
        ? { ...before, items, ...(due ? { state: 'queued', tick: at.tick, day: at.day } : {}) }
        : { id: `L${nextId++}`, state: due ? 'queued' : 'held', key, rule, level, tick: at.tick, day: at.day, items };
      rules.set(key, entry);
      captured.rules = [...captured.rules.filter(({ id }) => id !== entry.id), entry];
      if (!due) continue;
      today += 1;
      captured.queued.push({
        id: entry.id,
        tick: at.tick,
        target: signature,
        level: entry.level,
        rule: entry.rule,
        veto: false,
      });
    }
  return captured;
}

/** One line without markup at its start and without anything that could end a comment or open a fence. */
function clean(text: string): string {
  return oneLine(text)
    .replace(/<!--|-->|```|~~~/g, ' ')
    .replace(/^[\s>#*+|-]+/, '')
    .replace(/\s+/g, ' ')
    .trim();
}
