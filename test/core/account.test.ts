import { expect, test } from 'vitest';
import { account } from '../../src/core/account.ts';
import type { ErrorClass, OutcomeName } from '../../src/core/model.ts';

// The table of what counts, row by row: mark, try, streak, pause, counted against the day.
const ROWS: [OutcomeName, ErrorClass | null, boolean, boolean, string, boolean, boolean][] = [
  ['done', null, true, false, 'reset', false, true],
  ['nothing', null, true, false, 'reset', false, true],
  ['failed', 'item', false, true, 'add', false, true],
  ['failed', null, false, true, 'add', false, true],
  ['timed-out', 'item', false, true, 'add', false, true],
  ['timed-out', null, false, true, 'add', false, true],
  ['needs-human', null, false, false, 'same', false, true],
  ['failed', 'infra', false, false, 'add-once-a-batch', false, true],
  ['failed', 'tool', false, false, 'add-once-a-batch', false, true],
  ['timed-out', 'infra', false, false, 'add-once-a-batch', false, true],
  ['lost', null, false, false, 'add-once-a-batch', false, true],
  ['failed', 'limit', false, false, 'same', false, false],
  ['failed', 'auth', false, false, 'same', true, true],
  ['failed', 'boundary', false, false, 'same', true, true],
  ['superseded', null, false, false, 'same', false, true],
  ['released', null, false, false, 'same', false, false],
];

test.each(ROWS)('D6, D9: %s of class %s', (outcome, errorClass, marks, tried, streak, pauses, counted) => {
  expect(account(outcome, errorClass)).toEqual({ marks, tried, streak, pauses, counted });
});

test('a class changes nothing for an outcome that is no failure', () => {
  for (const outcome of ['done', 'nothing', 'needs-human', 'lost', 'released', 'superseded'] as const)
    for (const errorClass of ['item', 'infra', 'tool', 'limit', 'auth', 'boundary'] as const)
      expect(account(outcome, errorClass)).toEqual(account(outcome, null));
});
