import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { MarkSpec } from '../../src/core/model.ts';
import { setFields } from '../../src/formats/mark.ts';
import { type Disk, realDisk } from '../../src/store/disk.ts';
import { filing, idsOf, open, pending } from '../support/sources.ts';
import { folder } from '../support/workspace.ts';

const status: MarkSpec = { field: 'status', value: 'done', todo: ['todo'] };
const A = 'docs/a.md';

describe('which files are items', () => {
  const paths = (...names: string[]) => Object.fromEntries(names.map((name) => [name, 'text\n']));
  const found = async (root: string, path: string) => idsOf(await pending((await open(root, { path })).source));

  test('A27: the order is that of the bytes of the whole path, folders and files together', async () => {
    const names = [
      'docs/a-b/z.md',
      'docs/a.md',
      'docs/a/b.md',
      'docs/a0.md',
      'docs/B.md',
      'docs/é.md',
      'docs/\uff5e.md',
      'docs/🎉.md',
    ];
    const { root } = folder(paths(...names));
    const sorted = names.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
    expect(await found(root, 'docs/**/*.md')).toEqual(sorted);
    for (const after of sorted)
      expect(idsOf(await pending((await open(root)).source, after))).toEqual([
        ...sorted.slice(sorted.indexOf(after) + 1),
        ...sorted.slice(0, sorted.indexOf(after) + 1),
      ]);
  });

  test('private folders, symbolic links and our own temporary files are none', async () => {
    const temporary = 'docs/a.md.tmp-00000000-0000-4000-8000-000000000000';
    const { root, path } = folder(
      paths(A, '.jez/b.md', '.git/c.md', 'docs/node_modules/d.md', 'docs/.GIT/e.md', temporary),
    );
    symlinkSync(path(A), path('docs/link.md'));
    symlinkSync(path('docs'), path('linked'));
    mkdirSync(path('docs/folder.md'));
    expect(await found(root, '**/*')).toEqual([A]);
    expect(await found(root, '**/.*/**')).toEqual([]);
    expect(await found(root, 'linked/*.md')).toEqual([]);
    expect(await found(root, '.jez/*.md')).toEqual([]);
  });

  test.each([
    ['docs/*.md', [A, 'docs/b c.md']],
    ['./docs//*.md', [A, 'docs/b c.md']],
    ['docs/a.md', [A]],
    ['docs/{a,x/y}.md', [A, 'docs/x/y.md']],
    ['**/y.md', ['docs/x/y.md']],
    ['docs/.hidden/*.md', ['docs/.hidden/h.md']],
    ['docs/[b]*', ['docs/b c.md']],
    ['*.md', ['top.md']],
    ['missing/**', []],
    ['docs/a.md/*', []],
  ])('the glob %s finds what it says, and files with a dot only by name', async (path, expected) => {
    const { root } = folder(paths(A, 'docs/b c.md', 'docs/x/y.md', 'docs/.hidden/h.md', 'docs/.dot.md', 'top.md'));
    expect(await found(root, path)).toEqual(expected);
  });

  test.each(['../*.md', '/etc/*', '/*.md', 'docs/../../*.md'])(
    'the glob %s leads out of the project and is refused',
    async (path) => {
      await expect(open(folder().root, { path })).rejects.toMatchObject({ code: 'E_OUTSIDE' });
    },
  );

  test('only folders that can hold a match are read', async () => {
    const { root } = folder(paths(A, 'docs/x/y.md', 'docs/x/deep/z.md', 'other/b.md'));
    const read: string[] = [];
    const entries: Disk['entries'] = (path) => {
      read.push(path.slice(root.length));
      return realDisk.entries(path);
    };
    await pending((await open(root, { path: 'docs/*/*.md' }, { ...realDisk, entries })).source);
    expect(read).toEqual(['/docs', '/docs/x']);
  });

  test('names that are no text or no line are refused, odd ones are not', async () => {
    const odd = [
      'docs/ .md',
      'docs/"q".md',
      'docs/%41.md',
      "docs/it's.md",
      'docs/\t.md',
      'docs/\u202e.md',
      'docs/~.md',
    ];
    const { root } = folder(paths(...odd, 'docs/new\nline.md'));
    execFileSync('sh', ['-c', 'printf text > "$(printf "docs/caf\\351.md")"'], { cwd: root });
    const items = await pending((await open(root)).source);
    expect(idsOf(items.filter(({ refused }) => refused === null)).sort()).toEqual(odd.sort());
    const refusals = items.flatMap(({ refused }) => refused ?? []);
    expect(refusals).toEqual([
      'docs/caf\ufffd.md:1: the name of an item should be UTF-8',
      'docs/new\nline.md:1: the name of an item should be one line',
    ]);
  });
});

describe('what an item says of itself', () => {
  test('A17: a mark that is no date is reported with its line, and not counted as done', async () => {
    const { root } = folder({
      [A]: '---\ntitle: a\nchecked: soon\n---\n',
      'docs/b.md': '---\nchecked: 2026-06-09\n---\n',
    });
    const { source } = await open(root);
    const [item, ...others] = await pending(source);
    expect(item?.refused).toBe('docs/a.md:3: checked should be a date such as 2026-06-09, got "soon"');
    expect(others).toEqual([]);
    expect(await source.count()).toEqual({ done: 1, total: 2 });
    expect((await source.read(A))?.refused).toBe(item?.refused);
  });

  test("A19: an item with a person's own word is neither taken nor done", async () => {
    const texts = { [A]: '---\nstatus: doing\n---\n', 'docs/b.md': '---\nstatus: done\n---\n', 'docs/c.md': 'text\n' };
    const { root, read } = folder(texts);
    const { source } = await open(root, { mark: status });
    expect(idsOf(await pending(source))).toEqual(['docs/c.md']);
    expect(await source.count()).toEqual({ done: 1, total: 3 });
    expect(await source.file([filing(root, A), filing(root, 'docs/c.md')])).toMatchObject([
      { as: 'theirs' },
      { as: 'marked' },
    ]);
    expect(read(A)).toBe(texts[A]);
    expect(read('docs/c.md')).toBe('---\nstatus: done\n---\ntext\n');
  });

  test('case D1, E1: code in front matter is refused with its place and never runs', async () => {
    const { root, path } = folder();
    mkdirSync(path('docs'));
    const code = `require('fs').writeFileSync(${JSON.stringify(path('canary'))}, '')`;
    for (const name of ['js', 'javascript', 'JS', 'coffee'])
      writeFileSync(path(`docs/${name}.md`), `---${name}\n${code}\n---\n`);
    writeFileSync(path('docs/z.md'), `---\ntitle: z\n---\n---js\n${code}\n---\n`);
    const { source } = await open(root);
    const items = await pending(source);
    expect(items.map(({ refused }) => refused?.slice(0, 60) ?? null).filter((each) => each === null)).toHaveLength(1);
    for (const { id } of items) await source.read(id);
    await source.file(items.map(({ id }) => filing(root, id, { fields: { company: 'Acme' } })));
    expect(existsSync(path('canary'))).toBe(false);
    expect(items[0]?.refused).toBe('docs/JS.md:1: front matter should begin with a bare ---, got "---JS"');
  });

  test('UTF-16 is refused clearly, by list and by hand, and stays as it is', async () => {
    const { root, path } = folder({ [A]: Buffer.from('\ufeff---\ntitle: a\n---\n', 'utf16le') });
    const { source } = await open(root);
    const before = readFileSync(path(A));
    expect((await pending(source))[0]?.refused).toBe('docs/a.md:1: an item should be UTF-8 text, this is UTF-16');
    expect(await source.file([filing(root, A)])).toMatchObject([{ as: 'superseded' }]);
    expect(readFileSync(path(A))).toEqual(before);
  });

  test('YAML that only a strict reader refuses is reported when the item is read whole', async () => {
    const { root } = folder({ [A]: '---\ntitle: "a\nb: [\n---\n' });
    expect((await (await open(root)).source.read(A))?.refused).toMatch(/^docs\/a\.md:\d+:\d+: /);
  });

  test('front matter longer than the first read is read on, up to 256 KiB', async () => {
    const filler = (size: number) => `note: ${'x'.repeat(size)}\n`;
    const { root } = folder({
      'docs/a.md': `---\n${filler(100_000)}checked: 2026-06-09\n---\n`,
      'docs/b.md': `---\n${filler(100_000)}---\n`,
      'docs/c.md': `---\n${filler(300_000)}---\n`,
    });
    const items = await pending((await open(root)).source);
    expect(items.map(({ id, refused }) => [id, refused])).toEqual([
      ['docs/b.md', null],
      ['docs/c.md', 'docs/c.md:1: front matter that begins here should end within 256 KiB'],
    ]);
  });

  test.each([
    ['---\ntitle: "From: the field"\n---\n# Heading\n', 'From: the field'],
    ['---\ntitle:\n---\n```\n# code\n```\n\n## The *heading* ##\r\n', 'The *heading*'],
    ['text\n#hashtag\n', A],
    ['', A],
  ])('the title of %j is %j', async (text, title) => {
    const { root } = folder({ [A]: text });
    const { source } = await open(root);
    expect((await pending(source))[0]?.title).toBe(title);
    expect((await source.read(A))?.title).toBe(title);
  });
});

describe('filing', () => {
  const TEXT = '---\ncompany:\nsize: 3 # people\nchecked: no\n---\n# A\n';
  const own = (text: string) => ({ ownBytes: Buffer.from(text) });

  test("A23: the run's text, its fields and the mark are one rename", async () => {
    const { root, read } = folder({ [A]: TEXT });
    const renames: string[] = [];
    const rename: Disk['rename'] = (from, to) => {
      renames.push(readFileSync(from, 'utf8'));
      realDisk.rename(from, to);
    };
    const { source } = await open(root, {}, { ...realDisk, rename });
    const wish = filing(root, A, { ...own(TEXT.replace('# A', '# Better')), fields: { company: 'Acme', size: 4 } });
    expect(await source.file([wish])).toEqual([{ item: A, run: 42, as: 'marked', kept: [] }]);
    expect(read(A)).toBe('---\ncompany: Acme\nsize: 4 # people\nchecked: 2026-06-09\n---\n# Better\n');
    expect(renames).toEqual([read(A)]);
    expect(await source.file([wish])).toEqual([{ item: A, run: 42, as: 'already', kept: [] }]);
  });

  test('a run can set its own mark in no way', async () => {
    for (const mine of ['checked: 2020-01-01', 'checked: |\n  2020-01-01', 'checked: [a,\n  b]', 'other: 1']) {
      const { root, path } = folder({ [A]: TEXT });
      const { source } = await open(root);
      const wish = filing(root, A, { ...own(TEXT.replace('checked: no', mine)), fields: { checked: '2020-01-01' } });
      expect(await source.file([wish])).toMatchObject([{ as: 'marked' }]);
      expect((await source.read(A))?.fields.checked).toBe('2026-06-09');
      rmSync(path(A));
    }
  });

  test('A23: after a crash between output and mark only the mark is set', async () => {
    const { root, read } = folder({ [A]: TEXT });
    const { source } = await open(root);
    const better = TEXT.replace('# A', '# Better');
    const wish = filing(root, A, own(better));
    writeFileSync(`${root}/${A}`, better);
    expect((await source.look([wish]))[0]).toMatchObject({ as: 'marked' });
    expect(await source.file([wish])).toMatchObject([{ as: 'marked' }]);
    expect(read(A)).toBe(better.replace('checked: no', 'checked: 2026-06-09'));
  });

  test('A26: an edit meanwhile stops a whole new text, and is no obstacle to a mark', async () => {
    const { root, read } = folder({ [A]: TEXT });
    const { source } = await open(root);
    const whole = filing(root, A, own('# Rewritten\n'));
    const mark = filing(root, A, { fields: { company: 'Acme' } });
    const edited = TEXT.replace('# A', '# Edited by a person');
    writeFileSync(`${root}/${A}`, edited);
    expect(await source.file([whole])).toEqual([{ item: A, run: 42, as: 'superseded', kept: [] }]);
    expect(read(A)).toBe(edited);
    expect(await source.file([mark])).toEqual([{ item: A, run: 42, as: 'marked', kept: [] }]);
    expect(read(A)).toBe(edited.replace('company:', 'company: Acme').replace('checked: no', 'checked: 2026-06-09'));
  });

  test('a person who marked it with their own text keeps it; marked over our own text it is ours', async () => {
    const { root, read } = folder({ [A]: TEXT });
    const { source } = await open(root);
    const better = TEXT.replace('# A', '# Better');
    const wish = filing(root, A, own(better));
    const marked = (text: string) => setFields(Buffer.from(text), { checked: '2026-06-01' });
    writeFileSync(`${root}/${A}`, marked(TEXT));
    expect(await source.file([wish])).toMatchObject([{ as: 'theirs' }]);
    expect(read(A)).toBe(marked(TEXT).toString());
    writeFileSync(`${root}/${A}`, marked(better));
    expect(await source.file([wish])).toMatchObject([{ as: 'already' }]);
  });

  test('a field is filled only while it holds what the run saw', async () => {
    const { root, read } = folder({ [A]: '---\nsame: 1\nmine: 2\ntheirs: 9\nlong: |\n  text\n---\n' });
    const { source } = await open(root);
    const fields = { same: 'new', mine: 2, theirs: 'new', long: 'new', missing: 'new', removed: 'new' };
    const base = { files: {}, fields: { same: 1, mine: 1, theirs: 1, long: 'text\n', removed: 'was here' } };
    const wish = filing(root, A, { base, fields });
    const kept = ['theirs', 'long', 'removed'];
    expect((await source.look([wish]))[0]).toEqual({ item: A, run: 42, as: 'marked', kept });
    expect(await source.file([wish])).toEqual([{ item: A, run: 42, as: 'marked', kept }]);
    expect(read(A)).toBe(
      '---\nsame: new\nmine: 2\ntheirs: 9\nlong: |\n  text\nmissing: new\nchecked: 2026-06-09\n---\n',
    );
    expect(await source.file([wish])).toEqual([{ item: A, run: 42, as: 'already', kept }]);
  });

  test('case D3: a date passes through as the text it was', async () => {
    const text = '---\nsince: 2026-06-09\nat: 2026-06-09T08:15:00Z\n---\n';
    const { root, read } = folder({ [A]: text });
    const { source } = await open(root);
    expect((await source.read(A))?.fields).toEqual({ since: '2026-06-09', at: '2026-06-09T08:15:00Z' });
    await source.file([
      filing(root, A, { base: { files: {}, fields: { since: '2026-06-09' } }, fields: { since: '2026-01-01' } }),
    ]);
    expect(read(A)).toBe('---\nsince: 2026-01-01\nat: 2026-06-09T08:15:00Z\nchecked: 2026-06-09\n---\n');
  });

  test('what cannot be read as front matter, there or in the new text, is not written over', async () => {
    for (const [now, mine] of [
      ['---js\n---\n', null],
      ['---\ntitle: "a\n---\n', null],
      [TEXT, '---\nno end\n'],
    ] as const) {
      const { root, read } = folder({ [A]: now });
      const { source } = await open(root);
      const wish = filing(root, A, { ...(mine === null ? {} : own(mine)), fields: { company: 'Acme' } });
      expect(await source.file([wish])).toMatchObject([{ as: 'superseded' }]);
      expect(read(A)).toBe(now);
    }
  });

  test('nothing is written through a link or into a private folder', async () => {
    const { root, path, read } = folder({ 'other/a.md': 'text\n', '.git/a.md': 'text\n' });
    symlinkSync(path('other'), path('docs'));
    symlinkSync(path('other/a.md'), path('link.md'));
    const { source } = await open(root);
    for (const item of [A, 'link.md', '.git/a.md']) {
      expect(await source.file([filing(root, item)])).toMatchObject([{ as: 'gone' }]);
      expect(await source.read(item)).toBeNull();
    }
    expect(read('other/a.md') + read('.git/a.md')).toBe('text\ntext\n');
    await expect(source.read('../a.md')).rejects.toMatchObject({ code: 'E_OUTSIDE' });
  });

  test('a file that changes under its hands is looked at again, and given up after three times', async () => {
    const { root, path, read } = folder({ [A]: TEXT });
    let edits = 0;
    let most = 2;
    const sync = (file: string) => {
      if (file.includes('.tmp-') && edits < most)
        writeFileSync(path(A), `${readFileSync(path(A), 'utf8')}edit ${++edits}\n`);
      realDisk.sync(file);
    };
    const { source } = await open(root, {}, { ...realDisk, sync });
    expect(await source.file([filing(root, A)])).toMatchObject([{ as: 'marked' }]);
    expect(read(A)).toBe(`${TEXT.replace('checked: no', 'checked: 2026-06-09')}edit 1\nedit 2\n`);
    writeFileSync(path(A), TEXT);
    most = Number.POSITIVE_INFINITY;
    await expect(source.file([filing(root, A)])).rejects.toMatchObject({ code: 'E_CHANGED', at: A });
    expect(read(A)).toContain('checked: no');
  });

  test('A26: a renamed item is gone under its old name and open under the new one', async () => {
    const { root, path } = folder({ [A]: TEXT });
    const { source } = await open(root);
    const wish = filing(root, A);
    renameSync(path(A), path('docs/b.md'));
    expect(await source.file([wish])).toMatchObject([{ as: 'gone' }]);
    expect(idsOf(await pending(source))).toEqual(['docs/b.md']);
  });
});

describe('folders to watch', () => {
  test('are those of the walk; the nearest one above while the base is missing', async () => {
    const { root, path } = folder({ 'docs/x/a.md': 'text\n', 'docs/node_modules/b.md': 'text\n' });
    expect((await open(root)).source.folders()).toEqual([path('docs'), path('docs/x')]);
    expect((await open(root, { path: 'docs/new/deep/*.md' })).source.folders()).toEqual([path('docs')]);
  });

  test('are not told when there are more than 200', async () => {
    const { root, path } = folder();
    for (let n = 0; n < 200; n += 1) mkdirSync(path(`docs/${n}`), { recursive: true });
    expect((await open(root)).source.folders()).toEqual([]);
    rmSync(path('docs/0'), { recursive: true });
    expect((await open(root)).source.folders()).toHaveLength(200);
  });
});
