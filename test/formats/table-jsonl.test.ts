import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { MarkSpec } from '../../src/core/model.ts';
import { newSpot, type Row } from '../../src/formats/table.ts';
import { jsonlFormat } from '../../src/formats/table-jsonl.ts';

const mark: MarkSpec = { field: 'checked', value: null, todo: [] };
const format = jsonlFormat(0, 'id', mark);

const row = (text: string): Row => {
  const read = format.read(Buffer.from(text));
  if ('problem' in read) throw new Error(read.problem);
  return read;
};

describe('a line', () => {
  test.each([
    ['{"id":"a"}', 'a'],
    ['\t{ "id" : " a " , "x":[{"id":"b"}]}\r\n', 'a'],
    ['{"x":"{\\"id\\":\\"b\\"}","id":17}', '17'],
    ['{"\\u0069d":"caf\\u00e9"}', 'café'],
    ['{"id":12345678901234567890}', '12345678901234567890'],
    ['{"id":-1.50}', '-1.50'],
  ])('%s is the item %s', (text, id) => {
    expect(row(text).id).toBe(id);
    const spot = newSpot();
    format.find(Buffer.from(`${text}\n`), 0, spot);
    const found = Buffer.from(text).toString('utf8', spot.idFrom, spot.idTo);
    expect([spot.problem, spot.isIdPlain ? found : id]).toEqual([null, id]);
  });

  test.each([
    ['[1]', 'this line should be one JSON object of at most 1,024 keys'],
    ['"id"', 'this line should be one JSON object of at most 1,024 keys'],
    ['{"id":"a"', /^this line should be one JSON object of at most 1,024 keys: .*JSON/],
    ['{"id":"a"} x', /^this line should be one JSON object/],
    ['{"id":tru}', /^this line should be one JSON object/],
    ['{"id":"a","x":1,"x":2}', 'each key should be there once'],
    ['{"id":"a","i\\u0064":"b"}', 'each key should be there once'],
    ['{"x":1}', 'id should name the item, it is empty'],
    ['{"id":{"a":1}}', 'id should name the item, it is empty'],
    ['{"id":null}', 'id should name the item, it is empty'],
    ['{"id":"a\\nb"}', 'id should be one line of plain text'],
    [Buffer.from('{"id":"caf\xe9"}', 'latin1'), 'this line should be UTF-8 text'],
  ])('%j is refused', (text, why) => {
    const read = format.read(Buffer.from(text as string));
    expect('problem' in read ? read.problem : null).toEqual(typeof why === 'string' ? why : expect.stringMatching(why));
  });

  test.each(['{"id":"a\\\n"}\n', '{"id":"a\n"}\n', '{"x":[1,\n2]}\n', '{"x":"\\\\\n"}\n', '{"a":{"b":"\n'])(
    'that is broken, %j, hides no line behind it',
    (text) => {
      const spot = newSpot();
      format.find(Buffer.from(text), 0, spot);
      expect([spot.problem === null, spot.next]).toEqual([false, text.indexOf('\n') + 1]);
    },
  );

  test.each([
    ['"2026-06-09"', 'done'],
    ['null', 'todo'],
    ['false', 'todo'],
    ['""', 'todo'],
    ['"soon"', 'refused'],
    ['true', 'refused'],
    ['["2026-06-09"]', 'refused'],
  ])('A17: the mark %s is %s', (value, kind) => {
    expect(row(`{"id":"a","checked":${value}}`).mark.kind).toBe(kind);
    const text = `{"id":"a","checked": ${value} }\n`;
    const spot = newSpot();
    format.find(Buffer.from(text), 0, spot);
    expect(format.markIn(Buffer.from(text), spot.markFrom, spot.markTo).kind).toBe(kind);
  });

  test.each([
    ['{"id":"a"}\r\n', '{"id":"a","checked":"2026-06-09","n":[1,{"b":null}]}\r\n'],
    ['{ "n" : {"checked":1} , "id":"a" }', '{ "n" : [1,{"b":null}] , "id":"a" ,"checked":"2026-06-09"}'],
    [
      '{"\\u006e":1.50,"checked":null,"id":"a","big":1e400}',
      '{"\\u006e":[1,{"b":null}],"checked":"2026-06-09","id":"a","big":1e400}',
    ],
  ])('setting keys of %j changes their values and no other byte', (before, after) => {
    expect(
      row(before)
        .set({ checked: '2026-06-09', n: [1, { b: null }] })
        .toString(),
    ).toBe(after);
  });

  test.prop([fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()), fc.integer({ min: 0, max: 2 })])(
    'any object is found, and keeps all but what is set',
    (others, indent) => {
      const { id: _, checked: __, ...rest } = others;
      const text = JSON.stringify({ ...rest, id: 'a' }, null, ' '.repeat(indent)).replaceAll('\n', ' ');
      const spot = newSpot();
      format.find(Buffer.from(`${text}\n`), 0, spot);
      expect([spot.problem, Buffer.from(text).toString('utf8', spot.idFrom, spot.idTo)]).toEqual([null, 'a']);
      const set = row(text).set({ checked: 'x' }).toString();
      expect(set.replace(',"checked":"x"', '')).toBe(text);
      expect(JSON.parse(set)).toEqual({ ...JSON.parse(text), checked: 'x' });
    },
  );
});
