import { expect, test } from 'vitest';
import { judgeFiling, type Sighting } from '../../src/core/filing.ts';
import { failure, result, sighting } from '../support/world.ts';

type Output = Sighting['outputs'][number];

const base: Output = { path: 'out/base.txt', now: 'base', taken: true };
const made: Output = { path: 'out/made.txt', now: 'new', taken: true };
const other: Output = { path: 'out/other.txt', now: 'other', taken: true };
const missing: Output = { path: 'out/missing.txt', now: 'base', taken: false };

const judged = (change: Partial<Sighting>, of = result('a.md')) => judgeFiling(sighting(of, change));
const as = (name: NonNullable<Sighting['item']>['as']) => ({ as: name, kept: [] });

test('without a mark, only outputs that still are as the run found them are written', () => {
  expect(judged({ outputs: [base, made] })).toEqual({ kind: 'file', writes: ['out/base.txt'] });
});

test('outputs are checked before any is written: one that somebody changed supersedes all', () => {
  expect(judged({ outputs: [base, other] })).toEqual({ kind: 'superseded', writes: [] });
  expect(judged({ item: as('superseded'), outputs: [base] })).toEqual({ kind: 'superseded', writes: [] });
});

test('D1, A22: with the mark nothing is written: our own filing if all outputs are ours, else a person’s', () => {
  expect(judged({ item: as('already'), outputs: [made] })).toEqual({ kind: 'already', writes: [] });
  expect(judged({ item: as('already'), outputs: [made, other] })).toEqual({ kind: 'theirs', writes: [] });
  expect(judged({ item: as('already'), outputs: [base] })).toEqual({ kind: 'theirs', writes: [] });
  expect(judged({ item: as('theirs'), outputs: [base] })).toEqual({ kind: 'theirs', writes: [] });
});

test('A26: an item that is gone is an orphan, whatever its outputs', () => {
  expect(judged({ item: as('gone'), outputs: [base, other] })).toEqual({ kind: 'orphan', writes: [] });
});

test('bytes that are not those handed over are lost, never done', () => {
  expect(judged({ outputs: [base, missing] })).toEqual({ kind: 'lost', writes: [] });
  expect(judged({ ownTaken: false })).toEqual({ kind: 'lost', writes: [] });
});

test('an output that is in its place needs no bytes any more', () => {
  expect(judged({ outputs: [{ ...made, taken: false }] })).toEqual({ kind: 'file', writes: [] });
});

test('a run that did not succeed files nothing, even if its item has a mark by now', () => {
  expect(judged({ outputs: [base] }, failure('a.md')).kind).toBe('none');
  expect(judged({ item: as('already'), outputs: [base] }, failure('a.md')).kind).toBe('none');
});
