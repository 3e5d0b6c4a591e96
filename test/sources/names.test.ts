import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fc } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { PawlError } from '../../src/errors.ts';
import { type Disk, realDisk, type Stat } from '../../src/store/disk.ts';
import { idsOf, open, pending } from '../support/sources.ts';
import { folder } from '../support/workspace.ts';

const TODO = '---\nchecked: no        \n---\n';
const DONE = '---\nchecked: 2026-06-09\n---\n';
const numbered = (n: number) => `docs/${n % 3}/${String(n).padStart(4, '0')}.md`;

function backlog(size: number) {
  const files = Object.fromEntries(Array.from({ length: size }, (_, n) => [numbered(n), n % 7 === 0 ? TODO : DONE]));
  return folder(files);
}

/**
 * File-system time that runs 200 times as fast, so that two seconds of slack are 10 ms, with stamps cut to `stepNs` as older kernels and
 * other file systems do. Counts how often folders are read.
 */
function coarse(stepNs: bigint) {
  const counted = { listings: 0 };
  const cut = (ns: bigint) => (ns * 200n) / stepNs;
  const stat = (path: string): Stat | null => {
    const real = realDisk.stat(path);
    return real && { ...real, mtimeNs: cut(real.mtimeNs) * stepNs, ctimeNs: cut(real.ctimeNs) * stepNs };
  };
  const entries: Disk['entries'] = (path) => {
    counted.listings += 1;
    return realDisk.entries(path);
  };
  return { disk: { ...realDisk, stat, entries } as Disk, counted };
}

/** What is pending by the simplest reading there is: all names, sorted, each file read. */
function naive(root: string): string[] {
  const names = readdirSync(`${root}/docs`, { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`);
  const open = names.filter(
    (name) => name.endsWith('.md') && !readFileSync(`${root}/${name}`, 'utf8').includes('2026'),
  );
  return open.sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
}

const turned = (ids: string[], after: string) => [
  ...ids.filter((id) => id > after),
  ...ids.filter((id) => id <= after),
];

/** Opens until the snapshot is used: the stamps have to be old enough first. */
async function settled(root: string, disk: Disk, counted: { listings: number }) {
  for (;;) {
    const before = counted.listings;
    const { source } = await open(root, {}, disk);
    await pending(source, undefined, 1);
    if (counted.listings === before) return source;
  }
}

type Deed = 'mark' | 'unmark' | 'add' | 'remove' | 'rename' | 'move folder' | 'drop cache' | 'damage cache';

function act(root: string, deed: Deed, n: number, m: number): void {
  const [one, other] = [`${root}/${numbered(n)}`, `${root}/docs/${m % 3}/new-${m}.md`];
  const cache = `${root}/.jez/cache/names`;
  if (deed === 'drop cache') rmSync(`${root}/.jez/cache`, { recursive: true, force: true });
  else if (deed === 'damage cache') {
    if (existsSync(cache)) writeFileSync(cache, damaged(readFileSync(cache), n * 997 + m, m));
  } else if (deed === 'move folder') {
    if (existsSync(`${root}/docs/2`)) renameSync(`${root}/docs/2`, `${root}/docs/two`);
    else renameSync(`${root}/docs/two`, `${root}/docs/2`);
  } else if (deed === 'add') {
    if (existsSync(`${root}/docs/${m % 3}`)) writeFileSync(other, TODO);
  } else if (existsSync(one)) {
    if (deed === 'remove') rmSync(one);
    else if (deed === 'rename') renameSync(one, `${one.slice(0, -3)}-${m}.md`);
    else writeFileSync(one, deed === 'mark' ? DONE : TODO, { flag: 'r+' });
  }
}

function damaged(bytes: Buffer, at: number, byte: number): Buffer {
  bytes[at % bytes.length] = byte % 256;
  return byte % 5 === 0 ? bytes.subarray(0, at % bytes.length) : bytes;
}

describe.each([
  ['4 ms', 4_000_000n],
  ['1 s', 1_000_000_000n],
  ['2 s', 2_000_000_000n],
])('with stamps in steps of %s', (_, stepNs) => {
  test('whatever is edited, renamed, removed or dropped, what is pending is what a full reading finds', async () => {
    const { disk, counted } = coarse(stepNs);
    let unread = 0;
    const deed = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom<Deed>('mark', 'unmark') },
      { weight: 3, arbitrary: fc.constantFrom<Deed>('add', 'remove', 'rename') },
      { weight: 1, arbitrary: fc.constantFrom<Deed>('move folder', 'drop cache', 'damage cache') },
    );
    const size = 540;
    const number = fc.nat(size - 1);
    const step = fc.tuple(deed, number, number, fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 30 }), async (steps) => {
        const { root } = backlog(size);
        const { source } = await open(root, {}, disk);
        for (const [what, n, m, whole] of steps) {
          act(root, what, n, m);
          const before = counted.listings;
          const most = whole ? Number.POSITIVE_INFINITY : 3;
          const found = idsOf(await pending(source, numbered(m), most));
          expect(found).toEqual(turned(naive(root), numbered(m)).slice(0, whole ? undefined : 3));
          if (counted.listings === before) unread += 1;
        }
        rmSync(root, { recursive: true });
      }),
      { numRuns: process.env.PAWL_FULL ? 200 : 6, endOnFailure: true },
    );
    expect(unread).toBeGreaterThan(0);
  });

  test('a snapshot is not believed when a folder may change again under the same stamp', async () => {
    const { disk, counted } = coarse(stepNs);
    const { root } = backlog(540);
    for (let round = 0; round < 30; round += 1) {
      writeFileSync(`${root}/docs/0/a-${round}.md`, TODO);
      const { source } = await open(root, {}, disk);
      await pending(source, undefined, 1);
      writeFileSync(`${root}/docs/0/b-${round}.md`, TODO);
      expect(idsOf(await pending(source, 'docs/0/a-999.md', 1))).toEqual(['docs/0/b-0.md']);
      expect(idsOf(await pending(source, `docs/0/b-${round - 1}.md~`)).includes(`docs/0/b-${round}.md`)).toBe(true);
    }
    expect(counted.listings).toBeGreaterThan(0);
  });
});

describe('the snapshot', () => {
  test('spares reading the folders, from any place in a long list, until one of them changes', async () => {
    const { disk, counted } = coarse(1n);
    const { root } = backlog(3_500);
    const source = await settled(root, disk, counted);
    const expected = naive(root);
    const before = counted.listings;
    for (let n = 0; n < 3_500; n += 97)
      expect(idsOf(await pending(source, numbered(n), 5))).toEqual(turned(expected, numbered(n)).slice(0, 5));
    expect(idsOf(await pending(source))).toEqual(expected);
    expect(await source.count()).toEqual({ done: 3_000, total: 3_500 });
    expect(source.folders()).toEqual(['', '/0', '/1', '/2'].map((name) => `${root}/docs${name}`));
    expect(counted.listings).toBe(before);
    rmSync(`${root}/${numbered(0)}`);
    expect(idsOf(await pending(source))).toEqual(expected.slice(1));
    expect(counted.listings).toBeGreaterThan(before);
  });

  test('is for one pattern only', async () => {
    const { disk, counted } = coarse(1n);
    const { root } = backlog(540);
    await settled(root, disk, counted);
    const { source } = await open(root, { path: 'docs/1/*.md' }, disk);
    expect(idsOf(await pending(source))).toEqual(naive(root).filter((id) => id.startsWith('docs/1/')));
  });

  test('damaged in the middle of a pass gives way to the folders', async () => {
    const { disk, counted } = coarse(1n);
    const { root, path } = backlog(3_500);
    const source = await settled(root, disk, counted);
    const expected = naive(root);
    const found: string[] = [];
    for await (const { id } of source.pending()) {
      if (found.length === 0)
        writeFileSync(path('.jez/cache/names'), readFileSync(path('.jez/cache/names')).fill(0, 40_000));
      found.push(id);
    }
    expect(found).toEqual(expected);
  });

  test('is not kept for a short list', async () => {
    const { root, path } = backlog(499);
    const { disk } = coarse(1n);
    const started = disk.stat(`${root}/docs/0`)?.mtimeNs ?? 0n;
    const { source } = await open(root, {}, disk);
    do {
      await pending(source);
      writeFileSync(path('now'), '');
    } while ((disk.stat(path('now'))?.mtimeNs ?? 0n) - started < 4_000_000_000n);
    expect(readdirSync(path('.jez/cache'))).toEqual([]);
  });

  test('a cache that cannot be written or read changes nothing', async () => {
    const { root, path } = backlog(540);
    const full = () => {
      throw new PawlError('ENOSPC', 'no space left');
    };
    const { source } = await open(root, {}, { ...realDisk, create: full });
    expect(idsOf(await pending(source))).toEqual(naive(root));
    rmSync(path('.jez'), { recursive: true });
    writeFileSync(path('.jez'), 'a file');
    expect(idsOf(await pending(source))).toEqual(naive(root));
    rmSync(path('.jez'));
    mkdirSync(path('.jez/cache/names'), { recursive: true });
    expect(idsOf(await pending(source))).toEqual(naive(root));
  });

  test('more than 2,000 folders are walked as they are needed, and no snapshot is kept', async () => {
    const { root, path } = folder();
    for (let n = 0; n < 2_001; n += 1) {
      mkdirSync(path(`docs/${n}`), { recursive: true });
      writeFileSync(path(`docs/${n}/a.md`), n % 100 === 0 ? TODO : DONE);
    }
    const { source } = await open(root);
    expect(idsOf(await pending(source))).toEqual(naive(root));
    expect(idsOf(await pending(source, 'docs/300/a.md', 2))).toEqual(turned(naive(root), 'docs/300/a.md').slice(0, 2));
    expect(source.folders()).toEqual([]);
    expect(readdirSync(path('.jez/cache'))).toEqual([]);
  });
});
