import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import type { Rule } from '../../src/core/rule.ts';
import { parseRules, printRules } from '../../src/formats/rules.ts';
import { rule } from '../support/world.ts';

const FILE = '.jez/rules.yaml';
const print = (text: string, ...rules: Rule[]) => printRules(text, rules, FILE);
const states = ['held', 'queued', 'applied', 'kept', 'vetoed', 'refused', 'reverted'] as const;

test('an entry is one line, and comes back as it was', () => {
  const first = rule({
    id: 'L1',
    state: 'applied',
    rule: 'Say "no", then: go.',
    version: 3,
    runs: [4],
    items: ['a: b'],
  });
  const text = print('', first, rule({ id: 'L2' }));
  expect(text.split('\n').filter((line) => line.startsWith('L'))).toHaveLength(2);
  expect(parseRules(text, FILE)).toEqual([first, rule({ id: 'L2' })]);
});

test('changing one leaves every other byte: comments, other entries, line ends, unknown keys', () => {
  const text = print('', rule({ id: 'L1' }), rule({ id: 'L2' }));
  const mine = text.replace('L2:', '# mine\r\nL2:').replace('tick: 3', 'tick:  3, note: "by hand"');
  const next = print(mine, rule({ id: 'L2', state: 'vetoed' }), rule({ id: 'L3' }));
  const [before = ''] = mine.split('L2:');
  expect(next.startsWith(before)).toBe(true);
  expect(parseRules(next, FILE).map(({ id, state }) => `${id} ${state}`)).toEqual(['L1 held', 'L2 vetoed', 'L3 held']);
});

test('a file in another form of YAML is changed too', () => {
  const text = 'L1:\n  state: held\n  rule: >-\n    two\n    lines\n';
  expect(parseRules(print(text, rule({ id: 'L2' })), FILE).map(({ rule: of }) => of)).toEqual([
    'two lines',
    'Be kind.',
  ]);
});

test('of what is only held the 500 seen most and last are kept', () => {
  const many = Array.from({ length: 510 }, (_, n) => rule({ id: `L${n + 1}`, tick: n, rule: `Rule ${n}.` }));
  const seen = many.map((each, n) => (n < 3 ? { ...each, items: ['a', 'b'] } : each));
  const kept = parseRules(print('', ...seen, rule({ id: 'L600', state: 'vetoed' })), FILE).map(({ id }) => id);
  expect(kept).toHaveLength(501);
  expect(kept.slice(0, 4)).toEqual(['L1', 'L2', 'L3', 'L14']);
});

const texts = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('yes', '1', 'a: b', '"x"', "it's", '- a', '#', '{', '\\'),
);

property.prop([fc.array(fc.tuple(fc.nat(9), fc.constantFrom(...states), texts), { maxLength: 12 })])(
  'whatever is entered in whatever order is what is read',
  (entries) => {
    const wanted = new Map<string, Rule>();
    let text = '';
    for (const [n, state, said] of entries) {
      const entry = rule({ id: `L${n}`, state, rule: said, why: said, key: said, items: [said] });
      wanted.set(entry.id, entry);
      text = print(text, entry);
    }
    expect(new Map(parseRules(text, FILE).map((each) => [each.id, each]))).toEqual(wanted);
  },
);
