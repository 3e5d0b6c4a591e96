import { expect, test } from 'vitest';
import { collect, isStalled, outcomeLine } from '../../src/core/collect.ts';
import type { ErrorClass, Result } from '../../src/core/model.ts';
import { ended, failure, result } from '../support/world.ts';

const broken = (errorClass: ErrorClass, more: object = {}) =>
  failure('x', { error: { class: errorClass, message: 'no', ...more } });
const F = failure('x');
const OK = result('x');
const LOST = result('x', { outcome: 'lost' });

const streak = (before: number, ...results: Result[]) => collect([ended(results)], before).streak;

test.each([
  ['D7, A63: any success sets it to 0', 2, [F, OK, F], 1],
  ['D7: it is counted on from before', 2, [F], 3],
  ['A64: per item, in item order', 0, [F, F, OK, F, F, F], 3],
  ['a batch whose network broke adds one', 1, [broken('infra'), broken('infra'), broken('tool')], 2],
  ['losses of one batch add one', 0, [LOST, LOST], 1],
  ['infra and a loss in one batch are one', 0, [broken('infra'), LOST], 1],
  ['D9: limit, auth and boundary leave it', 2, [broken('limit'), broken('auth'), broken('boundary')], 2],
  [
    'needs-human and released leave it',
    2,
    [result('x', { outcome: 'needs-human' }), result('x', { outcome: 'released' })],
    2,
  ],
] as const)('%s', (_, before, results, after) => {
  expect(streak(before, ...results)).toBe(after);
});

test('an outage adds one a batch, not one for all batches', () => {
  expect(collect([ended([broken('infra')]), ended([broken('infra'), LOST])], 0).streak).toBe(2);
});

test('a login that fails and a crossed boundary pause at once, with the first reason', () => {
  expect(collect([ended([OK, broken('auth'), broken('boundary')])], 0).pause).toBe('auth: no');
  expect(collect([ended([broken('boundary')])], 0).pause).toBe('boundary: no');
  expect(collect([ended([F, broken('infra')])], 0).pause).toBeNull();
});

test('of several limits the latest reset holds, and one that names none takes nothing away', () => {
  const at = (hour: string) => broken('limit', { retryAt: `2026-06-09T${hour}:00:00.000Z` });
  expect(collect([ended([at('10'), at('12'), at('11'), broken('limit')])], 0).limit).toEqual({
    until: '2026-06-09T12:00:00.000Z',
  });
  expect(collect([ended([broken('limit')])], 0).limit).toEqual({ until: null });
  expect(collect([ended([OK])], 0).limit).toBeNull();
});

test('only what gets its mark, or had it from us, counts as marked', () => {
  const batch = ended([OK, result('y', { outcome: 'nothing' }), F, OK]);
  expect(collect([batch], 0).marked).toBe(3);
  const [last] = batch.sightings.splice(3, 1);
  batch.sightings.push({ ...last, item: { as: 'superseded', kept: [] } } as never);
  expect(collect([batch], 0).marked).toBe(2);
});

test('what could not be filed says so instead of done: superseded, orphan, lost', () => {
  const batch = ended([OK, OK, OK]);
  const [first, second, third] = batch.sightings;
  Object.assign(first ?? {}, { item: { as: 'superseded', kept: [] } });
  Object.assign(second ?? {}, { item: { as: 'gone', kept: [] } });
  Object.assign(third ?? {}, { ownTaken: false });
  const { finished, streak: after } = collect([batch], 2);
  expect(finished.map(({ outcome }) => outcome)).toEqual(['superseded', 'superseded', 'lost']);
  expect(finished.map(({ message }) => message)).toEqual([
    expect.stringContaining('changed by somebody'),
    expect.stringContaining('orphan'),
    expect.stringContaining('missing or was changed'),
  ]);
  expect(after).toBe(3);
});

test('the line of outcomes.jsonl is one line, names the class, and never has a negative duration', () => {
  const result = failure('a.md', { summary: 'x', error: { class: 'tool', message: 'two\nlines <!-- ' } });
  const [one] = collect([ended([result])], 0).finished;
  if (one === undefined) throw new Error('nothing was collected');
  const backwards = { ...one, result: { ...one.result, endedAt: '2026-06-09T07:00:00.000Z' } };
  expect(outcomeLine(backwards, 41, '2026-06-09')).toMatchObject({
    ...{ run: 10, item: 'a.md', tick: 41, outcome: 'failed', class: 'tool', message: 'two lines &lt;!--', ms: 0 },
  });
  const never = { ...one, result: { ...one.result, startedAt: null } };
  expect(outcomeLine(never, 41, '2026-06-09')).toMatchObject({ ms: null });
});

test('a batch of which nothing was started is free once; the second in a row is our own failure, and its line says where to look', () => {
  const given = (by: Result['by']) =>
    ended([result('a', { outcome: 'released', by }), result('b', { outcome: 'released', by })]);
  expect(isStalled(given('reaper'))).toBe(true);
  expect(collect([given('reaper')], 1)).toMatchObject({ streak: 1, infra: false, stalled: false });
  expect(collect([given('reaper')], 1, true)).toMatchObject({ streak: 2, infra: true, stalled: true });
  // The supervisor itself gave them back, because of a pause or a stop: that is no failure, however often.
  expect(isStalled(given('supervisor'))).toBe(false);
  expect(collect([given('supervisor')], 1, true)).toMatchObject({ streak: 1, infra: false, stalled: false });
  // One that was started is another matter.
  expect(isStalled(ended([result('a', { outcome: 'released', by: 'reaper' }), result('b')]))).toBe(false);
});
