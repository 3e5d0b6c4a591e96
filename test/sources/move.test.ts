import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Procedure, SourceSpec } from '../../src/core/model.ts';
import openMove from '../../src/sources/move.ts';
import { type Disk, realDisk } from '../../src/store/disk.ts';
import { Workspace } from '../../src/store/workspace.ts';
import { DATE_MARK, filing, idsOf, pending } from '../support/sources.ts';
import { folder } from '../support/workspace.ts';

const A = 'todo/a.md';
const TEXT = '---\r\ncompany:\r\nsize: 3 # people\r\n---\r\n# A\r\n';

function open(root: string, spec: Partial<SourceSpec> = {}, disk: Disk = realDisk) {
  const kept: string[] = [];
  const settings = { kind: 'move', path: 'todo/**/*.md', to: 'done', mark: DATE_MARK, write: [], id: null, ...spec };
  const procedure = { source: { run: [], env: [], ...settings } } as unknown as Procedure;
  const context = { disk, workspace: new Workspace(root), procedure, keep: (path: string) => void kept.push(path) };
  return { source: openMove(context), kept };
}

describe('which files are items, and which are done', () => {
  test('A18: a file that a person moves is done, one that is moved back is open', async () => {
    const { root, path } = folder({ [A]: TEXT, 'todo/x/b.md': '# B\n', 'done/old.md': '', 'done/note.txt': '' });
    const { source } = open(root);
    expect(idsOf(await pending(source))).toEqual([A, 'todo/x/b.md']);
    expect(await source.count()).toEqual({ done: 1, total: 3 });
    renameSync(path(A), path('done/a.md'));
    expect(idsOf(await pending(source))).toEqual(['todo/x/b.md']);
    expect(await source.count()).toEqual({ done: 2, total: 3 });
    expect(await source.read(A)).toMatchObject({ id: A, path: 'done/a.md', mark: 'done/a.md', title: 'A' });
    renameSync(path('done/a.md'), path(A));
    expect(idsOf(await pending(source))).toEqual([A, 'todo/x/b.md']);
  });

  test('what lies below `to` is never an item, whatever the glob says', async () => {
    const { root } = folder({ 'a.md': '', 'x/b.md': '', 'work/done/x/c.md': '', 'work/d.md': '' });
    const { source } = open(root, { path: '**/*.md', to: './work/done/' });
    expect(idsOf(await pending(source))).toEqual(['a.md', 'work/d.md', 'x/b.md']);
    expect(await source.count()).toEqual({ done: 1, total: 4 });
    expect(await source.read('work/done/x/c.md')).toBeNull();
    const filed = await source.file(['a.md', 'work/d.md', 'work/done/x/c.md'].map((id) => filing(root, id)));
    expect(filed.map(({ as }) => as)).toEqual(['marked', 'marked', 'gone']);
    expect(existsSync(`${root}/work/done/work/d.md`)).toBe(true);
    expect(await source.count()).toEqual({ done: 3, total: 4 });
  });

  test.each([
    ['todo/*.md', 'archive/2026', 1],
    ['*.md', 'done', 1],
    ['todo/*/*.md', 'archive/2026', 1],
    ['todo/*/*.md', 'done', 1],
  ])('the glob %s counts in %s what could have come from there', async (path, to, done) => {
    const { root } = folder({
      [`${to}/a.md`]: '',
      [`${to}/x/b.md`]: '',
      [`${to}/x/y/c.md`]: '',
      [`${to}/.hidden.md`]: '',
    });
    expect(await open(root, { path, to }).source.count()).toEqual({ done, total: done });
  });

  test('A18: the same name in both is reported and never run, until one of the two goes', async () => {
    const { root, path, read } = folder({ [A]: TEXT, 'done/a.md': '# Other\n' });
    const { source } = open(root);
    const [item] = await pending(source);
    expect(item?.refused).toBe('todo/a.md:1: the same name is in done/a.md: one of the two has to go');
    expect(await source.read(A)).toMatchObject({ path: A, refused: item?.refused });
    expect(await source.count()).toEqual({ done: 1, total: 2 });
    for (const wish of [filing(root, A), filing(root, A, { ownBytes: Buffer.from('mine') })])
      expect(await source.file([wish])).toEqual([{ item: A, run: 42, as: 'superseded', kept: [] }]);
    expect([read(A), read('done/a.md')]).toEqual([TEXT, '# Other\n']);
    rmSync(path('done/a.md'));
    expect((await pending(source))[0]?.refused).toBeNull();
  });

  test('something else in the way of the new name is reported', async () => {
    const { root, path } = folder({
      'todo/a.md': '',
      'todo/b.md': '',
      'todo/x/c.md': '',
      'todo/y/d.md': '',
      'done/y': '',
    });
    mkdirSync(path('done/a.md'));
    symlinkSync('nowhere', path('done/b.md'));
    symlinkSync(path('todo'), path('done/x'));
    const { source } = open(root);
    const items = await pending(source);
    expect(items.map(({ refused }) => refused)).toEqual([
      'todo/a.md:1: done/a.md is there and is no file',
      'todo/b.md:1: done/b.md is there and is no file',
      'todo/x/c.md:1: done/x should be a folder, and no link',
      'todo/y/d.md:1: done/y should be a folder, and no link',
    ]);
    for (const { id } of items) expect(await source.file([filing(root, id)])).toMatchObject([{ as: 'superseded' }]);
    expect(await source.count()).toEqual({ done: 0, total: 4 });
  });

  test('two spellings of one folder, where case is ignored, cost nobody a file', async () => {
    const { root, path, read } = folder({ [A]: TEXT });
    linkSync(path(A), path('kept elsewhere'));
    const plain = (name: string) => name.replace(`${root}/Todo`, `${root}/todo`);
    const blind: Disk = {
      ...realDisk,
      stat: (name) => realDisk.stat(plain(name)),
      read: (name) => realDisk.read(plain(name)),
      link: (from, to) => realDisk.link(plain(from), plain(to)),
    };
    const { source } = open(root, { to: 'Todo' }, blind);
    expect((await pending(source))[0]?.refused).toBe('todo/a.md:1: the folder of done items is its own');
    expect(await source.file([filing(root, A)])).toMatchObject([{ as: 'superseded' }]);
    expect(read(A)).toBe(TEXT);
  });

  test('front matter matters only where fields are to be set', async () => {
    const binary = Buffer.from([0x25, 0x50, 0x44, 0x46, 0x00, 0xff]);
    const files = { [A]: '---js\ncode\n---\n', 'todo/b.md': binary, 'todo/c.md': '---\nchecked: soon\n---\ntext\n' };
    const { root } = folder(files);
    const { source } = open(root);
    expect((await pending(source)).map(({ refused }) => refused)).toEqual([null, null, null]);
    expect(await source.read(A)).toMatchObject({ title: A, body: files[A], fields: {}, refused: null });
    expect(await source.read('todo/b.md')).toMatchObject({ body: '', fields: {}, refused: null });
    expect(await source.read('todo/c.md')).toMatchObject({ body: 'text\n', fields: { checked: 'soon' } });

    const { source: strict } = open(root, { write: ['company'] });
    expect((await pending(strict)).map(({ refused }) => refused)).toEqual([
      'todo/a.md:1: front matter should begin with a bare ---, got "---js"',
      'todo/b.md:1: an item should be UTF-8 text, this is binary',
      null,
    ]);
    await source.file([filing(root, 'todo/b.md')]);
    expect(readFileSync(`${root}/done/b.md`)).toEqual(binary);
  });

  test('a name that is no line, and one that is no text, are refused', async () => {
    const { root } = folder({ 'todo/new\nline.md': '' });
    execFileSync('sh', ['-c', 'printf text > "$(printf "todo/caf\\351.md")"'], { cwd: root });
    expect((await pending(open(root).source)).map(({ refused }) => refused)).toEqual([
      'todo/caf\ufffd.md:1: the name of an item should be UTF-8',
      'todo/new\nline.md:1: the name of an item should be one line',
    ]);
  });

  test.each([
    [{ to: null }, 'source.to should be the folder that done items go to, such as done, got nothing'],
    [{ to: '' }, 'source.to should be the folder that done items go to, such as done, got ""'],
    [{ to: 'done/**' }, 'source.to should be the folder that done items go to, such as done, got "done/**"'],
    [{ to: '/done' }, 'source.to should be the folder that done items go to, such as done, got "/done"'],
    [{ to: '.jez/done' }, 'source.to should be the folder that done items go to, such as done, got ".jez/done"'],
    [{ to: 'todo' }, 'source.to should be a folder beside or below those of todo/**/*.md, got "todo"'],
    [{ to: '.' }, 'source.to should be a folder beside or below those of todo/**/*.md, got "."'],
    [{ path: '' }, 'source.path should be a glob such as todo/**/*.md, got ""'],
  ])('settings %j are refused', (spec, why) => {
    expect(() => open(folder().root, spec)).toThrow(`.jez/loop.md: ${why}`);
  });

  test('nothing leads out of the project', async () => {
    const { root, path } = folder({ 'other/a.md': 'text\n', 'x/a.md': '' });
    expect(() => open(root, { to: '../done' })).toThrow(expect.objectContaining({ code: 'E_OUTSIDE' }));
    symlinkSync(path('other'), path('todo'));
    const { source } = open(root);
    await expect(source.read('todo/../../a.md')).rejects.toMatchObject({ code: 'E_OUTSIDE' });
    for (const item of ['todo/../x/a.md', 'x/a.md', A]) {
      expect(await source.read(item)).toBeNull();
      expect(await source.file([{ ...filing(root, 'x/a.md'), item }])).toMatchObject([{ as: 'gone' }]);
    }
  });

  test('an id is a path as it was listed, and no other way to write it', async () => {
    const { root } = folder({ [A]: TEXT, 'x/b.md': '' });
    const { source } = open(root);
    for (const id of ['todo/../x/b.md', './todo/a.md', 'todo//a.md', 'x/b.md', 'todo', ''])
      expect(await source.read(id)).toBeNull();
  });

  test('both sides are watched: what comes back, and what makes room', async () => {
    const { root, path } = folder({ 'todo/x/a.md': '', 'todo/done/x/b.md': '' });
    expect(open(root).source.folders()).toEqual([
      path('todo'),
      path('todo/done'),
      path('todo/done/x'),
      path('todo/x'),
      root,
    ]);
    expect(open(root, { to: 'todo/done' }).source.folders()).toHaveLength(4);
    for (let n = 0; n < 200; n += 1) mkdirSync(path(`done/${n}`), { recursive: true });
    expect(open(root).source.folders()).toEqual([]);
  });
});

describe('filing', () => {
  test('a plain move is the same file under its new name, byte for byte, and leaves the folder behind', async () => {
    const { root, path, read } = folder({ 'todo/x/y/a.md': '\ufeff---\r\nno end' });
    const before = statSync(path('todo/x/y/a.md'));
    const { source, kept } = open(root);
    expect(await source.file([filing(root, 'todo/x/y/a.md')])).toMatchObject([{ as: 'marked' }]);
    expect(statSync(path('done/x/y/a.md')).ino).toBe(before.ino);
    expect(read('done/x/y/a.md')).toBe('\ufeff---\r\nno end');
    expect(existsSync(path('todo/x/y/a.md'))).toBe(false);
    expect(existsSync(path('todo/x/y'))).toBe(true);
    expect(kept).toEqual([]);
  });

  test("A23: the run's text and its fields come with the new name, in one step, with the mode of the old", async () => {
    const { root, path, read } = folder({ [A]: TEXT });
    chmodSync(path(A), 0o600);
    const { source, kept } = open(root, { write: ['company', 'size'] });
    const wish = filing(root, A, {
      ownBytes: Buffer.from(TEXT.replace('# A', '# Better')),
      fields: { company: 'Acme', size: 4 },
    });
    expect(await source.file([wish])).toEqual([{ item: A, run: 42, as: 'marked', kept: [] }]);
    expect(read('done/a.md')).toBe('---\r\ncompany: Acme\r\nsize: 4 # people\r\n---\r\n# Better\r\n');
    expect(statSync(path('done/a.md')).mode & 0o777).toBe(0o600);
    expect(existsSync(path(A))).toBe(false);
    expect(kept).toEqual([path(A)]);
    expect(await source.file([wish])).toEqual([{ item: A, run: 42, as: 'already', kept: [] }]);
  });

  test('a field is filled only while it holds what the run saw', async () => {
    const { root, read } = folder({ [A]: '---\nsame: 1\nmine: 2\ntheirs: 9\nlong: |\n  text\n---\n' });
    const { source } = open(root);
    const fields = { same: 'new', mine: 2, theirs: 'new', long: 'new', missing: 'new' };
    const base = { files: {}, fields: { same: 1, mine: 1, theirs: 1, long: 'text\n' } };
    const wish = filing(root, A, { base, fields });
    const kept = ['theirs', 'long'];
    expect((await source.look([wish]))[0]).toEqual({ item: A, run: 42, as: 'marked', kept });
    expect(await source.file([wish])).toEqual([{ item: A, run: 42, as: 'marked', kept }]);
    expect(read('done/a.md')).toBe('---\nsame: new\nmine: 2\ntheirs: 9\nlong: |\n  text\nmissing: new\n---\n');
    expect(await source.file([wish])).toEqual([{ item: A, run: 42, as: 'already', kept }]);
  });

  test('A26: an edit meanwhile stops a whole new text, and moves along with its file otherwise', async () => {
    const { root, read } = folder({ [A]: TEXT });
    const { source } = open(root);
    const whole = filing(root, A, { ownBytes: Buffer.from('# Rewritten\n') });
    const plain = filing(root, A);
    writeFileSync(`${root}/${A}`, `${TEXT}edited`);
    expect(await source.file([whole])).toEqual([{ item: A, run: 42, as: 'superseded', kept: [] }]);
    expect(await source.file([plain])).toEqual([{ item: A, run: 42, as: 'marked', kept: [] }]);
    expect(read('done/a.md')).toBe(`${TEXT}edited`);
  });

  test('what a person moved stays theirs, whatever the run made', async () => {
    const { root, path, read } = folder({ [A]: TEXT });
    const { source } = open(root);
    const plain = filing(root, A);
    const whole = { ...plain, ownBytes: Buffer.from('# Rewritten\n') };
    const field = { ...plain, fields: { company: 'Acme' } };
    mkdirSync(path('done'));
    renameSync(path(A), path('done/a.md'));
    const filed = await source.file([plain, whole, field]);
    expect(filed.map(({ as }) => as)).toEqual(['already', 'theirs', 'theirs']);
    expect(read('done/a.md')).toBe(TEXT);
    writeFileSync(path('done/a.md'), TEXT.replace('company:', 'company: Initech'));
    expect(await source.file([field])).toEqual([{ item: A, run: 42, as: 'theirs', kept: [] }]);
  });

  test('a text that is there already under the old name is only moved', async () => {
    const { root, read } = folder({ [A]: TEXT });
    const { source, kept } = open(root);
    const whole = filing(root, A, { ownBytes: Buffer.from('# Rewritten\n') });
    writeFileSync(`${root}/${A}`, '# Rewritten\n');
    expect(await source.file([whole])).toMatchObject([{ as: 'marked' }]);
    expect([read('done/a.md'), kept]).toEqual(['# Rewritten\n', []]);
  });

  test('what cannot be read as front matter, there or in the new text, is not written over', async () => {
    for (const [now, mine] of [
      ['---js\n---\n', null],
      [TEXT, '---\nno end\n'],
    ] as const) {
      const { root, read } = folder({ [A]: now });
      const ownBytes = mine === null ? null : Buffer.from(mine);
      const filed = await open(root).source.file([filing(root, A, { ownBytes, fields: { company: 'Acme' } })]);
      expect(filed).toMatchObject([{ as: 'superseded' }]);
      expect(read(A)).toBe(now);
    }
  });

  test('it is on disk before it resolves: the new name and its folder, then the old one is gone', async () => {
    const { root } = folder({ [A]: TEXT, 'todo/b.md': TEXT, 'done/.keep': '' });
    const steps: string[] = [];
    const changes = ['create', 'sync', 'link', 'unlink', 'syncFolder', 'makeFolder', 'rename'] as const;
    const told = changes.map((name) => [
      name,
      (...args: string[]) => {
        const names = args.slice(0, name === 'link' ? 2 : 1).map((each) => each.slice(root.length + 1));
        steps.push(`${name} ${names.join(' ').replace(/\.tmp-\S+/, '.tmp')}`);
        return (realDisk[name] as (...args: string[]) => unknown)(...args);
      },
    ]);
    const disk = { ...realDisk, ...Object.fromEntries(told) } as Disk;
    const { source } = open(root, {}, disk);
    await source.file([filing(root, A)]);
    expect(steps.splice(0)).toEqual([`link ${A} done/a.md`, 'syncFolder done', `unlink ${A}`, 'syncFolder todo']);
    await source.file([filing(root, 'todo/b.md', { fields: { company: 'Acme' } })]);
    expect(steps).toEqual([
      ...['create done/b.md.tmp', 'sync done/b.md.tmp', 'link done/b.md.tmp done/b.md', 'unlink done/b.md.tmp'],
      ...['syncFolder done', 'unlink todo/b.md', 'syncFolder todo'],
    ]);
  });
});

/** A disk that stops for good right before its n-th change, as a kill does. */
function dying(at: number): Disk {
  let step = 0;
  const changes = ['create', 'sync', 'link', 'unlink', 'syncFolder', 'makeFolder', 'rename'] as const;
  const stops = changes.map((name) => [
    name,
    (...args: unknown[]) => {
      step += 1;
      if (step >= at) throw new Error('killed');
      return (realDisk[name] as (...args: unknown[]) => unknown)(...args);
    },
  ]);
  return { ...realDisk, ...Object.fromEntries(stops) } as Disk;
}

describe('a crash at any step', () => {
  test.each([
    ['a plain move', {}, TEXT],
    ['fields', { fields: { company: 'Acme' } }, TEXT.replace('company:', 'company: Acme')],
    ['a whole text', { ownBytes: Buffer.from('# Better\n') }, '# Better\n'],
  ])(
    'A22, A23: %s goes on to the same end, and is never taken for an open item once it has its new name',
    async (_, more, end) => {
      let at = 1;
      for (let finished = false; !finished; at += 1) {
        const { root, path, read } = folder({ [A]: TEXT, 'todo/b.md': '# B\n' });
        const wish = filing(root, A, more);
        const first = await open(root, {}, dying(at))
          .source.file([wish])
          .catch((error: Error) => error.message);
        finished = first !== 'killed';
        const { source } = open(root);
        const isDone = existsSync(path('done/a.md'));
        const [said] = await source.look([wish]);
        expect(said?.as).toBe(existsSync(path(A)) ? 'marked' : 'already');
        expect((await pending(source)).map(({ id, refused }) => [id, refused])).toEqual([
          ...(isDone ? [] : [[A, null]]),
          ['todo/b.md', null],
        ]);
        expect(await source.file([wish])).toEqual([said]);
        expect(await source.file([wish])).toMatchObject([{ as: 'already' }]);
        expect([read('done/a.md'), existsSync(path(A))]).toEqual([end, false]);
      }
      expect(at).toBeGreaterThan(5);
    },
  );

  test('two names of one file are a move that was interrupted: done, and the old name goes when it is filed', async () => {
    const { root, path } = folder({ [A]: TEXT, 'done/b.md': '' });
    linkSync(path(A), path('done/a.md'));
    const { source } = open(root);
    expect(await pending(source)).toEqual([]);
    expect(await source.count()).toEqual({ done: 2, total: 2 });
    expect(await source.read(A)).toMatchObject({ mark: 'done/a.md' });
    const whole = filing(root, A, { ownBytes: Buffer.from('# Rewritten\n') });
    expect(await source.file([whole])).toMatchObject([{ as: 'theirs' }]);
    expect(existsSync(path(A))).toBe(true);
    expect(await source.file([filing(root, A)])).toMatchObject([{ as: 'marked' }]);
    expect(existsSync(path(A))).toBe(false);
  });
});

describe('a person in the middle of it', () => {
  /** Acts once, right before the first change of this kind. */
  function rightBefore(kind: 'link' | 'unlink' | 'sync', act: (path: string) => void): Disk {
    let isOver = false;
    const hook = (...args: never[]) => {
      if (!isOver) act(String(args[0]));
      isOver = true;
      return (realDisk[kind] as (...args: never[]) => unknown)(...args);
    };
    return { ...realDisk, [kind]: hook } as Disk;
  }
  const replace = (path: string, text: string) => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };

  test('an edit before the new name moves along, or stops the text that does not know of it', async () => {
    for (const [more, as] of [
      [{}, 'marked'],
      [{ ownBytes: Buffer.from('# Better\n') }, 'superseded'],
    ] as const) {
      const { root, path, read } = folder({ [A]: TEXT });
      const disk = rightBefore(as === 'marked' ? 'link' : 'sync', () => replace(path(A), 'theirs\n'));
      expect(await open(root, {}, disk).source.file([filing(root, A, more)])).toMatchObject([{ as }]);
      expect(read(as === 'marked' ? 'done/a.md' : A)).toBe('theirs\n');
      expect(existsSync(path(as === 'marked' ? A : 'done/a.md'))).toBe(false);
    }
  });

  test('what they put under the old name after the new one was there stays, and is reported', async () => {
    for (const more of [{}, { fields: { company: 'Acme' } }]) {
      const { root, path, read } = folder({ [A]: TEXT });
      const late = (folder: string) => folder.endsWith('/done') && existsSync(path(A)) && replace(path(A), 'theirs\n');
      const syncFolder = (folder: string) => {
        late(folder);
        realDisk.syncFolder(folder);
      };
      const { source } = open(root, {}, { ...realDisk, syncFolder });
      mkdirSync(path('done'));
      expect(await source.file([filing(root, A, more)])).toMatchObject([{ as: 'marked' }]);
      expect(read(A)).toBe('theirs\n');
      expect((await pending(source))[0]?.refused).toContain('the same name is in done/a.md');
    }
  });

  test('a file that takes the new name in the last moment is not written over', async () => {
    const { root, path, read } = folder({ [A]: TEXT, 'done/.keep': '' });
    const disk = rightBefore('link', () => writeFileSync(path('done/a.md'), 'theirs\n'));
    expect(await open(root, {}, disk).source.file([filing(root, A)])).toMatchObject([{ as: 'superseded' }]);
    expect([read(A), read('done/a.md')]).toEqual([TEXT, 'theirs\n']);
  });

  test('a file that goes in the last moment is gone; one that keeps changing is given up after three times', async () => {
    const { root, path } = folder({ [A]: TEXT });
    const disk = rightBefore('link', () => rmSync(path(A)));
    expect(await open(root, {}, disk).source.file([filing(root, A)])).toMatchObject([{ as: 'gone' }]);

    writeFileSync(path(A), TEXT);
    let edits = 0;
    const sync = () => writeFileSync(path(A), `${TEXT}${++edits}`);
    const busy = open(root, {}, { ...realDisk, sync });
    const wish = filing(root, A, { fields: { company: 'Acme' } });
    await expect(busy.source.file([wish])).rejects.toMatchObject({ code: 'E_CHANGED', at: A });
    expect(edits).toBe(3);
    expect(existsSync(path('done/a.md'))).toBe(false);
  });

  test('where links across are not possible the bytes go there', async () => {
    const { root, path, read } = folder({ [A]: TEXT });
    const link: Disk['link'] = (from, to) => {
      if (dirname(from) === dirname(to)) return realDisk.link(from, to);
      throw Object.assign(new Error('EXDEV'), { code: 'EXDEV' });
    };
    const { source, kept } = open(root, {}, { ...realDisk, link });
    expect(await source.file([filing(root, A)])).toMatchObject([{ as: 'marked' }]);
    expect([read('done/a.md'), existsSync(path(A)), kept]).toEqual([TEXT, false, [path(A)]]);
  });
});

describe('with git', () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'core.quotePath=false', ...args], {
      cwd,
      encoding: 'utf8',
    });

  function repository(files: Record<string, string>, project = '.') {
    const made = folder(Object.fromEntries(Object.entries(files).map(([name, text]) => [`${project}/${name}`, text])));
    git(made.root, 'init', '-q');
    git(made.root, 'add', '.');
    git(made.root, 'commit', '-qm', 'first');
    return { ...made, project: made.path(project) };
  }

  test('A18: a tracked file is moved in the index too, and no content is staged', async () => {
    const files = { 'todo/a b/ü*.md': '# A\n', 'todo/a b/üx.md': '# Other\n' };
    const { root, project } = repository(files, 'deep/project');
    writeFileSync(`${project}/todo/a b/ü*.md`, '# Edited\n');
    await open(project).source.file([filing(project, 'todo/a b/ü*.md')]);
    expect(git(root, 'status', '--short')).toBe('RM "deep/project/todo/a b/ü*.md" -> "deep/project/done/a b/ü*.md"\n');
    expect(git(root, 'show', ':deep/project/done/a b/ü*.md')).toBe('# A\n');
  });

  test('a file that is not tracked, a new name that is, and an index that is locked are left alone', async () => {
    const tracked = ['todo/b.md', 'done/b.md', 'todo/c.md', 'todo/d.md', 'z/d.md'];
    const { root, path } = repository(Object.fromEntries(tracked.map((name) => [name, `# ${name}\n`])));
    writeFileSync(path(A), TEXT);
    for (const name of ['done/b.md', 'z/d.md']) rmSync(path(name));
    const { source } = open(root);
    await source.file([filing(root, A), filing(root, 'todo/b.md')]);
    await open(root, { to: 'z' }).source.file([filing(root, 'todo/d.md')]);
    writeFileSync(path('.git/index.lock'), '');
    expect(await source.file([filing(root, 'todo/c.md')])).toMatchObject([{ as: 'marked' }]);
    rmSync(path('.git/index.lock'));
    expect(git(root, 'status', '--short', '-uall').trimEnd().split('\n').sort()).toEqual([
      ' D todo/b.md',
      ' D todo/c.md',
      ' D todo/d.md',
      ' M done/b.md',
      ' M z/d.md',
      '?? done/a.md',
      '?? done/c.md',
    ]);
  });

  test('case F3: nothing that a repository brings along is run', async () => {
    const { root, path } = repository({ [A]: TEXT });
    const canary = `#!/bin/sh\ntouch '${path('canary')}'\n`;
    for (const name of ['post-index-change', 'fsmonitor'])
      writeFileSync(path(`.git/hooks/${name}`), canary, { mode: 0o755 });
    git(root, 'config', 'core.fsmonitor', path('.git/hooks/fsmonitor'));
    rmSync(path('canary'), { force: true });
    await open(root).source.file([filing(root, A)]);
    expect(existsSync(path('canary'))).toBe(false);
    expect(git(root, '-c', 'core.fsmonitor=false', 'status', '--short')).toBe(`R  ${A} -> done/a.md\n`);
  });
});
