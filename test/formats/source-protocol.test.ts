import { describe, expect, test } from 'vitest';
import { BadLine, printRequest, readAnswer } from '../../src/formats/source-protocol.ts';

const read = (line: unknown) => readAnswer(JSON.stringify(line));

test('a request is one line of JSON with its version and the project', () => {
  const line = printRequest({ op: 'list', after: 'a\nb', want: 50 }, '/project');
  expect(line).toBe('{"v":1,"root":"/project","op":"list","after":"a\\nb","want":50}\n');
});

describe('an item', () => {
  test('needs an id and nothing else', () => {
    const nothing = { type: 'item', id: '7', title: '7', body: '', fields: {}, mark: null, refused: null };
    expect(read({ type: 'item', id: '7' })).toEqual(nothing);
    const empty = { title: null, body: null, fields: null, mark: null, refused: null };
    expect(read({ type: 'item', id: '7', ...empty, more: 1 })).toEqual(nothing);
    expect(read({ type: 'item', id: '7', title: ' ', mark: '', refused: '' })).toEqual(nothing);
  });

  test('is data: its title becomes one line, NUL is dropped, and no key is special', () => {
    const line =
      '{"type":"item","id":"7","title":"two\\nlines \\u202e","body":"a\\u0000b\\n","fields":{"__proto__":{"x":"\\u0000y"}}}';
    const item = readAnswer(line);
    expect(item).toMatchObject({ title: 'two lines', body: 'ab\n' });
    expect(JSON.stringify((item as { fields: object }).fields)).toBe('{"__proto__":{"x":"y"}}');
    expect(({} as { x?: string }).x).toBeUndefined();
    expect(read({ type: 'item', id: '7', title: 'x'.repeat(1000) })).toMatchObject({ title: `${'x'.repeat(299)}…` });
  });

  test('can be refused by the program, with a mark or without', () => {
    expect(read({ type: 'item', id: '7', refused: 'no\nowner', mark: 'done' })).toMatchObject({
      refused: 'no owner',
      mark: 'done',
    });
  });

  test('may have an id of 512 characters', () => {
    expect(read({ type: 'item', id: 'ü'.repeat(512) })).toMatchObject({ id: 'ü'.repeat(512) });
  });
});

test.each([
  [{ type: 'gone', id: 'a/b "c"' }],
  [{ type: 'filed', id: '7', as: 'theirs', kept: ['company'] }],
  [{ type: 'count', done: 1, total: null }],
  [{ type: 'count', done: 1, total: 3 }],
  [{ type: 'end', complete: false }],
])('%j says what it says', (line) => expect(read(line)).toEqual(line));

test('what may be left out may be left out', () => {
  expect(read({ type: 'filed', id: '7', as: 'gone' })).toEqual({ type: 'filed', id: '7', as: 'gone', kept: [] });
  expect(read({ type: 'count', done: 0 })).toEqual({ type: 'count', done: 0, total: null });
});

const DEEP = JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) as object;

test.each([
  ['Listing tickets...', 'a line should be one JSON object, got Listing tickets...'],
  ['{"type":"item","id":"7"', 'a line should be one JSON object, got {"type":"item","id":"7"'],
  ['["item"]', 'a line should be one JSON object, got ["item"]'],
  ['null', 'a line should be one JSON object, got null'],
  ['{}', 'type should be item, gone, filed, count or end, got nothing'],
  ['{"type":"toString"}', 'type should be item, gone, filed, count or end, got "toString"'],
  ['{"type":"item"}', 'id should be one line of 1 to 512 characters, got nothing'],
  ['{"type":"item","id":7}', 'id should be one line of 1 to 512 characters, got 7'],
  ['{"type":"item","id":""}', 'id should be one line of 1 to 512 characters, got ""'],
  ['{"type":"item","id":"a\\nb"}', 'id should be one line of 1 to 512 characters, got "a\\nb"'],
  ['{"type":"item","id":"a\\u2028b"}', 'id should be one line of 1 to 512 characters, got "a b"'],
  ['{"type":"item","id":"\\ud800"}', 'id should be one line of 1 to 512 characters, got "\\ud800"'],
  ['{"type":"gone","id":"a\\u0000"}', 'id should be one line of 1 to 512 characters, got "a\\u0000"'],
  ['{"type":"item","id":"7","title":7}', 'title should be text, got 7'],
  ['{"type":"item","id":"7","fields":[]}', 'fields should be an object, got []'],
  ['{"type":"item","id":"7","mark":true}', 'mark should be text, got true'],
  ['{"type":"item","id":"7","mark":"a\\nb"}', 'mark should be one line, got "a\\nb"'],
  ['{"type":"filed","id":"7","as":"done"}', 'as should be marked, already, theirs, superseded, gone, got "done"'],
  ['{"type":"filed","id":"7","as":"gone","kept":[1]}', 'kept should be a list of names, got [1]'],
  ['{"type":"count","done":-1}', 'done should be a whole number, got -1'],
  ['{"type":"count","done":1,"total":"3"}', 'total should be a whole number, got "3"'],
  ['{"type":"end"}', 'complete should be true or false, got nothing'],
  [JSON.stringify({ type: 'item', id: '7', fields: DEEP }), 'fields should be nested less than 32 deep'],
])('%s is refused', (line, why) => {
  expect(() => readAnswer(line)).toThrow(new BadLine(why));
});

test('a long line is told shortly', () => {
  expect(() => readAnswer('x'.repeat(1000))).toThrow(`got ${'x'.repeat(79)}…`);
});
