import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { Item, Procedure, SourceSpec } from '../../src/core/model.ts';
import { ChecklistReader } from '../../src/formats/checklist.ts';
import { printed } from '../../src/formats/checklist-hash.ts';
import openChecklist from '../../src/sources/checklist.ts';
import type { Filing, Source } from '../../src/sources/source.ts';
import { type Disk, realDisk, type Stat } from '../../src/store/disk.ts';
import { Workspace } from '../../src/store/workspace.ts';
import { DATE_MARK, idsOf, pending } from '../support/sources.ts';
import { folder } from '../support/workspace.ts';

const TASKS = { kind: 'checklist', path: 'TODO.md', mark: DATE_MARK, write: [], id: null, to: null, run: [], env: [] };
const CACHE = '.jez/cache/checklist';

function open(root: string, spec: Partial<SourceSpec> = {}, disk: Disk = realDisk): Source {
  const procedure = { source: { ...TASKS, ...spec } } as unknown as Procedure;
  return openChecklist({ disk, workspace: new Workspace(root), procedure, keep: () => {} });
}

const wish = (item: string, more: Partial<Filing> = {}): Filing => ({
  ...{ item, run: 42, base: { files: {}, fields: {} }, ownBytes: null, fields: {}, day: '2026-06-09' },
  ...more,
});
const list = (text: string | Uint8Array) => folder({ 'TODO.md': text });
const titles = (items: Item[]) => items.map(({ title }) => title);
const as = async (source: Source, ...ids: string[]) =>
  (await source.file(ids.map((id) => wish(id)))).map((filed) => filed.as);

describe('what is pending', () => {
  test('case B1: a mark lands on its task, however the lines moved meanwhile', async () => {
    const { root, path, read } = list('- [ ] alpha\n- [ ] beta\n- [ ] gamma\n');
    const source = open(root);
    const [, beta = ''] = idsOf(await pending(source));
    await source.look([wish(beta)]);
    writeFileSync(path('TODO.md'), `- [ ] new\n\n- [ ] more\n${read('TODO.md')}`);
    expect(await as(source, beta)).toEqual(['marked']);
    expect(read('TODO.md')).toBe('- [ ] new\n\n- [ ] more\n- [ ] alpha\n- [x] beta\n- [ ] gamma\n');
    writeFileSync(path('TODO.md'), '- [ ] alpha\n');
    expect(await as(source, beta)).toEqual(['gone']);
  });

  test('children come before their parent, and it waits until all below it is closed', async () => {
    const { root, path } = list('- [ ] a\n  - [ ] b\n  - [ ] c\n- [ ] d\n');
    const source = open(root);
    const names = async () => titles(await pending(source));
    expect(await names()).toEqual(['b', 'c', 'd']);
    const [b = '', c = ''] = idsOf(await pending(source));
    await as(source, b);
    expect(await names()).toEqual(['c', 'd']);
    await as(source, c);
    expect(await names()).toEqual(['a', 'd']);
    writeFileSync(path('TODO.md'), '- [ ] a\n  - [-] b\n- [/] d\n');
    expect(await names()).toEqual(['a']);
    expect(await source.count()).toEqual({ done: 0, total: 3 });
  });

  test('a task is read with all that belongs to it and the texts above it', async () => {
    const { root } = list(
      '# H\n- Group\n  - [ ] *a*  b {#ab}\n    more\n\n    - [x] c\n    ```\n    code\n    ```\n\n- end\n',
    );
    expect(await open(root).read('ab')).toEqual({
      ...{ id: 'ab', title: '*a* b', path: null, mark: null, refused: null, fields: { parents: ['Group'] } },
      body: '  - [ ] *a*  b {#ab}\n    more\n\n    - [x] c\n    ```\n    code\n    ```',
    });
    expect(await open(root).read('none')).toBeNull();
  });

  test('case B6: equal texts are numbered, and edits around do not change that', async () => {
    const { root, path } = list('- [ ] same\n- [x] same\n- [ ] same\n- p\n  - [ ] same\n');
    const [first = '', third, other] = idsOf(await pending(open(root)));
    expect(third).toBe(`${first}-3`);
    expect(other).not.toContain(first);
    const source = open(root);
    expect(await as(source, `${first}-3`, `${first}-2`, `${first}-4`)).toEqual(['marked', 'already', 'gone']);
    writeFileSync(path('TODO.md'), 'text\n\n- [x] new\n- [ ] same\n- [ ] between\n- [ ] same\n');
    expect(idsOf(await pending(open(root)))).toEqual([first, expect.any(String), `${first}-2`]);
  });

  test('two tasks with one id are refused with the lines of both, done or not', async () => {
    const { root, read } = list('- [ ] a {#x}\n- [ ] b {#y}\n- [x] c ^y\n- [ ] d <!-- id: x -->\n- [ ] e\n');
    const source = open(root);
    const both = 'the id x is on lines 1, 4: each task needs its own';
    const items = await pending(source);
    expect(items.map(({ refused }) => refused)).toEqual([
      `TODO.md:1: ${both}`,
      'TODO.md:2: the id y is on lines 2, 3: each task needs its own',
      `TODO.md:4: ${both}`,
      null,
    ]);
    expect((await source.read('x'))?.refused).toBe(`TODO.md:1: ${both}`);
    expect(await as(source, 'x')).toEqual(['superseded']);
    expect(read('TODO.md')).toContain('- [ ] a');
  });

  test('an unknown bookmark begins at the beginning, and each task comes once', async () => {
    const { root } = list('- [ ] a\n- [ ] b\n- [x] c\n');
    const ids = idsOf(await pending(open(root)));
    for (const after of ['zzz', '0123456789ab', '', `${ids[0]}-2`])
      expect(idsOf(await pending(open(root), after))).toEqual(ids);
    expect(idsOf(await pending(open(root), ids[0]))).toEqual([ids[1], ids[0]]);
  });

  test('what is edited while a pass goes on is seen, and nothing comes twice', async () => {
    const { root, path, read } = list('- [ ] a\n- [ ] b\n- [ ] c\n');
    const seen: string[] = [];
    for await (const { title } of open(root).pending()) {
      seen.push(title);
      if (title === 'a') writeFileSync(path('TODO.md'), read('TODO.md').replace('- [ ] b', '- [ ] new\n- [x] b'));
    }
    expect(seen).toEqual(['a', 'new', 'c']);
  });
});

test('a task that is put into code while a pass goes on is not given out, though its own line is as it was', async () => {
  const { root, path } = list('- [ ] a\n---\n- [ ] b\n');
  const seen: string[] = [];
  for await (const { title } of open(root).pending()) {
    seen.push(title);
    writeFileSync(path('TODO.md'), '- [ ] a\n```\n- [ ] b\n', { flag: 'r+' });
  }
  expect(seen).toEqual(['a']);
});

describe('marks', () => {
  const wild: [string, string | Uint8Array][] = [
    ['CRLF', '- [x] a\r\n- [ ] b\r\n\r\n- [ ] c\r\n'],
    ['CR', '- [x] a\r- [ ] b\r\r- [ ] c\r'],
    ['a byte-order mark', '\ufeff- [ ] b\n- [ ] c\n'],
    ['a byte-order mark and CRLF', '\ufeff- [x] a\r\n- [ ] b\r\n'],
    ['no newline at the end', '- [x] a\n- [ ] b'],
    ['mixed line ends and tabs', '-\t[x] a\r\n\t-\t[ ] b\t\n- [ ]\tc\r\n'],
    ['bytes that are no UTF-8 elsewhere', Buffer.from('caf\xe9\n- [ ] b\n- [x] \xe9\n', 'latin1')],
    ['one task alone', '- [ ] b'],
  ];

  test.each(wild)('case B4: one byte changes, and no other: %s', async (_, text) => {
    const { root, path } = list(text);
    const before = readFileSync(path('TODO.md'));
    const source = open(root);
    const [item] = await pending(source);
    expect(item?.title).toBe('b');
    const id = item?.id ?? '';
    expect(await as(source, id)).toEqual(['marked']);
    const after = readFileSync(path('TODO.md'));
    const changed = [...before.keys()].filter((at) => before[at] !== after[at]);
    expect(after.length).toBe(before.length);
    expect(changed).toHaveLength(1);
    expect([before[changed[0] ?? 0], after[changed[0] ?? 0]]).toEqual([0x20, 0x78]);
    expect((await source.read(id))?.mark).toBe('x');
    expect(await as(open(root), id)).toEqual(['already']);
  });

  test('A19: a person’s sign wins: a capital X, a dash, anything', async () => {
    const text = '- [X] a {#a}\n- [-] b {#b}\n- [✓] c {#c}\n';
    const { root, read } = list(text);
    expect(await as(open(root), 'a', 'b', 'c')).toEqual(['theirs', 'theirs', 'theirs']);
    expect((await open(root).read('c'))?.mark).toBe('✓');
    expect(read('TODO.md')).toBe(text);
  });

  test('a file made for the task has no place here, and is not lost without a word', async () => {
    const { root, read } = list('- [ ] a {#a}\n');
    const filing = wish('a', { ownBytes: Buffer.from('text') });
    expect((await open(root).file([filing]))[0]?.as).toBe('superseded');
    expect(read('TODO.md')).toBe('- [ ] a {#a}\n');
  });

  test('an editor that puts another file in its place meanwhile gets the mark in the new one', async () => {
    const { root, path, read } = list('- [ ] a {#a}\n');
    let times = 0;
    const overwrite: Disk['overwrite'] = (file, ...rest) => {
      if (times++ > 0) return realDisk.overwrite(file, ...rest);
      // Between the write and the look at the name.
      const isSame = realDisk.overwrite(file, ...rest);
      writeFileSync(path('new'), 'new\n\n- [ ] a {#a}\n');
      renameSync(path('new'), path('TODO.md'));
      return isSame && false;
    };
    expect(await as(open(root, {}, { ...realDisk, overwrite }), 'a')).toEqual(['marked']);
    expect(read('TODO.md')).toBe('new\n\n- [x] a {#a}\n');
  });

  test('a file that never stands still is left alone', async () => {
    const { root, path, read } = list('- [ ] a {#a}\n');
    let n = 0;
    const stat: Disk['stat'] = (file) => {
      if (file.endsWith('TODO.md')) writeFileSync(path('TODO.md'), `- [ ] a {#a}\n${'x'.repeat(n++)}\n`);
      return realDisk.stat(file);
    };
    await expect(open(root, {}, { ...realDisk, stat }).file([wish('a')])).rejects.toMatchObject({ code: 'E_CHANGED' });
    expect(read('TODO.md')).toContain('- [ ] a');
  });

  test('the mark is written and synced in one step, and no other is made', async () => {
    const { root } = list('- [ ] a {#a}\n- [ ] b {#b}\n');
    const steps: string[] = [];
    const told =
      (name: keyof Disk) =>
      (...args: never[]) => {
        steps.push(name);
        return (realDisk[name] as (...args: never[]) => never)(...args);
      };
    const names: (keyof Disk)[] = ['create', 'append', 'sync', 'syncFolder', 'rename', 'link', 'unlink', 'overwrite'];
    const disk = { ...realDisk, ...Object.fromEntries(names.map((name) => [name, told(name)])) } as Disk;
    const source = open(root, {}, disk);
    await source.file([wish('a'), wish('b')]);
    expect(steps).toEqual(['overwrite', 'overwrite']);
    await source.file([wish('a')]);
    expect(steps.slice(2)).toEqual(['sync']);
  });
});

describe('what is refused', () => {
  test('settings that a line of a list can’t have', () => {
    const { root } = list('');
    mkdirSync(`${root}/real`);
    symlinkSync('real', `${root}/linked`);
    const bad: [Partial<SourceSpec>, string][] = [
      [{ write: ['company'] }, 'source.write should be empty: a line of a checklist has no fields, only its box'],
      [{ path: '' }, 'source.path should be one file, such as TODO.md, got ""'],
      [{ path: 'docs/*.md' }, 'source.path should be one file, such as TODO.md, got "docs/*.md"'],
      [{ path: '.jez/TODO.md' }, 'source.path should lie outside of .jez'],
      [{ path: 'linked/TODO.md' }, 'source.path should lead through folders that are there, and no links'],
      [{ mark: { field: 'checked', value: 'yes', todo: [] } }, 'source.mark should be left out'],
      [{ mark: { field: 'seen', value: null, todo: [] } }, 'source.mark should be left out'],
    ];
    for (const [spec, why] of bad) expect(() => open(root, spec)).toThrow(`.jez/loop.md: ${why}`);
    expect(() => open(root, { path: '../TODO.md' })).toThrow('a path has to stay below the project');
  });

  test.each([
    ['UTF-16', Buffer.from('\ufeff- [ ] a\n', 'utf16le'), 'TODO.md:1: this file is UTF-16; save it as UTF-8'],
    ['NUL bytes', '- [ ] a\r\n\n- [ ] b\0\n', 'TODO.md:3: plain text in UTF-8 was wanted, here is a NUL byte'],
    ['an endless line', `- [ ] a\n${'x'.repeat(5_000_000)}`, 'TODO.md:2: this line should have at most 1 MiB'],
  ])('a file that is no text: %s', async (_, text, why) => {
    const source = open(list(text).root);
    await expect(pending(source)).rejects.toThrow(why);
    await expect(source.read('a')).rejects.toThrow(why);
    await expect(source.count()).rejects.toThrow(why);
  });

  test('a file that is not there, or is a link', async () => {
    const { root, path } = list('');
    rmSync(path('TODO.md'));
    await expect(pending(open(root))).rejects.toThrow('TODO.md: source.path names a file that is not there');
    symlinkSync('elsewhere', path('TODO.md'));
    await expect(pending(open(root))).rejects.toThrow('TODO.md: source.path should be a file, this is a link');
  });

  test('a line that is no text, and a task longer than an agent can be told', async () => {
    const text = Buffer.from(`- [ ] caf\xe9\n- [ ] b\x07\n- [ ] long\n${'  text\n'.repeat(40_000)}- [ ] c\n`, 'latin1');
    const { root } = list(text);
    const items = await pending(open(root));
    expect(items.map(({ refused }) => refused)).toEqual([
      'TODO.md:1: this line should be UTF-8',
      'TODO.md:2: plain text was wanted, here is the control character U+0007',
      'TODO.md:3: a task with all below it should have at most 256 KiB',
      null,
    ]);
    expect((await open(root).read(items[2]?.id ?? ''))?.refused).toContain('TODO.md:3');
  });
});

/** Ids of what is pending by the simplest reading there is. */
function naive(path: string): string[] {
  const text = readFileSync(path, 'latin1');
  const tasks: { made: string; index: number; ready: boolean }[] = [];
  const bytes = Buffer.from(`${text}\n`, 'latin1');
  const reader = new ChecklistReader(({ low, high, index, box, isOpenBelow }) =>
    tasks.push({ made: printed(low, high), index, ready: box === 'open' && !isOpenBelow }),
  );
  reader.push(bytes, 0, bytes.length, 0);
  reader.end(bytes.length);
  const before = new Map<string, number>();
  const twins = new Map<number, number>();
  for (const { made, index } of tasks.toSorted((left, right) => left.index - right.index)) {
    const n = (before.get(made) ?? 0) + 1;
    before.set(made, n);
    twins.set(index, n);
  }
  const id = ({ made, index }: (typeof tasks)[number]) =>
    twins.get(index) === 1 ? made : `${made}-${twins.get(index)}`;
  return tasks.filter(({ ready }) => ready).map(id);
}

/** Long enough for its next slice to be kept. */
const LINES = 4_000;
const line = (n: number) =>
  `- [${n % 3 === 0 ? 'x' : ' '}] task number ${String(n).padStart(5, '0')}, ${'and some words more '.repeat(3)}\n`;
const long = () => Array.from({ length: LINES }, (_, n) => line(n)).join('');
const longAgo = () => new Date(Date.now() - 3_600_000);

/** File-system time that runs 200 times as fast, so that two seconds of slack are 10 ms, with stamps cut to steps as older kernels do. */
function coarse(stepNs: bigint) {
  const counted = { bytes: 0 };
  const cut = (ns: bigint) => (ns * 200n) / stepNs;
  const stat = (path: string): Stat | null => {
    const real = realDisk.stat(path);
    return real && { ...real, mtimeNs: cut(real.mtimeNs) * stepNs, ctimeNs: cut(real.ctimeNs) * stepNs };
  };
  const readAt: Disk['readAt'] = (path, offset, length, into) => {
    const bytes = realDisk.readAt(path, offset, length, into);
    counted.bytes += bytes?.length ?? 0;
    return bytes;
  };
  return { disk: { ...realDisk, stat, readAt } as Disk, counted };
}

const turned = (ids: string[], after: string) => {
  const at = ids.indexOf(after);
  return [...ids.slice(at + 1), ...ids.slice(0, at + 1)];
};

describe.each([
  ['4 ms', 4_000_000n],
  ['2 s', 2_000_000_000n],
])('with stamps in steps of %s', (_, stepNs) => {
  /** Asks for slices until one is served without reading the file. */
  async function settled(root: string, disk: Disk, counted: { bytes: number }, after: string): Promise<string> {
    for (let last = after; ; ) {
      counted.bytes = 0;
      const ids = idsOf(await pending(open(root, {}, disk), last, 3));
      if (counted.bytes < 20_000) return last;
      last = ids.at(-1) ?? last;
    }
  }

  test('the next slice is read from where the last one ended, and every edit is seen, of the same size and right after, too', async () => {
    const deed = fc.constantFrom('mark', 'unmark', 'fence', 'rename', 'twin', 'add', 'remove', 'cache');
    const acts = fc.array(fc.tuple(deed, fc.nat(LINES - 1), fc.nat(600)), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(acts, async (deeds) => {
        const { root, path } = list(long());
        const { disk, counted } = coarse(stepNs);
        const file = path('TODO.md');
        let after = await settled(root, disk, counted, naive(file)[5] ?? '');
        for (const [what, n, size] of deeds) {
          act(root, what, n);
          const ids = naive(file);
          // The second time from what the first one kept, where it could.
          for (let time = 0; time < 2; time += 1) {
            const found = idsOf(await pending(open(root, {}, disk), after, size + 1));
            expect(found).toEqual(turned(ids, after).slice(0, size + 1));
          }
          after = turned(ids, after)[size % 50] ?? after;
        }
      }),
      { numRuns: 15 },
    );
  }, 60_000);
});

/** Edits in place, and but for two of them of the same size. */
function act(root: string, what: string, n: number): void {
  const path = `${root}/TODO.md`;
  const lines = readFileSync(path, 'utf8').split('\n');
  const at = n % lines.length;
  const old = lines[at] ?? '';
  if (what === 'mark') lines[at] = old.replace('[ ]', '[x]');
  else if (what === 'unmark') lines[at] = old.replace('[x]', '[ ]');
  else if (what === 'fence') lines[at] = '```'.padEnd(old.length, ' ');
  else if (what === 'rename') lines[at] = old.replace('task', 'TASK');
  else if (what === 'twin') lines[at] = (lines[(n * 7) % lines.length] ?? '').padEnd(old.length, ' ');
  else if (what === 'add') lines.splice(at, 0, `- [ ] new ${n}`);
  else if (what === 'remove') lines.splice(at, 1);
  else rmSync(`${root}/${CACHE}`, { force: true });
  writeFileSync(path, lines.join('\n'), { flag: what === 'remove' ? 'w' : 'r+' });
}

test('what bears the stamps of before is read again as long as such a stamp may be that of a later edit', async () => {
  const { root, path } = list(long());
  const clock = { file: 100_000_000_000n, now: 0n };
  const stat = (name: string): Stat | null => {
    const real = realDisk.stat(name);
    const time = name.endsWith('TODO.md') ? clock.file : clock.now;
    return real && { ...real, mtimeNs: time, ctimeNs: time };
  };
  const slice = async () => titles(await pending(open(root, {}, { ...realDisk, stat } as Disk), undefined, 1));
  for (const seconds of [0n, 1n, 2n]) {
    clock.now = clock.file + seconds * 1_000_000_000n;
    const [title = ''] = await slice();
    writeFileSync(path('TODO.md'), readFileSync(path('TODO.md'), 'utf8').replace(`[ ] ${title}`, `[x] ${title}`));
    expect(await slice()).not.toEqual([title]);
    expect(realDisk.stat(path(CACHE))).toBeNull();
  }
  const source = open(root, {}, { ...realDisk, stat } as Disk);
  await pending(source);
  expect(source.folders()).toEqual([]);
  clock.now += 1n;
  await pending(source);
  expect(source.folders()).toEqual([path('TODO.md')]);
  await slice();
  expect(realDisk.stat(path(CACHE))).not.toBeNull();
});

test.each([
  ['LF', '\n'],
  ['CRLF', '\r\n'],
  ['CR', '\r'],
])('case B4: a long file with %s is read in parts, and marked where it should be', async (_, end) => {
  const text = long().repeat(4).replaceAll('\n', end);
  const { root, path } = list(text);
  const ids = naive(path('TODO.md'));
  expect(idsOf(await pending(open(root)))).toEqual(ids);
  const chosen = ids.filter((_id, n) => n % 997 === 0);
  expect(await as(open(root), ...chosen)).toEqual(chosen.map(() => 'marked'));
  const after = readFileSync(path('TODO.md'), 'utf8');
  expect([...text].filter((char, at) => char !== after[at])).toHaveLength(chosen.length);
  expect(naive(path('TODO.md'))).toEqual(ids.filter((id) => !chosen.includes(id)));
});

test('a cache that is damaged, of another file or of another state is left aside', async () => {
  const { root, path } = list(long());
  utimesSync(path('TODO.md'), longAgo(), longAgo());
  const ids = naive(path('TODO.md'));
  const { disk, counted } = coarse(1n);
  const slice = async () => {
    counted.bytes = 0;
    expect(idsOf(await pending(open(root, {}, disk), ids[9], 5))).toEqual(ids.slice(10, 15));
    return counted.bytes < 20_000;
  };
  while (!(await slice()));
  const cache = readFileSync(path(CACHE));
  for (const damaged of [
    cache.subarray(0, -9),
    Buffer.alloc(cache.length),
    Buffer.from(cache.toString().replace('"at":', '"at":1')),
    Buffer.from(cache.toString().replace(`"id":"${ids[11]}"`, '"id":"0123456789ab"')),
  ]) {
    writeFileSync(path(CACHE), damaged);
    expect(await slice()).toBe(false);
    writeFileSync(path(CACHE), cache);
  }
  expect(await slice()).toBe(true);
});

test('the file itself is watched once a pass came to its end in it, and it stood still since before', async () => {
  const { root, path } = list('- [x] a\n- [ ] b\n');
  const { disk } = coarse(4_000_000n);
  const source = open(root, {}, disk);
  expect(source.folders()).toEqual([]);
  do await pending(source);
  while (source.folders().length === 0);
  expect(source.folders()).toEqual([path('TODO.md')]);
  writeFileSync(path('TODO.md'), '- [x] a\n- [ ] b\n- [ ] c\n');
  expect(source.folders()).toEqual([]);
  await pending(source, undefined, 1);
  expect(source.folders()).toEqual([]);
});
