import type { ErrorClass, OutcomeName } from './model.ts';

/** What one dispatch does to the counters. */
export interface Account {
  /** The item gets its mark. */
  marks: boolean;
  /** It counts as a try of the item. */
  tried: boolean;
  streak: 'reset' | 'add' | 'add-once-a-batch' | 'same';
  /** The loop stops for a person at once. */
  pauses: boolean;
  /** It counts against the daily cap. */
  counted: boolean;
}

const row = (change: Partial<Account>): Account => ({
  marks: false,
  tried: false,
  streak: 'same',
  pauses: false,
  counted: true,
  ...change,
});

const finished = row({ marks: true, streak: 'reset' });
const failed = row({ tried: true, streak: 'add' });

const byOutcome: Record<OutcomeName, Account> = {
  done: finished,
  nothing: finished,
  'needs-human': row({}),
  failed,
  'timed-out': failed,
  // From its second loss in a row a loss is a try: `trail` counts those.
  lost: row({ streak: 'add-once-a-batch' }),
  released: row({ counted: false }),
  superseded: row({}),
};

/** Failures that are not the item's: the class says more than the outcome. */
const byClass: Record<Exclude<ErrorClass, 'item'>, Account> = {
  infra: row({ streak: 'add-once-a-batch' }),
  tool: row({ streak: 'add-once-a-batch' }),
  limit: row({ counted: false }),
  auth: row({ pauses: true }),
  boundary: row({ pauses: true }),
};

/** The table of what counts (DESIGN 7.4), one row an outcome. */
export function account(outcome: OutcomeName, errorClass: ErrorClass | null): Account {
  if (outcome !== 'failed' && outcome !== 'timed-out') return byOutcome[outcome];
  return errorClass === null || errorClass === 'item' ? byOutcome[outcome] : byClass[errorClass];
}
