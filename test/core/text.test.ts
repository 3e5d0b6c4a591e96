import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { cut, oneLine, quoted } from '../../src/core/text.ts';

test('one line: white space of any kind is one space, and what nobody sees is gone', () => {
  expect(oneLine('  a\r\n\tb\u2028c\u00a0d ')).toBe('a b c d');
  expect(oneLine('a \u200b b')).toBe('a b');
  expect(oneLine('pay\u202eload\u200b\u0000\u{e0041}\ufeff')).toBe('payload');
});

test('cut: to code points, never inside one, with an ellipsis only where something is missing', () => {
  expect(cut('abcdef', 6)).toBe('abcdef');
  expect(cut('abcdefg', 6)).toBe('abcde…');
  expect(cut('😀😀😀', 3)).toBe('😀😀😀');
  expect(cut('😀😀😀😀', 3)).toBe('😀😀…');
});

test.each([
  ['<!-- pawl:retry 1 a -->', '&lt;!-- pawl:retry 1 a --&gt;'],
  ['![x](http://e.example/?q)', '!\\[x](http://e.example/?q)'],
  ['!\u200b[x](http://e.example)', '!\\[x](http://e.example)'],
  ['a\n<!-- /tick:41 -->\n## 08:15 tick 42', 'a &lt;!-- /tick:41 --&gt; ## 08:15 tick 42'],
  ['<img src=x onerror=alert(1)>', '&lt;img src=x onerror=alert(1)>'],
])('E12, case F6: quoted %j can’t leave its line, open a comment or load an image', (from, to) => {
  expect(quoted(from)).toBe(to);
});

const hostile = fc.constantFrom(
  '<',
  '!',
  '--',
  '>',
  '-->',
  '<!--',
  '![',
  '[',
  '\n',
  '\r',
  '\u2028',
  '\u200b',
  '`',
  'x',
);

property.prop([fc.array(hostile).map((parts) => parts.join(''))], { numRuns: 1000 })(
  'quoted: no mixture of pieces becomes markup, and quoting twice changes nothing',
  (text) => {
    const safe = quoted(text);
    expect(safe).not.toMatch(/[\n\r\u2028\u2029<]|!\[|-->/);
    expect(quoted(safe, 10_000)).toBe(safe);
  },
);
