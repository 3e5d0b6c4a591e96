import type { Finished } from './collect.ts';
import { isSignature, lint } from './lint.ts';
import type { Day, Instant, Learning, Procedure } from './model.ts';
import { badText, isClosed, type Rule, ruleText, wordsOf } from './rule.ts';
import { cut, oneLine } from './text.ts';

export interface Captured {
  queued: Learning[];
  /** Entries of rules.yaml that are new or changed. */
  rules: Rule[];
  refused: { rule: string; why: string }[];
}

export interface CaptureAt {
  tick: number;
  day: Day;
  now: Instant;
  queue: readonly Learning[];
  learn: Procedure['learn'];
  nextId: number;
}

/** state.md has to stay small. */
const QUEUE_MOST = 20;
/** Of one run: more is noise, or an attempt to bury something. */
const SAYINGS_MOST = 10;

/** Something a finished run said, as it would stand in a block. */
interface Said {
  rule: string;
  signature: string | null;
  key: string;
  level: 1 | 1.5;
  item: string;
  run: number;
}

/** Puts what finished runs learned into the queue, or holds it until enough distinct items have shown it or a person says so. */
export function capture(finished: readonly Finished[], known: readonly Rule[], at: CaptureAt): Captured {
  const captured: Captured = { queued: [], rules: [], refused: [] };
  if (at.learn.mode === 'off') return captured;
  const rules = new Map(known.map((rule) => [rule.id, rule]));
  let nextId = at.nextId;
  let today = known.filter(({ state, day }) => state !== 'held' && state !== 'refused' && day === at.day).length;
  for (const saying of finished.flatMap(sayings)) {
    const said = read(saying);
    if ('why' in said) {
      captured.refused.push({ rule: cut(said.rule, 60), why: said.why });
      continue;
    }
    const before = heardBefore([...rules.values()], said);
    if (before === 'settled' || before?.items.includes(said.item)) continue;
    const seen = before ?? newRule(`L${nextId++}`, said, at);
    const entry = { ...seen, items: [...seen.items, said.item], runs: [...seen.runs, said.run] };
    const full = at.queue.length + captured.queued.length >= QUEUE_MOST || today >= at.learn.perDay;
    const due = at.learn.mode === 'on' && entry.why === '' && entry.items.length >= at.learn.sightings && !full;
    const next: Rule = due ? { ...entry, state: 'queued', tick: at.tick, day: at.day, at: at.now } : entry;
    rules.set(next.id, next);
    captured.rules = [...captured.rules.filter(({ id }) => id !== next.id), next];
    if (!due) continue;
    today += 1;
    captured.queued.push(toLearning(next, at.tick));
  }
  return captured;
}

/** Its line in state.md. */
export const toLearning = ({ id, key, level, rule }: Rule, tick: number): Learning => {
  return { id, tick, target: key.startsWith('text:') ? null : key, level, rule, veto: false };
};

/** What a run reported as learned, and what surprised it: both are things to know for the next item. */
function sayings({ result }: Finished) {
  const { item, run } = result;
  return [
    ...result.learnings.map((learning) => ({ ...learning, item, run })),
    ...result.surprises.map((rule) => ({ rule, target: null, level: 1 as const, item, run })),
  ].slice(0, SAYINGS_MOST);
}

function read(saying: ReturnType<typeof sayings>[number]): Said | { rule: string; why: string } {
  const rule = ruleText(saying.rule);
  const signature = oneLine(saying.target ?? '') || null;
  const why = badText(rule) ?? (signature === null || isSignature(signature) ? null : badTarget(signature));
  if (why !== null) return { rule, why };
  const { level, item, run } = saying;
  return { rule, signature, key: signature ?? `text:${wordsOf(rule)}`, level, item, run };
}

const badTarget = (target: string) => `its target should name an error, such as http.429, got ${cut(target, 40)}`;

/**
 * The entry that this adds to, `settled` when the same idea was decided on, or null when it is new.
 *
 * The same words are the same idea under any target; under the same target other words are a new idea once the old one was turned down.
 */
function heardBefore(rules: readonly Rule[], { rule, key }: Said): Rule | 'settled' | null {
  const same = rules.filter((each) => each.key === key || wordsOf(each.rule) === wordsOf(rule));
  const open = same.find(({ state }) => state === 'held');
  if (open !== undefined) return open;
  return same.some((each) => !isClosed(each) || wordsOf(each.rule) === wordsOf(rule)) ? 'settled' : null;
}

function newRule(id: string, { rule, key, level }: Said, { tick, day }: CaptureAt): Rule {
  return {
    ...{ id, state: 'held', key, rule, level, tick, day, at: '', items: [], runs: [], version: 0, approved: false },
    why: lint(rule) ?? '',
  };
}
