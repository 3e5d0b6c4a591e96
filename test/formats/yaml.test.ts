import { describe, expect, test } from 'vitest';
import { fieldsOf, idText, textList, wholeNumber } from '../../src/formats/fields.ts';
import { readNodes } from '../../src/formats/yaml.ts';

const stretch = (yaml: string, above = '') => ({
  file: 'a.md',
  text: above + yaml,
  from: above.length,
  to: above.length + yaml.length,
});
const refusal = (yaml: string, above = '') => {
  try {
    readNodes(stretch(yaml, above));
  } catch (error) {
    return error as { name: string; code: string; at: string; message: string };
  }
  throw new Error('was not refused');
};

describe('only the strict part of YAML is read', () => {
  test.for<[string, string, RegExp]>([
    ['a: &x 1\nb: *x\n', 'a.md:1:7', /anchors/],
    ['b: *x\n', 'a.md:1:4', /./],
    ['a: !!str 1\n', 'a.md:1:10', /tags/],
    ['a: !mine 1\n', 'a.md:1:4', /tag/],
    ['a: !!js/function x\n', 'a.md:1:4', /tag/],
    ['a: { ! b: 1 }\n', 'a.md:1:8', /tags/],
    ['a: 1\nb: { c: 1, c: 2 }\n', 'a.md:2:12', /c should be here only once/],
    ['__proto__: 1\n', 'a.md:1:1', /plain word/],
    ['a: { constructor: 1 }\n', 'a.md:1:6', /plain word/],
    ['a: [{ "prototype": 1 }]\n', 'a.md:1:7', /plain word/],
    ['1: x\n', 'a.md:1:1', /plain word/],
    ['[a]: x\n', 'a.md:1:1', /plain word/],
    ['? a\n: x\n', 'a.md:1:3', /question mark/],
    ['a: 1\n...\nb: 2\n', 'a.md:3:1', /./],
    ['%YAML 1.1\n---\na: yes\n', 'a.md:1:1', /directives/],
    ['# c\n---\na: 1\n', 'a.md:1:1', /directives/],
    ['a: "\\q"\n', 'a.md:1:5', /escape/],
    ['a:\n\tb: 1\n', 'a.md:2:1', /tab/i],
    ['a: \u0007\n', 'a.md:1:4', /U\+0007/],
    ['a: 1\n\ufeffb: 2\n', 'a.md:2:1', /byte-order/],
    ['- a\n', 'a.md:1:1', /key: value/],
    ['just words\n', 'a.md:1:1', /key: value/],
    [`a: ${'['.repeat(21)}${']'.repeat(21)}\n`, 'a.md:1:24', /20 levels/],
    [`a: ${'x'.repeat(262_144)}\n`, 'a.md:1:1', /262144/],
  ])('%j', ([yaml, at, message]) => {
    expect(refusal(yaml)).toMatchObject({ name: 'PawlError', code: 'E_FORMAT', at });
    expect(refusal(yaml).message).toMatch(message);
  });

  test('lines are counted in the whole file', () => {
    expect(refusal('a: 1\na: 2\n', '---\n').at).toBe('a.md:3:1');
    const map = fieldsOf(
      stretch('caps: { items_per_day: ten }\n', '---\n'),
      readNodes(stretch('caps: { items_per_day: ten }\n', '---\n')),
    );
    expect(() => map.map('caps').get('items_per_day', wholeNumber)).toThrow(
      'a.md:2:24: caps.items_per_day should be a whole number, got "ten"',
    );
  });

  test('a key of Object itself is a key like others, and a merge key merges nothing', () => {
    const yaml = stretch('toString: 1\n<<: { a: 2 }\n');
    const fields = fieldsOf(yaml, readNodes(yaml));
    expect(fields.get('toString', wholeNumber)).toBe(1);
    expect(fields.has('a')).toBe(false);
    expect(fields.get('valueOf', wholeNumber, 7)).toBe(7);
  });
});

test('every wrong value says what was there', () => {
  const yaml = stretch('map: { a: 1 }\nlist: [a, 1]\nempty:\nlong: 1.5\nid: 007\n');
  const fields = fieldsOf(yaml, readNodes(yaml));
  expect(() => fields.get('map', wholeNumber)).toThrow('a.md:1:6: map should be a whole number, got a map');
  expect(() => fields.get('list', textList)).toThrow('a.md:2:7: list should be a list of text, ["a", "b"], got a list');
  expect(() => fields.get('empty', wholeNumber)).toThrow('a.md:3:1: empty should be a whole number, got nothing');
  expect(() => fields.get('missing', wholeNumber)).toThrow('a.md:1:1: missing should be a whole number, got nothing');
  expect(() => fields.get('long', wholeNumber)).toThrow('a.md:4:7: long should be a whole number, got 1.5');
  expect(fields.get('id', idText)).toBe('007');
});

const lines = Array.from(
  { length: 9 },
  (_, n) =>
    `k${n}: &k${n} [${Array(9)
      .fill(n ? `*k${n - 1}` : 'x')
      .join(', ')}]`,
);
const BOMB = `${lines.join('\n')}\n`;

test('case D4: an alias bomb is refused before it grows', () => {
  refusal('a: &x 1\n');
  const memory = process.memoryUsage().rss;
  const cpu = process.cpuUsage();
  expect(refusal(BOMB).message).toMatch(/anchors/);
  expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(50);
  expect(process.memoryUsage().rss - memory).toBeLessThan(20 * 2 ** 20);
});

test('no text makes it hang or run out of stack', () => {
  for (const yaml of [
    Array.from({ length: 30_000 }, (_, n) => `k${n}: 1`).join('\n'),
    `a: ${'['.repeat(100_000)}`,
    '{a: '.repeat(50_000),
    '- '.repeat(100_000),
    `a: {${':,'.repeat(50_000)}}`,
    `a:\n${Array.from({ length: 600 }, (_, n) => `${' '.repeat(n + 1)}a:`).join('\n')}`,
  ]) {
    const cpu = process.cpuUsage();
    try {
      readNodes(stretch(yaml));
    } catch (error) {
      expect(error).toMatchObject({ code: 'E_FORMAT', at: expect.stringMatching(/^a\.md:\d+:\d+$/) });
    }
    expect(process.cpuUsage(cpu).user / 1000, yaml.slice(0, 20)).toBeLessThan(5000);
  }
});
