import { describe, expect, test } from 'vitest';
import type { MarkSpec } from '../../src/core/model.ts';
import { PawlError } from '../../src/errors.ts';
import { splitItem } from '../../src/formats/front-matter.ts';
import { readHeadMatter } from '../../src/formats/head-matter.ts';
import { readField, readMark, setFields, withoutField } from '../../src/formats/mark.ts';

const CHECKED = { checked: '2026-06-09' };
const date: MarkSpec = { field: 'checked', value: null, todo: [] };
const status: MarkSpec = { field: 'status', value: 'done', todo: ['todo', 'open'] };
const markOf = (text: string | Uint8Array, spec = date) => readMark(readHeadMatter(Buffer.from(text)), spec);
const set = (text: string | Uint8Array, fields: Record<string, unknown> = CHECKED) =>
  setFields(Buffer.from(text), fields, 'docs/a.md').toString('latin1');
const matter = (...lines: string[]) => `---\n${lines.join('\n')}\n---\n`;

describe('a date as mark', () => {
  test.each([
    'checked: 2026-06-09',
    'checked: "2026-06-09"',
    "checked: '2026-06-09'",
    'checked: 2026-06-09T08:15:00.000Z',
    'checked: 2026-06-09 08:15',
    'checked:   2026-06-09   # by hand',
    'checked: 2026-06-09\t# by hand',
    'checked : 2026-06-09',
    '"checked": 2026-06-09',
    'title: à\nchecked: 2026-06-09',
    'tags:\n- a\n- b\nnote: |\n  # no\n\n  checked: soon\nchecked: 2024-02-29',
  ])('A17: %j is done', (text) => {
    expect(markOf(matter(...text.split('\n'))).kind).toBe('done');
  });

  test.each([
    'title: a',
    'checked:',
    'checked: # later',
    'checked: null',
    'checked: ~',
    'checked: ""',
    'checked: no',
    'checked: "no"',
    'checked: false',
    'checked: False',
    'unchecked: 2026-06-09',
    'checked_by: 2026-06-09',
    '# checked: 2026-06-09',
    'log:\n  checked: 2026-06-09',
    'note: |\n  checked: 2026-06-09',
    'note: "\n  checked: 2026-06-09"',
  ])('A17: %j is not done', (text) => {
    expect(markOf(matter(...text.split('\n'))).kind).toBe('todo');
    expect(markOf(matter(...text.split('\n')).replaceAll('\n', '\r\n')).kind).toBe('todo');
  });

  test.each([
    ['checked: soon', 3, 'checked should be a date such as 2026-06-09, got "soon"'],
    ['checked: 2026-02-30', 3, 'checked should be a date such as 2026-06-09, got "2026-02-30"'],
    ['checked: 2026-13-01', 3, 'checked should be a date such as 2026-06-09, got "2026-13-01"'],
    ['checked: 2026-06-091', 3, 'checked should be a date such as 2026-06-09, got "2026-06-091"'],
    ['checked: true', 3, 'checked should be a date such as 2026-06-09, got "true"'],
    ['checked: [2026-06-09]', 3, 'checked should be a date such as 2026-06-09, got "[2026-06-09]"'],
    ['checked: |\n  2026-06-09', 3, 'checked should be a date such as 2026-06-09, got no single value'],
    ['checked:\n  by: ann', 3, 'checked should be a date such as 2026-06-09, got no single value'],
    ['checked: &a 2026-06-09', 3, 'checked should be a date such as 2026-06-09, got no single value'],
    ['checked:\nchecked: 2026-06-09', 3, 'checked should be a date such as 2026-06-09, got no single value'],
    ['checked:2026-06-09', 3, 'front matter should hold "key: value" lines, got "checked:2026-06-09"'],
    ['{checked: 2026-06-09}', 3, 'front matter should hold "key: value" lines, got "{checked: 2026-06-09}"'],
    ['? checked\n: 2026-06-09', 3, 'front matter should hold "key: value" lines, got "? checked"'],
    ['grüße', 3, 'front matter should hold "key: value" lines, got "grüße"'],
  ])('A17: %j is neither, and the line is named', (text, line, why) => {
    expect(markOf(matter('title: a', ...text.split('\n')))).toEqual({ kind: 'refused', line, why });
  });

  test('without front matter nothing is marked, whatever the text says', () => {
    for (const text of [
      '',
      'checked: 2026-06-09\n',
      '\n---\nchecked: 2026-06-09\n---\n',
      '----\nchecked: 2026-06-09\n',
    ])
      expect(markOf(text)).toEqual({ kind: 'todo' });
  });
});

test.each([
  ['status: done', 'done'],
  ['status: "done" # yes', 'done'],
  ['status: todo', 'todo'],
  ['status: open', 'todo'],
  ['status:', 'todo'],
  ['title: a', 'todo'],
  ['status: doing', 'theirs'],
  ['status: Done', 'theirs'],
  ['status: [done]', 'theirs'],
  ['status:\n  - done', 'refused'],
])('A19: of the words for a status, %j is %s', (text, kind) => {
  expect(markOf(matter(...text.split('\n')), status).kind).toBe(kind);
});

describe('what is no item', () => {
  const why = (text: string | Uint8Array) => (markOf(text) as { why?: string }).why;

  test('case D1: only a bare --- opens front matter, no language after it is ever read', () => {
    for (const name of ['js', 'javascript', 'JS', ' js', 'yaml'])
      expect(why(`---${name}\nchecked: 2026-06-09\n---\n`)).toBe(
        `front matter should begin with a bare ---, got "---${name}"`,
      );
    expect(markOf(`${matter('checked:')}---js\nthrow 1\n---\n`)).toEqual({ kind: 'todo' });
  });

  test('UTF-16 and binary files are refused by name', () => {
    const text = matter('checked: 2026-06-09');
    const little = Buffer.from(text, 'utf16le');
    const big = Buffer.from(little).swap16();
    const utf16 = 'an item should be UTF-8 text, this is UTF-16';
    expect(why(little)).toBe(utf16);
    expect(why(big)).toBe(utf16);
    expect(why(Buffer.concat([Buffer.of(0xff, 0xfe), little]))).toBe(utf16);
    expect(why(Buffer.concat([Buffer.of(0xfe, 0xff), big]))).toBe(utf16);
    expect(why(Buffer.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 1))).toBe('an item should be UTF-8 text, this is binary');
    expect(() => setFields(little, CHECKED, 'docs/a.md')).toThrow(`docs/a.md:1: ${utf16}`);
  });

  test('front matter without an end is refused, unless only a beginning was read', () => {
    for (const text of ['---', '---\n', '---\nchecked: 2026-06-09\n', '---\nchecked: 2026-06-09\n---x\n']) {
      expect(readHeadMatter(Buffer.from(text)).kind).toBe('refused');
      expect(readHeadMatter(Buffer.from(text), false).kind).toBe('open');
    }
    const cutOff = Buffer.from('---\na: 1\n---');
    expect(readHeadMatter(cutOff, false).kind).toBe('open');
    expect(readHeadMatter(cutOff).kind).toBe('matter');
  });

  test('hostile front matter takes no longer than its length', () => {
    const long = 60_000;
    const texts = [
      ' '.repeat(long),
      `a${' '.repeat(long)}`,
      `"${'\\'.repeat(long)}`,
      `a: ${' #'.repeat(long)}`,
      `a${'\r'.repeat(long)}b`,
    ];
    for (const text of [
      ...texts,
      `checked: "${'\\x'.repeat(long)}`,
      `checked: ${'['.repeat(long)}`,
      `${'a:'.repeat(long)}`,
      '- \n'.repeat(long),
    ]) {
      const started = process.cpuUsage();
      markOf(matter('title: a', text, `checked: ${text}`));
      expect(process.cpuUsage(started).user).toBeLessThan(500_000);
    }
  });
});

describe('setting', () => {
  const odd = [
    '\ufeff---\r',
    '# kept  ',
    'Title :   "A: b"   # why\r',
    'unknown_key: { a: [1,2] , b: ~ }',
    '',
    'checked:    # not yet\r',
    'list:',
    '- a   ',
    'text: >-',
    '   folded  ',
    "été: 'l''eau'",
    '---  \r',
    'checked: in the text',
    '---',
    'no newline at the end',
  ].join('\n');

  test('case D11: the line of the mark is all that changes in an odd file', () => {
    const before = Buffer.from(odd).toString('latin1');
    expect(set(odd)).toBe(before.replace('checked:    # not yet', 'checked: 2026-06-09    # not yet'));
  });

  test.each([
    ['CRLF', '---\r\ntitle: a\r\n---\r\ntext\r\n', '---\r\ntitle: a\r\nchecked: 2026-06-09\r\n---\r\ntext\r\n'],
    ['BOM', '\ufeff---\ntitle: a\n---\ntext', '\ufeff---\ntitle: a\nchecked: 2026-06-09\n---\ntext'],
    ['no final newline', '---\ntitle: a\n---', '---\ntitle: a\nchecked: 2026-06-09\n---'],
    ['mixed', '---\ntitle: a\r\n---\ntext\r\n', '---\ntitle: a\r\nchecked: 2026-06-09\r\n---\ntext\r\n'],
    ['empty front matter', '---\n---\ntext', '---\nchecked: 2026-06-09\n---\ntext'],
    ['no front matter', 'text', '---\nchecked: 2026-06-09\n---\ntext'],
    ['no front matter, BOM, CRLF', '\ufefftext\r\n', '\ufeff---\r\nchecked: 2026-06-09\r\n---\r\ntext\r\n'],
    ['empty file', '', '---\nchecked: 2026-06-09\n---\n'],
  ])('case B4: %s is kept', (_, before, after) => {
    expect(Buffer.from(set(before), 'latin1').toString()).toBe(after);
    expect(markOf(after).kind).toBe('done');
  });

  test('Latin-1 bytes stay, in the front matter and below', () => {
    const latin = Buffer.from('---\ntitle: caf\xe9\nchecked:\n---\nd\xe9j\xe0\n', 'latin1');
    expect(set(latin)).toBe('---\ntitle: caf\xe9\nchecked: 2026-06-09\n---\nd\xe9j\xe0\n');
  });

  test.each([
    ['checked: no', 'checked: 2026-06-09'],
    ['checked:no_blank: 1', null],
    ['checked:\t~\t# c', 'checked:\t2026-06-09\t# c'],
    ['checked: ""', 'checked: 2026-06-09'],
    ['checked: "no"', 'checked: "2026-06-09"'],
    ["'checked': 'no'  # c", "'checked': '2026-06-09'  # c"],
    ['checked: [a, "b"] # c', 'checked: 2026-06-09 # c'],
    ['checked: a#b', 'checked: 2026-06-09'],
    ['checked: à', 'checked: 2026-06-09'],
  ])('only the value changes: %j', (before, after) => {
    const written = Buffer.from(set(matter('a: 1', before, 'z: 2')), 'latin1').toString();
    const expected = after === null ? ['a: 1', before, 'z: 2', 'checked: 2026-06-09'] : ['a: 1', after, 'z: 2'];
    expect(written).toBe(matter(...expected));
  });

  test.each([
    'checked: |\n  no',
    'checked:\n  - no',
    'checked: [a,\n  b]',
    'checked: *a',
    'checked: "a\n  b"',
    'checked:\nchecked:',
  ])('a value that is not all on its line is refused: %j', (text) => {
    expect(() => set(matter('a: 1', ...text.split('\n')))).toThrow(
      new PawlError('E_FORMAT', 'checked should be there once, with its value on its own line', { at: 'docs/a.md:3' }),
    );
  });

  test.each([
    'plain words',
    '',
    ' blanks ',
    'no',
    'NULL',
    '~',
    '007',
    '1e3',
    '12:30',
    'a: b',
    'a #b',
    'a:',
    '- a',
    '[x]',
    '"quoted"',
    "it's",
    '---',
    '#',
    'two\nlines',
    'tab\there',
    'https://example.com/a?b=c#d',
    'Ünïcödé 日本 🎉',
    '\u0085\u2028\ufeff\u007f',
    '\\',
    '%x',
    '@x',
    '=',
    '2026-06-09',
    '2026-06-09T08:15:00Z',
    0,
    -1.5,
    true,
    null,
    ['a', 'b, c', 'no', 1, null, 'x: y', '[z]'],
    [],
  ])('%j reads back as the same value, whatever stood there before', (value) => {
    for (const before of ['title: a', 'x:', 'x: old # c', 'x: "old"', "x: 'old'", 'x: [a, b]']) {
      const written = setFields(Buffer.from(matter(before, 'z: 1')), { x: value });
      expect(splitItem(written, 'docs/a.md').fields).toMatchObject({ x: value, z: 1 });
      expect(setFields(written, { x: value })).toEqual(written);
      expect(readField(readHeadMatter(written), 'z')?.text).toBe('1');
    }
  });

  test('a map is written on one line', () => {
    const value = { a: [1, { b: 'c' }], 'd e': '#' };
    expect(splitItem(setFields(Buffer.from('text'), { x: value }), 'docs/a.md').fields).toEqual({ x: value });
  });

  test('an odd key is written so that it is found again', () => {
    for (const key of ['two words', 'a:b', 'no', '-', 'ключ', 'a,b', '"q"']) {
      const once = setFields(Buffer.from('text'), { [key]: 1 });
      expect(splitItem(once, 'docs/a.md').fields).toEqual({ [key]: 1 });
    }
  });
});

describe('leaving the mark out', () => {
  test.each(['text\n', '\ufefftext', '---\ntitle: a\n---\n', '---\r\ntitle: a\r\n\r\n---\r\n', '', '---\na: 1\n---'])(
    'what was set is taken away again: %j',
    (text) => {
      expect(withoutField(Buffer.from(set(text), 'latin1'), 'checked').toString()).toBe(text);
    },
  );

  test('front matter that holds only the mark counts as none, with a value of several lines too', () => {
    for (const text of ['---\nchecked:\n---\ntext', '---\n---\ntext', '---\nchecked: |\n  a\n\n  b\n---\ntext'])
      expect(withoutField(Buffer.from(text), 'checked').toString()).toBe('text');
    expect(withoutField(Buffer.from('---\n# c\nchecked: 1\n---\n'), 'checked').toString()).toBe('---\n# c\n---\n');
  });
});
