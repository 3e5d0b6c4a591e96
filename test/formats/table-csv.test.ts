import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { MarkSpec } from '../../src/core/model.ts';
import { type Format, newSpot, type Row } from '../../src/formats/table.ts';
import { printCell, safeText } from '../../src/formats/table-cell.ts';
import { readFormat, tableKind } from '../../src/formats/table-header.ts';

const mark: MarkSpec = { field: 'checked', value: null, todo: [] };
const spec = { path: 'leads.csv', id: 'email', mark, write: ['company'] };
const HEADER = 'email,company,checked\n';

const formatOf = (text: string | Buffer, more: Partial<typeof spec> = {}): Format =>
  readFormat(Buffer.from(text as string), true, { ...spec, ...more });

const row = (text: string, header = HEADER): Row => {
  const read = formatOf(header).read(Buffer.from(text));
  if ('problem' in read) throw new Error(read.problem);
  return read;
};
const problem = (text: string, header = HEADER) => {
  const read = formatOf(header).read(Buffer.from(text));
  return 'problem' in read ? read.problem : null;
};

describe('the header', () => {
  test.each([
    ['email,company,checked\n', 'x@y,Acme,\n'],
    ['email;company;checked\r\n', 'x@y;Acme;\r\n'],
    ['email\tcompany\tchecked\r', 'x@y\tAcme\t\r'],
    ['\ufeff"email", company,checked\n', 'x@y,Acme,\n'],
    ['sep=;\r\nemail;company;checked\r\n', 'x@y;Acme;\r\n'],
    ['email;"a,b,""c"",d";company;checked\n', 'x@y;1;Acme;\n'],
  ])('of %j tells how cells are told apart', (header, text) => {
    const read = formatOf(header).read(Buffer.from(text));
    expect(read).toMatchObject({ fields: { company: 'Acme' } });
  });

  test('of a .tsv has tabs, whatever else is in it', () => {
    const read = formatOf('email\tcompany, city, zip\tcompany\tchecked\n', { path: 'a.tsv' }).read(
      Buffer.from('x@y\ta, b\tAcme\t\n'),
    );
    expect(read).toMatchObject({ id: 'x@y', fields: { 'company, city, zip': 'a, b', company: 'Acme' } });
  });

  test.each([
    ['email,company\nx,y\n', 'leads.csv:1: the header should have "checked", it has email, company: add '],
    ['sep=;\nemail;company\n', 'leads.csv:2: the header should have "checked", it has email, company: add '],
    ['', 'leads.csv:1: the header should have "email" and "checked" and "company", it has nothing: add '],
    ['email,email,company,checked\n', 'leads.csv:1: the header should have one column "email", it has several'],
    ['email,"company,checked\n', 'leads.csv:1: the quote that opens here is never closed'],
    ['email,"company"x,checked\n', 'leads.csv:1: behind a closing quote the cell should end'],
    [
      Buffer.from('\ufeffemail\n', 'utf16le'),
      'leads.csv:1: a table should be UTF-8 text, this is UTF-16: save it as "CSV UTF-8"',
    ],
    [
      Buffer.from('email\n', 'utf16le'),
      'leads.csv:1: a table should be UTF-8 text, this is UTF-16: save it as "CSV UTF-8"',
    ],
  ])('of %j is refused with its line and what to do', (text, message) => {
    expect(() => formatOf(text)).toThrow(message);
  });

  test('says how a missing column is added, in the words of that file', () => {
    expect(() => formatOf('email;size\n')).toThrow('or ";checked;company" at its end and ";;" at the end of each row');
  });

  test('names of files tell the kinds apart', () => {
    const kinds = ['a.csv', 'A.CSV', 'a.tsv', 'a.jsonl', 'a.ndjson', 'a.json', 'csv', 'a.csv.bak'].map(tableKind);
    expect(kinds).toEqual(['csv', 'csv', 'tsv', 'jsonl', 'jsonl', null, null, null]);
  });
});

describe('a row', () => {
  test('has texts, a trimmed id, and a body of what is not empty', () => {
    const { id, fields, body, mark } = row('" x@y ","Acme ""B"", Ltd\nLondon", no \n');
    expect({ id, mark }).toEqual({ id: 'x@y', mark: { kind: 'todo' } });
    expect(fields).toEqual({ email: ' x@y ', company: 'Acme "B", Ltd\nLondon', checked: ' no ' });
    expect(body).toBe('email:  x@y \ncompany: Acme "B", Ltd\nLondon\n');
  });

  test('may have quotes inside a cell that does not begin with one', () => {
    expect(row('x@y,5" pipe "A",\n').fields.company).toBe('5" pipe "A"');
  });

  test('names no property that was there before', () => {
    const { fields } = row('x,y,,1\n', 'email,__proto__,checked,company\n');
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype);
    expect(Object.keys(fields)).toContain('__proto__');
  });

  test.each([
    ['x,y\n', 'this row has 2 cells, the header has 3'],
    ['x\n', 'this row has 1 cell, the header has 3'],
    ['x,y,,z\n', 'this row has 4 cells, the header has 3'],
    ['x,"y"z,\n', 'behind a closing quote the cell should end'],
    ['x,"y\nz,\n', 'the quote that opens here is never closed'],
    [' ,y,\n', 'email should name the item, it is empty'],
    ['"x\ny",y,\n', 'email should be one line of plain text'],
    [`${'x'.repeat(513)},y,\n`, 'email should have at most 512 characters, it has 513'],
  ])('%j is refused', (text, why) => {
    expect(problem(text)).toBe(why);
  });

  test.each(['\n', '\r\n', '\r', ' \t\n', ',,\n', ' , ,\r\n'])('of nothing, %j, is blank', (text) => {
    const spot = newSpot();
    formatOf(HEADER).find(Buffer.from(`${text}x\n`), 0, spot);
    expect([spot.isBlank, spot.next, spot.lines]).toEqual([true, text.length, 1]);
  });

  test.each([
    ['2026-06-09', { kind: 'done', text: '2026-06-09' }],
    ['"2026-06-09 10:00"', { kind: 'done', text: '2026-06-09 10:00' }],
    ['NULL', { kind: 'todo' }],
    ['false', { kind: 'todo' }],
    ['""', { kind: 'todo' }],
    ['6/9/2026', { kind: 'refused', why: 'checked should be a date such as 2026-06-09, got "6/9/2026"' }],
    ['"a ""b"""', { kind: 'refused', why: 'checked should be a date such as 2026-06-09, got "a \\"b\\""' }],
  ])('A17: the mark %s', (cell, mark) => {
    expect(row(`x,,${cell}\n`).mark).toMatchObject(mark);
  });

  test("A19: with a word as the mark other words are a person's", () => {
    const words = { field: 'checked', value: 'done', todo: ['open'] };
    const kinds = ['done', 'open', '', 'doing', 'Done'].map((cell) => {
      const read = formatOf(HEADER, { mark: words as never }).read(Buffer.from(`x,,${cell}\n`));
      return 'mark' in read ? read.mark.kind : null;
    });
    expect(kinds).toEqual(['done', 'todo', 'todo', 'theirs', 'theirs']);
  });
});

describe('setting cells', () => {
  test.each([
    ['x,,\n', 'x,Acme,2026-06-09\n'],
    ['x,,', 'x,Acme,2026-06-09'],
    ['"x", "old", no \r\n', '"x",Acme,2026-06-09\r\n'],
    ['"x","",""\r', '"x","Acme","2026-06-09"\r'],
  ])('changes %j and no other byte', (before, after) => {
    expect(row(before).set({ company: 'Acme', checked: '2026-06-09' }).toString()).toBe(after);
  });

  test('quotes where it has to, and only there', () => {
    const printed = ['a', 'a,b', 'a;b', 'a"b', ' a', 'a\nb', ''].map((text) => printCell(text, false, 0x2c).toString());
    expect(printed).toEqual(['a', '"a,b"', 'a;b', '"a""b"', '" a"', '"a\nb"', '']);
  });

  test.prop([
    fc.array(
      fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\r', '')),
      { minLength: 2, maxLength: 2 },
    ),
  ])('what is written reads the same again', ([company, size]) => {
    const header = 'email,company,size,checked\n';
    const before = row('x,,"",\n', header);
    const made = (name: string, value: unknown) => before.fit(name, value) as string | undefined;
    const values = { company: made('company', company), size: made('size', size) };
    fc.pre(values.company !== undefined && values.size !== undefined);
    expect(row(before.set(values).toString(), header).fields).toMatchObject(values);
  });
});

describe('values from a worker', () => {
  test.each([
    ['Acme', 'Acme'],
    [250, '250'],
    [-5.5, '-5.5'],
    [true, 'true'],
    [null, ''],
    [undefined, ''],
    [{ a: [1] }, '{"a":[1]}'],
    ['-5', '-5'],
    ['+49301234', '+49301234'],
    ['-1.234,5', '-1.234,5'],
    ['1e-3', '1e-3'],
    ['a=b', 'a=b'],
    ['half \ud800', 'half \ufffd'],
  ])('%j is written as %j', (value, text) => {
    expect(safeText(value)).toBe(text);
  });

  test.each([
    '=1+1',
    '+a',
    '-',
    '- none',
    '@SUM(A1)',
    '\t=1',
    ' =1',
    '\n=1',
    '\uff1d1',
    '-1+2',
    '+49 30 1234',
    'a\0b',
    '\x1b[0m',
    'x'.repeat(32_768),
  ])('%j is kept out of a spreadsheet', (value) => {
    expect(safeText(value)).toBeUndefined();
  });
});
