import { expect, test } from 'vitest';
import { stops } from '../../src/core/stops/index.ts';
import type { StopView } from '../../src/core/stops/stop.ts';

const QUIET: StopView = {
  ...{ streak: 2, pauseAfterErrors: 3, pause: null, waiting: null, room: 1, itemsPerDay: 5, spend: [] },
  ...{ ready: 1, waitingForPerson: 0, inShadow: 0 },
};
const money = (spent: number, dearest: number) => ({ spend: [{ name: 'usd', spent, cap: 10, dearest }] });

/** Each as it is alone, in the order in which they are checked. */
const ALONE: [string, boolean, Partial<StopView>, string][] = [
  ['boundary', true, { pause: 'auth: log in' }, 'auth: log in'],
  ['errors-in-a-row', true, { streak: 3 }, '3 errors in a row'],
  ['waiting', false, { waiting: '2026-06-09T09:00:00.000Z' }, 'waiting until 2026-06-09T09:00:00.000Z'],
  ['daily-cap', false, { room: 0 }, 'daily cap of 5 items reached'],
  ['budget', false, money(9, 3), 'budget: 9 of 10 usd spent today'],
  ['exhausted', false, { ready: 0 }, 'nothing left to do'],
];

const first = (view: StopView) => {
  for (const { name, pauses, check } of stops) {
    const reason = check(view);
    if (reason !== null) return { name, pauses, reason };
  }
  return null;
};

test.each(ALONE)('A39: %s alone', (name, pauses, change, reason) => {
  expect(first({ ...QUIET, ...change })).toEqual({ name, pauses, reason });
});

test('A39: nothing stops a quiet loop', () => {
  expect(first(QUIET)).toBeNull();
});

test('A39: of several the first in this order is told', () => {
  for (let from = 0; from < ALONE.length; from += 1) {
    const both = Object.assign({}, QUIET, ...ALONE.slice(from).map(([, , change]) => change));
    expect(first(both)?.name).toBe(ALONE[from]?.[0]);
  }
});

test('case E7: the dearest run so far is reserved before it is spent', () => {
  expect(first({ ...QUIET, ...money(7, 3) })).toBeNull();
  expect(first({ ...QUIET, ...money(7.5, 3) })?.name).toBe('budget');
  expect(first({ ...QUIET, ...money(10, 0) })?.name).toBe('budget');
});

test('what waits for a person is counted where nothing else is left', () => {
  expect(first({ ...QUIET, ready: 0, waitingForPerson: 2 })?.reason).toContain('2 in review.md');
});
