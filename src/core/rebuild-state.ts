import { toLearning } from './capture.ts';
import type { Claim, Day, Learning, State } from './model.ts';
import type { Rule } from './rule.ts';

/** What is left when state.md can't be read. */
export interface Remains {
  day: Day;
  /** The highest number in ticks/, batches/ and versions/. */
  tick: number;
  /** Dispatches of `day` by the claims. */
  count: number;
  /** Marked items, by the source; null when loop.md can't be read either. */
  marked: number | null;
  /** Counters of the newest claim, its own marks added when it is filed; 0 without one. */
  counted: { done: number; cursor: number; streak: number };
  /** Claims without filed.json. */
  open: Claim[];
  rules: readonly Rule[];
  /** The old file, as far as it is text. */
  torn: string;
  why: string;
}

/**
 * A state that is safe to go on from: paused, and no count below the real one.
 *
 * Digits still legible in the old file only ever raise a count: a cap met too early costs a day, one met too late costs money.
 */
export function rebuildState(remains: Remains): State {
  const { day, torn, open, counted } = remains;
  const isToday = [...torn.matchAll(/\bdate: *(\d{4}-\d\d-\d\d)/g)].some(([, date]) => date === day);
  const done = Math.max(counted.done, remains.marked ?? 0, highest(torn, 'done_count'));
  return {
    paused: true,
    pauseReason: remains.why,
    tick: Math.max(remains.tick, highest(torn, 'tick')),
    cursor: Math.max(counted.cursor, highest(torn, 'cursor')),
    doneCount: done,
    today: {
      date: day,
      count: Math.max(remains.count, isToday ? highest(torn, 'count') : 0),
      errorsInARow: Math.max(counted.streak, highest(torn, 'errors_in_a_row')),
    },
    waitingUntil: null,
    inFlight: open.flatMap(({ batch, runs, at, until, launcher }) =>
      runs.map(({ run, item }) => ({ batch, run, item, since: at.time, until, host: launcher.host })),
    ),
    queuedLearnings: remains.rules.filter(({ state }) => state === 'queued').map((rule) => learning(rule, torn)),
  };
}

/** More digits than these are no count of ours. */
function highest(torn: string, key: string): number {
  const found = [...torn.matchAll(new RegExp(`(?<![\\w-])${key}: *(\\d{1,7})(?!\\d)`, 'g'))];
  return Math.max(0, ...found.map(([, digits]) => Number(digits)));
}

/** A veto that is still legible holds. */
function learning(rule: Rule, torn: string): Learning {
  const veto = torn.split('\n').some((line) => line.includes(`id: ${rule.id},`) && /\bveto: *true\b/.test(line));
  return { ...toLearning(rule, rule.tick), veto };
}
