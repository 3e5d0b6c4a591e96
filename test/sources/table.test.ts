import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { Procedure, SourceSpec } from '../../src/core/model.ts';
import type { Filing, Source } from '../../src/sources/source.ts';
import openTable from '../../src/sources/table.ts';
import { type Disk, realDisk } from '../../src/store/disk.ts';
import { Workspace } from '../../src/store/workspace.ts';
import { idsOf, pending } from '../support/sources.ts';
import { folder } from '../support/workspace.ts';

const HEADER = 'email,company,size,checked\n';
const FILE = 'leads.csv';

function open(root: string, spec: Partial<SourceSpec> = {}, disk: Disk = realDisk) {
  const kept: string[] = [];
  const source = {
    ...{ kind: 'table', path: FILE, mark: { field: 'checked', value: null, todo: [] }, write: ['company', 'size'] },
    ...{ id: 'email', to: null, run: [], env: [] },
    ...spec,
  };
  const procedure = { source } as unknown as Procedure;
  return {
    source: openTable({ disk, workspace: new Workspace(root), procedure, keep: (path) => kept.push(path) }),
    kept,
  };
}

function table(text: string | Buffer, spec: Partial<SourceSpec> = {}, disk: Disk = realDisk) {
  const { root, path, read } = folder({ [spec.path ?? FILE]: text });
  return { root, file: path(spec.path ?? FILE), read: () => read(spec.path ?? FILE), ...open(root, spec, disk) };
}

const wish = (item: string, fields: Record<string, unknown> = {}, more: Partial<Filing> = {}): Filing => ({
  ...{ item, run: 42, base: { files: {}, fields: {} }, ownBytes: null, fields, day: '2026-06-09' },
  ...more,
});

const refusals = async (source: Source) =>
  (await pending(source)).flatMap(({ id, refused }) => (refused === null ? [] : [`${id} | ${refused}`]));

/** A sheet of so many rows, larger than what is held whole from some 20,000 on. */
const sheet = (rows: number, cell = (_: number) => '') =>
  HEADER +
  Array.from({ length: rows }, (_, n) => `p${n}@x.org,"Company ${n}, Ltd ${'.'.repeat(30)}",,${cell(n)}\n`).join('');

describe('settings', () => {
  test.each([
    [{ path: 'leads.xlsx' }, '.jez/loop.md: source.path should end in .csv, .tsv, .jsonl or .ndjson, got "leads.xlsx"'],
    [{ id: null }, '.jez/loop.md: source.id should be the column (or key) whose value names a row, such as email'],
    [{ id: 'checked' }, '.jez/loop.md: source.id should be another column than the mark, "checked"'],
    [{ write: ['email'] }, '.jez/loop.md: source.write should hold neither the id nor the mark, got "email"'],
    [{ path: '.jez/leads.csv' }, '.jez/loop.md: source.path should lead through folders'],
    [{ path: 'linked/leads.csv' }, '.jez/loop.md: source.path should lead through folders'],
    [{ path: 'none.csv' }, 'none.csv: there should be a table here'],
    [{ path: 'link.csv' }, 'link.csv: the table should be a plain file, no link'],
    [{ path: '../leads.csv' }, '../leads.csv: a path has to stay below the project'],
    [{ write: ['phone'] }, 'leads.csv:1: the header should have "phone", it has email, company, size, checked: add '],
  ])('%j are refused with what was wanted', (spec, message) => {
    const { root, path } = folder({ [FILE]: HEADER, '.jez/leads.csv': HEADER, 'other/leads.csv': HEADER });
    symlinkSync(path('other'), path('linked'));
    symlinkSync(path(FILE), path('link.csv'));
    expect(() => open(root, spec)).toThrow(message);
  });

  test('a missing column is never added by itself', async () => {
    const { root, read } = folder({ [FILE]: 'email,company\nx,\n' });
    expect(() => open(root, { write: [] })).toThrow('leads.csv:1: the header should have "checked"');
    expect(read(FILE)).toBe('email,company\nx,\n');
  });
});

describe('which rows are items', () => {
  test('A27: the order is that of the file, from behind any row round to it; an unknown one means from the first', async () => {
    const { source } = table(`${HEADER}z,,,\nb,,,2026-06-01\na,,,\n\nm,,,no\n`);
    expect(idsOf(await pending(source))).toEqual(['z', 'a', 'm']);
    expect(idsOf(await pending(source, 'z'))).toEqual(['a', 'm', 'z']);
    expect(idsOf(await pending(source, 'b'))).toEqual(['a', 'm', 'z']);
    expect(idsOf(await pending(source, 'm'))).toEqual(['z', 'a', 'm']);
    expect(idsOf(await pending(source, 'zzz'))).toEqual(['z', 'a', 'm']);
    expect(await source.count()).toEqual({ done: 1, total: 4 });
  });

  test('A17: what is no row, has no id or a mark nobody understands is told with its line, and others go on', async () => {
    const { source } = table(
      `${HEADER}"a",,"two\r\nlines",soon\r\nb,,\r\n ,x,,\r\n,,,\r\nc,"x"y,,\rd,,,\n"e\nf",,,\n${'x'.repeat(600)},,,\ng,"open,,\nh,,,\n`,
    );
    expect(await refusals(source)).toEqual([
      'a | leads.csv:2: checked should be a date such as 2026-06-09, got "soon"',
      'leads.csv:4 | leads.csv:4: this row has 3 cells, the header has 4',
      'leads.csv:5 | leads.csv:5: email should name the item, it is empty',
      'leads.csv:7 | leads.csv:7: behind a closing quote the cell should end',
      'leads.csv:9 | leads.csv:9: email should be one line of plain text',
      'leads.csv:11 | leads.csv:11: email should have at most 512 characters, it has 600',
      'leads.csv:12 | leads.csv:12: the quote that opens here is never closed',
    ]);
    expect(idsOf(await pending(source)).filter((id) => !id.includes(':'))).toEqual(['a', 'd']);
    expect((await source.read('leads.csv:4'))?.refused).toBe('leads.csv:4: this row has 3 cells, the header has 4');
    expect(await source.read('leads.csv:8')).toBeNull();
    expect((await source.read('a'))?.refused).toMatch(/^leads\.csv:2: checked/);
  });

  test('case B6: an id that is there twice is refused in both places, with both lines, and never filed', async () => {
    const text = `${HEADER}a,,,\n"b",1,,\nc,,,\n b ,2,,\n"q""q",,,\n"q""q",,,2026-06-01\n`;
    const { source, read } = table(text);
    const why = (id: string, lines: string) =>
      `the id ${JSON.stringify(id)} should be there once, it is in lines ${lines}`;
    expect(await refusals(source)).toEqual([
      `b | leads.csv:3: ${why('b', '3 and 5')}`,
      `b | leads.csv:5: ${why('b', '3 and 5')}`,
      `q"q | leads.csv:6: ${why('q"q', '6 and 7')}`,
    ]);
    expect((await source.read('b'))?.refused).toBe(`leads.csv:3: ${why('b', '3 and 5')}`);
    expect(await source.look([wish('b'), wish('a')])).toMatchObject([{ as: 'superseded' }, { as: 'marked' }]);
    expect(await source.file([wish('b'), wish('q"q')])).toMatchObject([{ as: 'superseded' }, { as: 'superseded' }]);
    expect(read()).toBe(text);
  });

  test('a wrong id column, the same in every row, is told without reading each row against each', async () => {
    const { source } = table(HEADER + 'same,,,\n'.repeat(3000));
    const items = await pending(source);
    expect(items.every(({ refused }) => refused?.includes('should be there once'))).toBe(true);
    expect([items.length, items.at(-1)?.refused]).toEqual([
      3000,
      'leads.csv:3001: the id "same" should be there once, it is in lines 2 and 3001',
    ]);
  });

  test('a whole item has all its columns, and no path', async () => {
    const { source } = table('email;title;company;size;checked\r\na;"Hello;\r\nthere";;3;\r\n');
    expect(await source.read('a')).toEqual({
      ...{ id: 'a', title: 'Hello; there', path: null, mark: null, refused: null },
      body: 'email: a\ntitle: Hello;\r\nthere\nsize: 3\n',
      fields: { email: 'a', title: 'Hello;\r\nthere', company: '', size: '3', checked: '' },
    });
    expect((await pending(source))[0]).toMatchObject({ title: 'Hello; there', body: '', fields: {} });
  });

  test('a sheet that is not UTF-8 is refused with the line, and stays as it is', async () => {
    const bytes = Buffer.from(`${HEADER}a,,,\n${'b,,,\n'.repeat(20_000)}caf\xe9,,,\n`, 'latin1');
    const { source, file } = table(bytes);
    const refused = { code: 'E_FORMAT', at: 'leads.csv:20003' };
    await expect(pending(source)).rejects.toMatchObject(refused);
    await expect(source.file([wish('a')])).rejects.toMatchObject(refused);
    expect(readFileSync(file)).toEqual(bytes);
  });

  test('a quote that swallows more than any row is long refuses the whole sheet', async () => {
    const { source } = table(`${HEADER}a,,,\nb,"open,,\n${'c,,,\n'.repeat(300_000)}`);
    await expect(source.count()).rejects.toMatchObject({ code: 'E_FORMAT', at: 'leads.csv:3' });
  });

  test('a row longer than 512 KiB is refused alone, and empty lines behind a row are none of it', async () => {
    const { source } = table(`${HEADER}a,${'x'.repeat(600_000)},,\nb,,,\n${',,,\n'.repeat(200_000)}`);
    expect((await pending(source)).map(({ id, refused }) => [id, refused])).toEqual([
      ['leads.csv:2', 'leads.csv:2: a row should have at most 512 KiB'],
      ['b', null],
    ]);
  });

  test('with lines of JSON the bad ones are refused and others go on', async () => {
    const long = JSON.stringify({ email: 'long', x: 'x'.repeat(3_000_000) });
    const text = `\ufeff{"email":"a"}\n\n{"email":"b"\n${long}\n[1]\n{"email":"c","checked":"2026-06-01"}\n{"email":"d","x":1,"x":2}\n{"email":"e"}`;
    const { source, read } = table(text, { path: 'a.ndjson' });
    expect((await pending(source)).map(({ id, refused }) => [id, refused?.slice(0, 60) ?? null])).toEqual([
      ['a', null],
      ['a.ndjson:3', 'a.ndjson:3: this line should be one JSON object of at most 1'],
      ['a.ndjson:4', 'a.ndjson:4: a row should have at most 512 KiB'],
      ['a.ndjson:5', 'a.ndjson:5: this line should be one JSON object of at most 1'],
      ['a.ndjson:7', 'a.ndjson:7: each key should be there once'],
      ['e', null],
    ]);
    expect(await source.count()).toEqual({ done: 1, total: 7 });
    await source.file([wish('e', { size: 3, company: null }), wish('a', { company: { name: 'Acme' } })]);
    const after = text
      .replace('{"email":"a"}', '{"email":"a","company":{"name":"Acme"},"checked":"2026-06-09"}')
      .replace('{"email":"e"}', '{"email":"e","size":3,"checked":"2026-06-09"}');
    expect(read()).toBe(after);
  });
});

describe('filing', () => {
  test('all marks of a batch are one rename, in a file held whole and in one that is not', async () => {
    for (const rows of [30, 40_000]) {
      const renames: string[] = [];
      const rename: Disk['rename'] = (from, to) => {
        renames.push(to);
        realDisk.rename(from, to);
      };
      const { source, read, file, kept } = table(sheet(rows), {}, { ...realDisk, rename });
      chmodSync(file, 0o640);
      const batch = Array.from({ length: 20 }, (_, n) => wish(`p${rows - 1 - n}@x.org`, { size: n }));
      const said = await source.look(batch);
      expect(await source.file(batch)).toEqual(said);
      expect(said.map(({ as }) => as)).toEqual(batch.map(() => 'marked'));
      expect([renames, kept, statSync(file).mode & 0o777]).toEqual([[file], [file], 0o640]);
      const marked = sheet(rows)
        .split('\n')
        .map((line, at) => {
          const n = rows - at;
          return at > rows - 20 && at <= rows ? line.replace(/,,$/, `,${n},2026-06-09`) : line;
        });
      expect(read()).toBe(marked.join('\n'));
      expect((await source.file(batch)).map(({ as }) => as)).toEqual(batch.map(() => 'already'));
      expect(renames).toHaveLength(1);
    }
  });

  const cell = fc.oneof(
    fc.constantFrom('', 'plain', ' spaces ', 'ü🎉', '5" pipe', '"q,""q"""', '"two\r\nlines"', '"a\nb"', '"\r"', '=1+1'),
    fc.string({ unit: 'grapheme' }).map((text) => `"${text.replaceAll('"', '""')}"`),
  );
  const wild = fc.record({
    mark: fc.constantFrom('', '\ufeff'),
    eol: fc.constantFrom('\n', '\r\n', '\r'),
    rows: fc.array(fc.tuple(cell, cell, fc.constantFrom('', ' ', 'no', '""', '"no"', '2026-06-01')), {
      minLength: 1,
      maxLength: 8,
    }),
    blanks: fc.constantFrom('', ',,,,'),
    last: fc.boolean(),
    at: fc.nat(),
  });
  test.prop([wild], { numRuns: 60 })(
    'case B4: nothing but the cells of the mark and the fields changes, whatever is around them',
    async ({ mark, eol, rows, blanks, last, at }) => {
      const line = ([left, right, checked]: string[], n: number, company: string) =>
        [left, `id ${n}`, company, checked, right].join(',');
      const print = (marked: number) =>
        mark +
        [
          'note,email,company,checked,"more"',
          ...rows.flatMap((row, n) => {
            const isQuoted = row[2].startsWith('"');
            const text = isQuoted ? '"2026-06-09"' : '2026-06-09';
            return [blanks, n === marked ? line([row[0], row[1], text], n, '"A, B"') : line(row, n, '')];
          }),
        ].join(eol) +
        (last ? eol : '');
      const n = at % rows.length;
      const { source, read } = table(print(-1), { write: ['company'] });
      const isDone = rows[n]?.[2] === '2026-06-01';
      expect(await source.file([wish(`id ${n}`, { company: 'A, B' })])).toMatchObject([
        { as: isDone ? 'theirs' : 'marked' },
      ]);
      expect(read()).toBe(print(isDone ? -1 : n));
      expect(await source.count()).toEqual({
        done: rows.filter(([, , checked], row) => checked === '2026-06-01' || row === n).length,
        total: rows.length,
      });
    },
  );

  test('rows that chunks end in are found wherever the chunk ends', async () => {
    for (const eol of ['\r\n', '\r', '\n'])
      for (let shift = 0; shift < 14; shift += 1) {
        const rows = Array.from({ length: 9000 }, (_, n) => `p${n},"a${eol}""b",${n % 7},`);
        const { source } = table([`email,company,size,${'x'.repeat(shift)}checked`, ...rows].join(eol), {
          mark: { field: `${'x'.repeat(shift)}checked`, value: null, todo: [] },
        });
        expect(await source.count()).toEqual({ done: 0, total: 9000 });
        const { fields } = (await source.read('p8999')) ?? { fields: {} };
        expect(fields).toMatchObject({ company: `a${eol}"b`, size: '4' });
      }
  });

  test('a line end that a chunk ends in the middle of is one', async () => {
    const row = `a,${'x'.repeat(65_535 - 'a,,,'.length)},,`;
    const { source } = table(`${HEADER}${row}\r\nb,,,,\r\n`);
    expect(await refusals(source)).toEqual(['leads.csv:3 | leads.csv:3: this row has 5 cells, the header has 4']);
  });

  test("A26: a person's row is found wherever it went, and their values stay", async () => {
    const { source, file, read } = table(`${HEADER}a,,,\nb,,,\n`);
    writeFileSync(file, `${HEADER}new,,,\nb,Mine,7,\n\na,,,2026-06-01\n`);
    const filed = await source.file([wish('b', { company: 'Acme', size: 7 }), wish('a', { size: 1 }), wish('c')]);
    expect(filed.map(({ as, kept }) => [as, kept])).toEqual([
      ['marked', ['company']],
      ['theirs', []],
      ['gone', []],
    ]);
    expect(read()).toBe(`${HEADER}new,,,\nb,Mine,7,2026-06-09\n\na,,,2026-06-01\n`);
    expect(await source.file([wish('b', { company: 'Acme', size: 7 })])).toMatchObject([
      { as: 'already', kept: ['company'] },
    ]);
  });

  test('a field that the run started from is replaced, one that a person changed meanwhile is not', async () => {
    const { source, read } = table(`${HEADER}a,Old,3,\n`);
    const base = { files: {}, fields: { company: 'Old', size: '2' } };
    expect(await source.file([wish('a', { company: 'New', size: 4 }, { base })])).toMatchObject([
      { as: 'marked', kept: ['size'] },
    ]);
    expect(read()).toBe(`${HEADER}a,New,3,2026-06-09\n`);
  });

  test('what would run as a formula is kept out of a sheet, named, and found as filed the next time', async () => {
    const { source, read } = table(`${HEADER}a,,,\n`);
    const batch = [wish('a', { company: '=HYPERLINK("http://x")', size: -5 })];
    expect(await source.file(batch)).toMatchObject([{ as: 'marked', kept: ['company'] }]);
    expect(read()).toBe(`${HEADER}a,,-5,2026-06-09\n`);
    expect(await source.file(batch)).toMatchObject([{ as: 'already', kept: ['company'] }]);
    const lines = table('{"email":"a"}\n', { path: 'a.jsonl' });
    await lines.source.file([wish('a', { company: '=1' })]);
    expect(lines.read()).toBe('{"email":"a","company":"=1","checked":"2026-06-09"}\n');
  });

  test('fields that would make a row too long to be read again are left out', async () => {
    const write = Array.from({ length: 12 }, (_, n) => `f${n}`);
    const { source, read } = table(`email,checked,${write.join(',')}\na,,${','.repeat(11)}\n`, { write });
    const fields = Object.fromEntries(write.map((name) => [name, '\u20ac'.repeat(30_000)]));
    expect(await source.file([wish('a', fields)])).toMatchObject([{ as: 'marked', kept: write }]);
    expect(read()).toContain(`\na,2026-06-09,${','.repeat(11)}\n`);
  });

  test('one row twice in a batch is judged the second time as the first left it', async () => {
    const { source, read } = table(`${HEADER}a,,,\n`);
    const filed = await source.file([wish('a', { size: 1 }), wish('a', { size: 1 }), wish('a', { size: 2 })]);
    expect(filed.map(({ as }) => as)).toEqual(['marked', 'already', 'already']);
    expect(read()).toBe(`${HEADER}a,,1,2026-06-09\n`);
  });

  test("A19: a person's own word is neither taken nor written over", async () => {
    const text = `${HEADER}a,,,doing\nb,,,open\nc,,,done\n`;
    const { source, read } = table(text, { mark: { field: 'checked', value: 'done', todo: ['open'] } });
    expect(idsOf(await pending(source))).toEqual(['b']);
    expect(await source.count()).toEqual({ done: 1, total: 3 });
    expect((await source.file([wish('a'), wish('b')])).map(({ as }) => as)).toEqual(['theirs', 'marked']);
    expect(read()).toBe(text.replace('open', 'done'));
  });
});

describe('changes meanwhile', () => {
  /** Calls `edit` once, when the new text is there and the old one still in its place. */
  const meddling = (edit: () => void): Disk => {
    let isDone = false;
    return {
      ...realDisk,
      sync(path) {
        if (!isDone && path.includes('.tmp-') && path.includes(FILE)) {
          isDone = true;
          edit();
        }
        realDisk.sync(path);
      },
    };
  };

  test.each([30, 40_000])(
    'a table of %i rows that changes while it is written is judged again, and nothing of the change is lost',
    async (rows) => {
      const { root, path, read } = folder({ [FILE]: sheet(rows) });
      const disk = meddling(() => writeFileSync(path(FILE), `${sheet(rows).replace('p1@x.org', 'P1@x.org')}new,,,\n`));
      const { source } = open(root, {}, disk);
      expect((await source.file([wish('p2@x.org'), wish('p1@x.org')])).map(({ as }) => as)).toEqual(['marked', 'gone']);
      const expected = sheet(rows)
        .split('\n')
        .map((line) => (line.startsWith('p2@') ? `${line}2026-06-09` : line))
        .join('\n');
      expect(read(FILE)).toBe(`${expected.replace('p1@x.org', 'P1@x.org')}new,,,\n`);
    },
  );

  test.each([30, 40_000])(
    'a table of %i rows that keeps changing is given up, with what people wrote in it and no debris',
    async (rows) => {
      const { root, path, read } = folder({ [FILE]: sheet(rows) });
      let edits = 0;
      const sync = (file: string) => {
        if (file.includes('.tmp-')) appendFileSync(path(FILE), `new${++edits},,,\n`);
        realDisk.sync(file);
      };
      const { source } = open(root, {}, { ...realDisk, sync });
      await expect(source.file([wish('p1@x.org')])).rejects.toMatchObject({ code: 'E_CHANGED', at: FILE });
      expect(read(FILE)).toBe(`${sheet(rows)}new1,,,\nnew2,,,\nnew3,,,\n`);
      expect(realDisk.list(root).filter((name) => name !== '.jez')).toEqual([FILE]);
    },
  );

  test('an edit of the same size is seen at once, however coarse the stamps are', async () => {
    const { root, path } = folder({ [FILE]: `${HEADER}a,,,2026-06-01\nb,,,          \n` });
    // Stamps cut to 2 s, as on FAT: an edit right after a look leaves them as they are.
    const cut = (ns: bigint) => ns - (ns % 2_000_000_000n);
    const stat: Disk['stat'] = (file) => {
      const exact = realDisk.stat(file);
      return exact === null ? null : { ...exact, mtimeNs: cut(exact.mtimeNs), ctimeNs: cut(exact.ctimeNs) };
    };
    const { source } = open(root, {}, { ...realDisk, stat });
    for (let round = 0; round < 50; round += 1) {
      const [done, todo] = round % 2 === 0 ? ['a', 'b'] : ['b', 'a'];
      writeFileSync(path(FILE), `${HEADER}${done},,,2026-06-01\n${todo},,,          \n`, { flag: 'r+' });
      expect(idsOf(await pending(source))).toEqual([todo]);
      expect(await source.look([wish('a'), wish('b')])).toMatchObject([
        { as: todo === 'a' ? 'marked' : 'already' },
        { as: todo === 'b' ? 'marked' : 'already' },
      ]);
    }
  });

  test('an edit of the same size while a large table is written is seen too, however coarse the stamps are', async () => {
    const { root, path, read } = folder({ [FILE]: sheet(40_000) });
    const edited = sheet(40_000).replace('p7@x.org', 'P7@x.org');
    const disk = meddling(() => writeFileSync(path(FILE), edited, { flag: 'r+' }));
    const stat: Disk['stat'] = (file) => {
      const exact = realDisk.stat(file);
      return exact === null ? null : { ...exact, mtimeNs: 0n, ctimeNs: 0n };
    };
    const { source } = open(root, {}, { ...disk, stat });
    expect(await source.file([wish('p2@x.org')])).toMatchObject([{ as: 'marked' }]);
    expect(read(FILE)).toBe(edited.replace(/(p2@x\.org.*)/, '$12026-06-09'));
  });

  test('a table that did not change for long is read once, and a changed one again', async () => {
    let reads = 0;
    const readAt: Disk['readAt'] = (...args) => {
      reads += 1;
      return realDisk.readAt(...args);
    };
    const { root, path } = folder({ [FILE]: sheet(20_000) });
    // A file system whose clock is an hour ahead: what was just written is long ago.
    const create: Disk['create'] = (file, ...rest) => {
      realDisk.create(file, ...rest);
      if (file.includes('/cache/')) utimesSync(file, new Date(Date.now() + 3.6e6), new Date(Date.now() + 3.6e6));
    };
    const { source } = open(root, {}, { ...realDisk, readAt, create });
    await source.count();
    reads = 0;
    await source.count();
    expect((await source.read('p19999@x.org'))?.id).toBe('p19999@x.org');
    expect(reads).toBeLessThan(4);
    appendFileSync(path(FILE), 'new,,,\n');
    expect(await source.count()).toEqual({ done: 0, total: 20_001 });
  });

  test('one that is replaced while its rows are listed is listed on from where it was', async () => {
    const { root, path } = folder({ [FILE]: sheet(5000) });
    const { source } = open(root);
    const ids: string[] = [];
    for await (const { id } of source.pending()) {
      ids.push(id);
      if (ids.length !== 10) continue;
      writeFileSync(path('next.csv'), sheet(5000).replace(HEADER, `${HEADER}above,,,\n`));
      renameSync(path('next.csv'), path(FILE));
    }
    expect(new Set(ids).size).toBe(5000);
    expect(ids.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, n) => `p${n}@x.org`));
  });

  test('an id that comes a second time while rows are listed is refused from then on', async () => {
    const { root, path } = folder({ [FILE]: sheet(5000) });
    const { source } = open(root);
    const refused: string[] = [];
    let count = 0;
    for await (const item of source.pending()) {
      count += 1;
      if (count === 10) appendFileSync(path(FILE), 'p4999@x.org,,,\n');
      if (item.refused !== null) refused.push(item.id);
    }
    expect(refused).toContain('p4999@x.org');
  });

  test('a table that is away refuses, so that no row is called gone', async () => {
    const { source, file, root } = table(`${HEADER}a,,,\n`);
    rmSync(file);
    const refused = { code: 'E_FORMAT', at: FILE };
    await expect(source.file([wish('a')])).rejects.toMatchObject(refused);
    await expect(source.look([wish('a')])).rejects.toMatchObject(refused);
    await expect(pending(source)).rejects.toMatchObject(refused);
    mkdirSync(`${root}/${FILE}`);
    await expect(source.read('a')).rejects.toMatchObject(refused);
  });

  test('watches the file itself, which an edit in place leaves in its folder', () => {
    const { source, file } = table(HEADER);
    expect(source.folders()).toEqual([file]);
  });
});
