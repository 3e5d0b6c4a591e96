import { fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { ChecklistReader } from '../../src/formats/checklist.ts';
import { printed } from '../../src/formats/checklist-hash.ts';

interface Read {
  box: string;
  text: string;
  own: string | null;
  made: string;
  line: number;
  depth: number;
  at: number;
  end: number;
  isOpenBelow: boolean;
}

/** All tasks in the order in which they are closed. */
function read(text: string | Buffer): Read[] {
  const bytes = Buffer.concat([Buffer.from(text), Buffer.from('\n')]);
  const tasks: Read[] = [];
  const reader = new ChecklistReader(
    ({ box, own, line, at, textAt, textEnd, low, high, isOpenBelow }, _, depth, end) => {
      const words = bytes.toString('utf8', at + textAt, at + textEnd);
      tasks.push({ box, text: words, own, made: printed(low, high), line, depth, at, end, isOpenBelow });
    },
  );
  reader.push(bytes, 0, bytes.length, 0);
  reader.end(bytes.length - 1);
  return tasks;
}

const texts = (text: string | Buffer) => read(text).map((task) => task.text);
const boxes = (text: string) => read(text).map(({ box }) => box);
const ids = (text: string) => read(text).map(({ own, made }) => own ?? made);

describe('what a task is', () => {
  test('case B2: bullets and numbers are, a date, a link, a quote and a box without text are not', () => {
    expect(texts('- [ ] a\n* [ ] b\n+ [ ] c\n1. [ ] d\n2) [ ] e\n123456789. [ ] f\n')).toEqual([
      'a',
      'b',
      'c',
      'd',
      'e',
      'f',
    ]);
    const none = [
      '- [2026-01-29] shipped',
      '- [ ]',
      '- [ ]  ',
      '- [x](http://a.b)',
      '- []  a',
      '-[ ] a',
      '[ ] a',
      '> - [ ] a',
    ];
    const odd = [
      '- > [ ] a',
      '- [ ]a',
      '- [] a',
      'a - [ ] b',
      '1234567890. [ ] a',
      '- \\[ ] a',
      '- - [ ] a',
      '-      [ ] a',
      '- [[ ]] a',
    ];
    for (const text of [...none, ...odd]) expect({ text, tasks: texts(text) }).toEqual({ text, tasks: [] });
  });

  test('a space in the box is open, x and X are done, any other sign is a person’s', () => {
    expect(boxes('- [ ] a\n- [x] a\n- [X] a\n- [-] a\n- [~] a\n- [/] a\n- [✓] a\n- [😀] a\n- [\t] a\n')).toEqual(
      'open done done theirs theirs theirs theirs theirs theirs'.split(' '),
    );
  });

  test('white space of any kind may be around the box', () => {
    expect(texts('   - [ ] a\n-\t[ ] b\n-    [ ] c\n- [ ]\td \t\n')).toEqual(['a', 'b', 'c', 'd']);
  });

  test.each([
    ['three backticks', '```\n- [ ] no\n```\n- [ ] yes'],
    ['tildes with a word', '~~~ md\n- [ ] no\n```\n- [ ] no\n~~~\n- [ ] yes'],
    ['more than three, closed by as many', '`````\n- [ ] no\n```\n- [ ] no\n``````  \n- [ ] yes'],
    ['what looks like an end and is none', '```\n``` a\n- [ ] no\n```\n- [ ] yes'],
    ['backticks on one line', '```a``` b\n- [ ] yes'],
    ['in a list', '- a\n  ```\n  - [ ] no\n\n  - [ ] no\n  ```\n- [ ] yes'],
    ['in a list, ended with it', '- a\n  ```\n  - [ ] no\n- [ ] yes'],
    ['right behind a marker', '- ```\n  - [ ] no\n  ```\n- [ ] yes'],
    ['never closed', '- [ ] yes\n\n```\n- [ ] no\n'],
    ['a comment', '<!--\n- [ ] no\n-->\n- [ ] yes'],
    ['a comment on one line', '<!-- - [ ] no -->\n- [ ] yes\n<!-->\n'],
    ['a comment with text around', '  <!-- a\n- [ ] no --> - [ ] no\n- [ ] yes'],
    ['a comment in a list', '- <!-- a\n  - [ ] no\n-->\n- [ ] yes'],
    ['a comment that begins inside a line is text', 'a <!--\n- [ ] yes\n-->'],
    ['indented code', 'text\n\n    - [ ] no\n\t- [ ] no\n\n- [ ] yes'],
    ['indented code behind a list that ended', '- a\n\ntext\n\n    - [ ] no\n\n- [ ] yes'],
    ['indented code behind a heading', '- a\n# H\n    - [ ] no\n- [ ] yes'],
    ['a quote over several lines', '> - [ ] no\n> ```\n- [ ] yes'],
    ['a break of three bullets', '- - -\n    - [ ] no\n* * *\n- [ ] yes'],
  ])('case B2: code, comments and quotes hold none: %s', (_, text) => {
    expect(texts(text)).toEqual(['yes']);
  });

  test('below a list, indentation is nesting, however deep', () => {
    expect(read('- a\n    - [ ] b\n\n          - [ ] c\n').map(({ text, depth }) => [text, depth])).toEqual([
      ['c', 2],
      ['b', 1],
    ]);
    expect(texts('- a\n\n  text\n\n    - [ ] b\n')).toEqual(['b']);
  });
});

describe('nesting', () => {
  test('an entry is in the nearest one above it that begins two columns further left, children are told first', () => {
    const list = '- [ ] a\n  - [ ] b\n   - [ ] c\n     - [ ] d\n 1. [ ] e\n   * [x] f\n- [ ] g\n';
    expect(read(list).map(({ text, depth, isOpenBelow }) => [text, depth, isOpenBelow])).toEqual([
      ['b', 1, false],
      ['d', 2, false],
      ['c', 1, true],
      ['a', 0, true],
      ['f', 1, false],
      ['e', 0, false],
      ['g', 0, false],
    ]);
  });

  test('what is open far below counts, also through an entry without a box; what is a person’s does not', () => {
    const below = (text: string) => read(text).find((task) => task.text === 'a')?.isOpenBelow;
    expect(below('- [ ] a\n  - b\n    - [ ] c\n')).toBe(true);
    expect(below('- [ ] a\n  - [x] b\n    - [ ] c\n')).toBe(true);
    expect(below('- [ ] a\n  - [x] b\n  - [-] c\n')).toBe(false);
  });

  test('a task ends where a line belongs to it no more', () => {
    const text = '- [ ] a\ngoes on\n\n  more\n  - [x] b\n\nother\n- [ ] c';
    const part = ({ at, end }: Read) => text.slice(at, end);
    expect(read(text).map(part)).toEqual(['  - [x] b\n\n', '- [ ] a\ngoes on\n\n  more\n  - [x] b\n\n', '- [ ] c']);
  });
});

describe('ids', () => {
  test('an id of its own stands at the end, and is no part of the text', () => {
    const list = ['a {#one}', 'a ^two', 'a <!-- id: three -->', 'a  <!--id:four-->', 'a {#v1.2:x_y}'];
    expect(read(list.map((text) => `- [ ] ${text} \n`).join('')).map(({ own, text }) => [own, text])).toEqual([
      ['one', 'a'],
      ['two', 'a'],
      ['three', 'a'],
      ['four', 'a'],
      ['v1.2:x_y', 'a'],
    ]);
  });

  test('what is no such id is text', () => {
    for (const text of [
      'a{#b}',
      'a {#b} c',
      'a {#b c}',
      'a {#../b}',
      'a 2^b',
      'a {#0123456789ab}',
      'a ^0123456789ab-2',
      'a -->',
    ])
      expect(read(`- [ ] ${text}\n`).map((task) => [task.own, task.text])).toEqual([[null, text]]);
    expect(read('- [ ] {#alone}\n')).toEqual([]);
  });

  test('a made id is of the text and those above it, whatever is around, in front or between', () => {
    const [one] = ids('- [ ] a  b');
    for (const text of ['- [x] a b', '* [ ]   a\tb  ', '1) [-] a b\r\n']) expect(ids(text)).toEqual([one]);
    expect(read('- [ ] a b {#x}')[0]?.made).toBe(one);
    const different = [
      '- [ ] a b',
      '- [ ] ab',
      '- [ ] a b c',
      '- p\n  - [ ] a b',
      '- q\n  - [ ] a b',
      '- [ ] A b',
    ].flatMap(ids);
    expect(new Set(different).size).toBe(different.length);
    expect(one).toMatch(/^[0-9a-f]{12}$/);
  });

  test('however a text is spaced, its id is that of the text with single spaces', () => {
    const word = fc.stringMatching(/^[!-~äß✓]{1,6}$/);
    const gap = fc.constantFrom(' ', '  ', '\t', ' \t ', '     ');
    void fc.assert(
      fc.property(fc.array(fc.tuple(word, gap), { minLength: 1, maxLength: 8 }), (parts) => {
        const spaced = parts.flat().join('');
        const plain = parts.map(([each]) => each).join(' ');
        expect(read(`- [ ] ${spaced}\n`)[0]?.made).toBe(read(`- [ ] ${plain}\n`)[0]?.made);
      }),
    );
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8])('two spaces behind %i letters are one', (n) => {
    const word = 'x'.repeat(n);
    expect(ids(`- [ ] ${word}  y z\n`)).toEqual(ids(`- [ ] ${word} y z\n`));
    expect(ids(`- [ ] ${word}  \n`)).toEqual(ids(`- [ ] ${word}\n`));
  });

  test('a hundred thousand texts that differ in a figure have as many ids', () => {
    const list = Array.from({ length: 100_000 }, (_, n) => `- [ ] item ${n} of ${(n * 7919) % 100_003}\n`).join('');
    expect(new Set(ids(list)).size).toBe(100_000);
  });
});

test('case B4: however lines end, the same tasks are read, each at its own bytes', () => {
  const list = '# H\n\n- [ ] a\n  - [x] b\n\n```\n- [ ] no\n```\n- [ ] c\n';
  const plain = read(list).map(({ box, text, made, line }) => [box, text, made, line]);
  for (const end of ['\r\n', '\r']) {
    const text = list.replaceAll('\n', end);
    const tasks = read(text);
    expect(tasks.map(({ box, text: words, made, line }) => [box, words, made, line])).toEqual(plain);
    for (const task of tasks) expect(text.slice(task.at)).toMatch(/^ *- \[/);
  }
});
