import { expect, test } from 'vitest';
import { judge } from '../../src/formats/judge.ts';
import type { ResultEvent } from '../../src/formats/protocol.ts';

const exit = (code: number) => ({ code, signal: null });
const result: ResultEvent = {
  type: 'result',
  outcome: 'done',
  summary: 'filled in two fields',
  error: null,
  fields: { company: 'Acme' },
  surprises: [],
  unsure: [],
  usage: { usd: 0.02 },
};
const failed: ResultEvent = { ...result, outcome: 'failed', summary: 'no such company' };

test('exit 0 with one result is a finished run, and the result stands as it is', () => {
  const { type: _, ...rest } = result;
  expect(judge(exit(0), [result], 'ended')).toEqual(rest);
});

test('case A2: exit 0 without a result is a failure, with what was said as its reason', () => {
  const outcome = judge(exit(0), [], 'ended', 'Which company do you mean? And which year?');
  expect(outcome).toMatchObject({ outcome: 'failed', error: { class: 'item' } });
  expect(outcome.error?.message).toBe('exit 0 without a result: Which company do you mean? And which year?');
});

test('two results are a failure, also when one of them breaks the protocol', () => {
  const invalid = { type: 'invalid' as const, of: 'result', why: 'w' };
  for (const pair of [
    [result, result],
    [result, invalid],
  ])
    expect(judge(exit(0), pair, 'ended').error).toEqual({
      class: 'item',
      message: 'exit 0 with 2 results instead of one',
    });
  expect(judge(exit(0), [invalid], 'ended').error?.message).toBe('the result breaks the protocol: w');
});

test.each([
  [75, 'infra', 'try later (exit 75): no route'],
  [78, 'auth', 'misconfigured (exit 78): no route'],
  [1, 'item', 'exit 1: no route'],
  [127, 'item', 'exit 127: no route'],
])('exit %i is class %s', (code, kind, message) => {
  expect(judge(exit(code), [], 'ended', 'no route')).toMatchObject({
    outcome: 'failed',
    error: { class: kind, message },
  });
});

test('a result does not save a program that exits with something else, but gives the reason', () => {
  const outcome = judge(exit(1), [{ ...result, summary: 'all well' }], 'ended', 'noise');
  expect(outcome).toMatchObject({ outcome: 'failed', fields: {}, error: { message: 'exit 1: all well' } });
});

test('a program ended by a signal nobody here sent has failed', () => {
  expect(judge({ code: null, signal: 'SIGSEGV' }, [], 'ended').error).toEqual({
    class: 'item',
    message: 'ended by SIGSEGV',
  });
});

test.each([
  ['timed-out', 'timed-out', 'item'],
  ['silent', 'timed-out', 'item'],
  ['output-limit', 'failed', 'item'],
  ['could-not-start', 'failed', 'infra'],
] as const)('a program that was %s comes to %s, class %s', (why, outcome, kind) => {
  expect(judge({ code: null, signal: 'SIGTERM' }, [result], why)).toMatchObject({ outcome, error: { class: kind } });
});

test('a program stopped by a person is released, free of charge', () => {
  expect(judge({ code: null, signal: 'SIGTERM' }, [result], 'stopped')).toMatchObject({
    outcome: 'released',
    error: null,
  });
});

test('a failed result has an error: its own, or class item with the summary', () => {
  expect(judge(exit(0), [failed], 'ended').error).toEqual({ class: 'item', message: 'no such company' });
  const limit = { class: 'limit' as const, message: '', retryAt: '2026-06-09T08:15:00.000Z' };
  expect(judge(exit(0), [{ ...failed, error: limit }], 'ended').error).toEqual({
    ...limit,
    message: 'no such company',
  });
  expect(judge(exit(0), [{ ...failed, summary: '' }], 'ended').error?.message).toBe(
    'the worker reported a failure and gave no reason',
  );
});
