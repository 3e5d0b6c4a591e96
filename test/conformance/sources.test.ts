import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SourceSpec } from '../../src/core/model.ts';
import { sourceNames } from '../../src/sources/index.ts';
import type { Filing } from '../../src/sources/source.ts';
import { type Disk, realDisk } from '../../src/store/disk.ts';
import { DATE_MARK, filing, idsOf, open, pending } from '../support/sources.ts';
import { folder } from '../support/workspace.ts';

/** The same backlog as each kind keeps it: five items, the fourth done. A new kind adds one entry here. */
interface Sample {
  spec: Partial<SourceSpec>;
  files: Record<string, string>;
  /** All ids in order; `done` is one of them. */
  ids: [string, string, string, string, string];
  done: string;
  wish(root: string, id: string, more?: Partial<Filing>): Filing;
  remove(root: string, id: string): void;
  /** What `mark` says of the done item, and of the second once it is filed. */
  marks: { done: string; second: string };
  /** False where an item has no fields to fill in. */
  isFielded?: false;
  /** What a changed line looks like; a date or the field without it. */
  changed?: RegExp;
  /** A person fills in a field of an item. */
  fill(root: string, id: string, company: string): void;
  /** The changes of the disk that filing the second item is made of; [] = it is no file of ours. */
  steps: string[];
  /** Files it keeps in history/ for that. */
  keeps: number;
  /** Where the bytes of a path lie once the second and third item are filed. */
  after(path: string): string;
}

/** A wish for an item that is no file: it started from empty fields. */
function rowWish(_: string, item: string, more: Partial<Filing> = {}): Filing {
  const base = { files: {}, fields: {} };
  return { item, run: 42, base, ownBytes: null, fields: {}, day: '2026-06-09', ...more };
}

function editLines(root: string, name: string, edit: (line: string) => string[]): void {
  const lines = readFileSync(join(root, name), 'utf8').split('\r\n');
  writeFileSync(join(root, name), lines.flatMap(edit).join('\r\n'));
}

/** The tickets of docs/sources/hello.mjs. */
function tickets(root: string, change: (all: { id: string }[]) => { id: string }[]): void {
  const file = join(root, 'tickets.json');
  writeFileSync(file, `${JSON.stringify(change(JSON.parse(readFileSync(file, 'utf8'))), null, 1)}\n`);
}

const samples: Record<string, Sample> = {
  folder: {
    spec: { path: 'docs/**/*.md', mark: DATE_MARK, write: ['company'] },
    files: {
      'docs/a-b.md': '# First\n',
      'docs/a.md': '---\r\ncompany:\r\n---\r\ntext\r\n',
      'docs/a/b.md': '',
      'docs/a/ü.md': '---\nchecked: 2026-06-01\ncompany: Umbrella\n---\n',
      'docs/b.md': '---\ntitle: Last\n---\n',
      'docs/note.txt': 'no item\n',
    },
    ids: ['docs/a-b.md', 'docs/a.md', 'docs/a/b.md', 'docs/a/ü.md', 'docs/b.md'],
    done: 'docs/a/ü.md',
    wish: filing,
    remove: (root, id) => rmSync(join(root, id)),
    marks: { done: '2026-06-01', second: '2026-06-09' },
    fill: (root, id, company) => {
      const text = readFileSync(join(root, id), 'utf8');
      writeFileSync(join(root, id), text.replace(/company:.*?(\r?\n)/, `company: ${company}$1`));
    },
    steps: ['create', 'sync', 'rename', 'syncFolder'],
    keeps: 1,
    after: (path) => path,
  },
  move: {
    spec: { path: 'todo/**/*.md', to: 'done', write: ['company'] },
    files: {
      'todo/a-b.md': '# First\n',
      'todo/a.md': '---\r\ncompany:\r\n---\r\ntext\r\n',
      'todo/a/b.md': '',
      'done/a/ü.md': '---\ncompany: Umbrella\n---\n',
      'todo/b.md': '---\ntitle: Last\n---\n',
      'todo/note.txt': 'no item\n',
    },
    ids: ['todo/a-b.md', 'todo/a.md', 'todo/a/b.md', 'todo/a/ü.md', 'todo/b.md'],
    done: 'todo/a/ü.md',
    marks: { done: 'done/a/ü.md', second: 'done/a.md' },
    wish: (root, id, more) => ({ ...filing(root, id === 'todo/a/ü.md' ? 'done/a/ü.md' : id, more), item: id }),
    remove: (root, id) => rmSync(join(root, id)),
    fill: (root, id, company) => {
      const text = readFileSync(join(root, id), 'utf8');
      writeFileSync(join(root, id), text.replace(/company:.*?(\r?\n)/, `company: ${company}$1`));
    },
    steps: ['link', 'syncFolder', 'unlink', 'syncFolder'],
    keeps: 0,
    // Where an item's bytes lie once it is done.
    after: (path) => path.replace(/^todo\/(a\.md|a\/b\.md)$/, 'done/$1'),
  },
  checklist: {
    spec: { path: 'TODO.md' },
    files: {
      'TODO.md':
        '# List\r\n\r\n- [ ] First {#a}\n* [ ]\tSecond ^b\r\n  1. plain\r\n- [ ] "ü" {#c}\n- [X] Fourth {#d}\n- [ ] Last {#e}',
    },
    ids: ['a', 'b', 'c', 'd', 'e'],
    done: 'd',
    marks: { done: 'X', second: 'x' },
    isFielded: false,
    changed: /^[-*] \[x\]/,
    wish: rowWish,
    remove: (root, id) => {
      const lines = readFileSync(join(root, 'TODO.md'), 'utf8').split('\n');
      writeFileSync(join(root, 'TODO.md'), lines.filter((line) => !RegExp(`[#^]${id}\\b`).test(line)).join('\n'));
    },
    fill: () => {},
    steps: ['overwrite'],
    keeps: 0,
    after: (path) => path,
  },
  table: {
    spec: { path: 'leads.csv', id: 'email', mark: DATE_MARK, write: ['company', 'size'] },
    files: {
      'leads.csv':
        'email,company,size,note,checked\r\n' +
        'a@x.org,,,"one, two",\r\nb@x.org,,,"says ""hi""",\r\nc@x.org,,,,no\r\n' +
        '"d@x.org",Umbrella,,"two\r\nlines",2026-06-01\r\n\r\ne@x.org,,,last,',
    },
    ids: ['a@x.org', 'b@x.org', 'c@x.org', 'd@x.org', 'e@x.org'],
    done: 'd@x.org',
    marks: { done: '2026-06-01', second: '2026-06-09' },
    wish: rowWish,
    remove: (root, id) => editLines(root, 'leads.csv', (line) => (line.startsWith(id) ? [] : [line])),
    fill: (root, id, company) =>
      editLines(root, 'leads.csv', (line) => [line.startsWith(id) ? line.replace(',', `,${company}`) : line]),
    steps: ['create', 'sync', 'rename', 'syncFolder'],
    keeps: 1,
    after: (path) => path,
  },
  command: {
    spec: { run: ['node', resolve('docs/sources/hello.mjs'), 'tickets.json'], write: ['company'] },
    files: {
      'tickets.json': `${JSON.stringify(
        ['a', 'b', 'c "ü"', 'd', 'e'].map((id) => ({
          ...{ id, title: `About ${id}`, body: '', size: null, company: id === 'd' ? 'Umbrella' : null },
          checked: id === 'd' ? '2026-06-01 0007' : null,
        })),
        null,
        1,
      )}\n`,
    },
    ids: ['a', 'b', 'c "ü"', 'd', 'e'],
    done: 'd',
    marks: { done: '2026-06-01', second: '2026-06-09' },
    wish: (_, item, more) => ({
      ...{ item, run: 42, base: { files: {}, fields: {} }, ownBytes: null, fields: {}, day: '2026-06-09' },
      ...more,
    }),
    remove: (root, id) => tickets(root, (all) => all.filter((ticket) => ticket.id !== id)),
    fill: (root, id, company) =>
      tickets(root, (all) => all.map((each) => (each.id === id ? { ...each, company } : each))),
    steps: [],
    keeps: 0,
    after: (path) => path,
  },
};

function filesIn(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !path.includes('/.jez/'));
  return Object.fromEntries(paths.sort().map((path) => [path, readFileSync(path, 'latin1')]));
}

const restore = (root: string, files: Record<string, string>) => {
  for (const path of Object.keys(filesIn(root))) if (!(path in files)) rmSync(path);
  for (const [path, text] of Object.entries(files)) writeFileSync(path, text, 'latin1');
};

/** Lines of `after` that are not in `before`. */
const newLines = (before: string, after: string) => {
  const known = new Set(before.split('\n'));
  return after.split('\n').filter((line) => !known.has(line));
};

describe.each(sourceNames)('source %s', (kind) => {
  const sample = samples[kind] as Sample;
  const spec = { kind, ...sample.spec };
  const [first, second, third] = sample.ids;
  const todo = sample.ids.filter((id) => id !== sample.done);
  const isFielded = sample.isFielded !== false;
  const fields: Record<string, unknown> = isFielded ? { company: 'Acme' } : {};

  test('A27: yields what is not marked, in one order, and goes round once from anywhere', async () => {
    const { root } = folder(sample.files);
    const { source } = await open(root, spec);
    expect(idsOf(await pending(source))).toEqual(todo);
    for (const after of [...sample.ids, '', 'zzz']) {
      const expected = [...todo.filter((id) => id > after), ...todo.filter((id) => id <= after)];
      expect(idsOf(await pending(source, after))).toEqual(expected);
    }
    expect(idsOf(await pending(source, undefined, 2))).toEqual(todo.slice(0, 2));
    expect(await source.count()).toEqual({ done: 1, total: 5 });
  });

  test('A15: wherever the bookmark points, each item is yielded exactly once', async () => {
    const { root } = folder(sample.files);
    const { source } = await open(root, spec);
    for (const after of ['9999', '-1', 'x', '\uffff', `${first}x`])
      expect(idsOf(await pending(source, after)).sort()).toEqual([...todo].sort());
  });

  test('A16: a mark counts from the moment it is there, and a mark taken away reopens the item', async () => {
    const { root } = folder(sample.files);
    const { source } = await open(root, spec);
    const before = filesIn(root);
    await source.file([sample.wish(root, second)]);
    expect(idsOf(await pending(source))).toEqual(todo.filter((id) => id !== second));
    expect(await source.count()).toEqual({ done: 2, total: 5 });
    restore(root, before);
    expect(idsOf(await pending(source))).toEqual(todo);
  });

  test('reads an item whole, and says so when it is gone', async () => {
    const { root } = folder(sample.files);
    const { source } = await open(root, spec);
    expect(await source.read(second)).toMatchObject({ id: second, mark: null, refused: null });
    expect(await source.read(sample.done)).toMatchObject({
      id: sample.done,
      mark: sample.marks.done,
      fields: isFielded ? { company: 'Umbrella' } : {},
    });
    sample.remove(root, second);
    expect(await source.read(second)).toBeNull();
    expect(idsOf(await pending(source))).toEqual(todo.filter((id) => id !== second));
  });

  test('case D11: filing changes the mark and the fields and no other byte anywhere', async () => {
    const { root } = folder(sample.files);
    const { source } = await open(root, spec);
    const before = filesIn(root);
    const filed = await source.file([sample.wish(root, second, { fields }), sample.wish(root, third)]);
    expect(filed).toEqual([
      { item: second, run: 42, as: 'marked', kept: [] },
      { item: third, run: 42, as: 'marked', kept: [] },
    ]);
    const after = filesIn(root);
    const moved = (path: string) => join(root, sample.after(path.slice(root.length + 1)));
    expect(Object.keys(after)).toEqual(Object.keys(before).map(moved).sort());
    const added = Object.keys(before).flatMap((name) => newLines(before[name] ?? '', after[moved(name)] ?? ''));
    const told = added.filter(
      (line) => !(sample.changed ?? /2026-06-09|Acme/).test(line) && !/^(?:---)?\r?$/.test(line),
    );
    expect(told).toEqual([]);
    const isInFile = sample.marks.second === '2026-06-09';
    expect(added.join('\n').match(/2026-06-09/g) ?? []).toHaveLength(isInFile ? 2 : 0);
    expect(await source.read(second)).toMatchObject({ mark: sample.marks.second, fields });
  });

  test('A22: filing twice is the same as once, also after a restart', async () => {
    const { root } = folder(sample.files);
    const { source } = await open(root, spec);
    const wish = sample.wish(root, second, { fields });
    await source.file([wish]);
    const once = filesIn(root);
    const { source: again, kept } = await open(root, spec);
    expect((await again.look([wish]))[0]).toMatchObject({ as: 'already' });
    expect(await again.file([wish])).toEqual([{ item: second, run: 42, as: 'already', kept: [] }]);
    expect(filesIn(root)).toEqual(once);
    expect(kept).toEqual([]);
  });

  test('looking says what filing would do, and changes nothing', async () => {
    const { root } = folder(sample.files);
    const { source, kept } = await open(root, spec);
    const gone = sample.wish(root, third);
    sample.remove(root, third);
    const before = filesIn(root);
    for (const wish of [sample.wish(root, second, { fields }), sample.wish(root, sample.done, { fields }), gone]) {
      const said = await source.look([wish]);
      expect(filesIn(root)).toEqual(before);
      expect(kept).toEqual([]);
      expect(await source.file([wish])).toEqual(said);
      restore(root, before);
      kept.length = 0;
    }
  });

  test('A26: an item that is gone takes nothing and brings nothing back', async () => {
    const { root } = folder(sample.files);
    const { source } = await open(root, spec);
    const wish = sample.wish(root, second, { fields });
    sample.remove(root, second);
    const before = filesIn(root);
    expect(await source.file([wish])).toEqual([{ item: second, run: 42, as: 'gone', kept: [] }]);
    expect(filesIn(root)).toEqual(before);
  });

  test('a person who marked it first is not overwritten', async () => {
    const { root } = folder(sample.files);
    const { source } = await open(root, spec);
    const before = filesIn(root);
    const wish = sample.wish(root, sample.done, { fields });
    expect(await source.file([wish])).toEqual([{ item: sample.done, run: 42, as: 'theirs', kept: [] }]);
    expect(filesIn(root)).toEqual(before);
  });

  if (isFielded)
    test('a field that a person filled meanwhile stays, and is named', async () => {
      const { root } = folder(sample.files);
      const { source } = await open(root, spec);
      const wish = sample.wish(root, second, { fields: { ...fields, size: 3 } });
      sample.fill(root, second, 'Initech');
      expect(await source.file([wish])).toEqual([{ item: second, run: 42, as: 'marked', kept: ['company'] }]);
      expect(await source.file([wish])).toEqual([{ item: second, run: 42, as: 'already', kept: ['company'] }]);
      const now = (await source.read(second))?.fields;
      expect([now?.company, String(now?.size)]).toEqual(['Initech', '3']);
    });

  test('filing is on disk before it resolves, in the steps of its kind', async () => {
    const { root } = folder(sample.files);
    const steps: string[] = [];
    const told = (name: 'create' | 'sync' | 'rename' | 'link' | 'unlink' | 'syncFolder' | 'overwrite') => ({
      [name]: (...args: never[]) => {
        steps.push(name);
        return (realDisk[name] as (...args: never[]) => void)(...args);
      },
    });
    const names = ['create', 'sync', 'rename', 'link', 'unlink', 'syncFolder', 'overwrite'] as const;
    const disk = Object.assign({ ...realDisk }, ...names.map(told)) as Disk;
    const { source, kept } = await open(root, spec, disk);
    await source.file([sample.wish(root, second)]);
    expect(steps).toEqual(sample.steps);
    expect(kept).toHaveLength(sample.keeps);
  });

  test('caches can be dropped at any moment', async () => {
    const { root, path } = folder(sample.files);
    const { source } = await open(root, spec);
    for (let round = 0; round < 3; round += 1) {
      expect(idsOf(await pending(source, third))).toEqual([
        ...todo.filter((id) => id > third),
        ...todo.filter((id) => id <= third),
      ]);
      rmSync(path('.jez'), { recursive: true, force: true });
    }
  });

  test('watches folders and files that exist', async () => {
    const { root } = folder(sample.files);
    const { source } = await open(root, spec);
    for (const watched of source.folders()) expect(realDisk.stat(watched)).not.toBeNull();
  });
});

test('an unknown kind names those there are', async () => {
  const { root } = folder();
  for (const kind of ['nonsense', 'toString', '__proto__'])
    await expect(open(root, { kind })).rejects.toThrow(
      `.jez/loop.md: source.kind should be one of ${sourceNames.join(', ')}, got "${kind}"`,
    );
});
