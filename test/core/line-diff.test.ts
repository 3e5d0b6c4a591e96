import { fc, test as prop } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { diffLines } from '../../src/core/line-diff.ts';

const told = (before: string[], after: string[]) => diffLines(before, after).map(({ op, text }) => op + text);
const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 9 });

test('a line that was put in between, changed or moved is told in place', () => {
  expect(told(['a', 'b', 'c'], ['a', 'b', 'c'])).toEqual([]);
  expect(told(['a', 'c'], ['a', 'b', 'c'])).toEqual(['+b']);
  expect(told(['a', 'b', 'c'], ['a', 'x', 'c', 'd'])).toEqual(['-b', '+x', '+d']);
  expect(told(['a', 'b', 'c'], ['c', 'a', 'b'])).toEqual(['+c', '-c']);
});

test('two long texts that have nothing in common are told whole', () => {
  const many = (name: string) => Array.from({ length: 2_100 }, (_, index) => `${name}${index}`);
  expect(diffLines(many('a'), many('b'))).toHaveLength(4_200);
});

const walked = (before: readonly string[], after: readonly string[]) => {
  const out = diffLines(before, after);
  const left = (op: string) => out.filter((line) => line.op === op).map(({ text }) => text);
  const rest = (all: readonly string[], gone: string[]) => {
    const kept: string[] = [];
    const queue = [...gone];
    for (const line of all)
      if (queue[0] === line) queue.shift();
      else kept.push(line);
    return { kept: kept.length, left: queue.length };
  };
  return { removed: rest(before, left('-')), added: rest(after, left('+')) };
};

prop.prop([lines, lines])(
  'what is taken out stood there in that order, what is put in stands there',
  (before, after) => {
    const { removed, added } = walked(before, after);
    expect([removed.left, added.left, removed.kept]).toEqual([0, 0, added.kept]);
  },
);
