import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Base, Item } from '../../src/core/model.ts';
import { type Disk, realDisk } from '../../src/store/disk.ts';
import { LIMITS, takeOutputs } from '../../src/store/outputs.ts';
import { sha256 } from '../../src/store/workspace.ts';
import { folder } from '../support/workspace.ts';

const item: Item = { id: 'docs/a.md', title: '', path: 'docs/a.md', body: '', fields: {}, mark: null, refused: null };
const of = (text: string) => ({ sha256: sha256(text), size: Buffer.byteLength(text) });

function scratch(files: Record<string, string>) {
  const run = folder(files);
  const write = (path: string, text: string) => {
    mkdirSync(dirname(run.path(path)), { recursive: true });
    writeFileSync(run.path(path), text);
  };
  const take = (
    outputs: string[],
    {
      base = {},
      limits = {},
      disk = realDisk,
    }: { base?: Base['files']; limits?: Partial<typeof LIMITS>; disk?: Disk } = {},
  ) => takeOutputs(disk, { scratch: run.root, outputs, item, base }, { ...LIMITS, ...limits });
  return { ...run, write, take };
}

test('what matches and is new or changed is taken; an unchanged copy is no output', () => {
  const { take } = scratch({ 'docs/a.md': 'new', 'docs/b.md': 'same', 'docs/deep/c.md': 'c' });
  const base = { 'docs/a.md': sha256('old'), 'docs/b.md': sha256('same') };
  expect(take(['docs/**/*.md'], { base })).toEqual({
    taken: { 'docs/a.md': of('new'), 'docs/deep/c.md': of('c') },
    refused: [],
  });
});

test('{path} allows the own file of the item alone, and ! takes away', () => {
  const { take } = scratch({ 'docs/a.md': 'a', 'docs/b.md': 'b' });
  expect(Object.keys(take(['{path}']).taken)).toEqual(['docs/a.md']);
  expect(Object.keys(take(['docs/*', '!docs/a.md']).taken)).toEqual(['docs/b.md']);
});

test('a file outside the allow-list is passed over without a word', () => {
  const { take } = scratch({ 'docs/a.md': 'a', 'tmp/x.log': 'x', '.cache/y': 'y', 'AUX.tmp': 'z' });
  expect(take(['docs/*.md'])).toEqual({ taken: { 'docs/a.md': of('a') }, refused: [] });
  expect(take([])).toEqual({ taken: {}, refused: [] });
});

describe('case F1: an obedient agent gets nothing out by', () => {
  test('a symbolic link, to a file, to nothing, or in place of a folder', () => {
    const secret = folder({ 'secret.md': 's', 'docs/inside.md': 's' });
    const { path, take } = scratch({ 'docs/a.md': 'a' });
    symlinkSync(secret.path('secret.md'), path('docs/link.md'));
    symlinkSync('/nowhere/at/all', path('docs/dangling.md'));
    symlinkSync(secret.path('docs'), path('docs/folder'));
    symlinkSync(secret.root, path('outside'));
    expect(take(['docs/**'])).toEqual({
      taken: { 'docs/a.md': of('a') },
      refused: ['docs/dangling.md', 'docs/folder', 'docs/link.md', 'outside'].map((link) => ({
        path: link,
        why: 'a symbolic link',
      })),
    });
  });

  test('a hard link', () => {
    const secret = folder({ 'secret.md': 's' });
    const { path, take } = scratch({ 'docs/a.md': 'a' });
    linkSync(secret.path('secret.md'), path('docs/b.md'));
    expect(take(['docs/*']).refused).toEqual([{ path: 'docs/b.md', why: 'a hard link' }]);
  });

  test('a pipe', () => {
    const { path, take } = scratch({ 'docs/a.md': 'a' });
    execFileSync('mkfifo', [path('docs/pipe.md')]);
    expect(take(['docs/*']).refused).toEqual([{ path: 'docs/pipe.md', why: 'neither a file nor a folder' }]);
  });

  test('a way up, in the pattern or in the name', () => {
    const { root, take } = scratch({ 'files/docs/a.md': 'a', 'evil.md': 'e', 'files-evil/b.md': 'b' });
    const outputs = ['../**', '../evil.md', 'docs/../../evil.md', `${root}/**`, '/**'];
    expect(takeOutputs(realDisk, { scratch: `${root}/files`, outputs, item, base: {} }).taken).toEqual({});
    const { write, take: takeNamed } = scratch({});
    write('docs/..\\..\\evil.md', 'e');
    write('docs/x\\..\\..\\evil.md', 'e');
    expect(takeNamed(['docs/**'])).toMatchObject({ taken: {}, refused: [{ path: 'docs/x\\..\\..\\evil.md' }] });
    expect(Object.keys(take(['**/a.md']).taken)).toEqual(['files/docs/a.md']);
  });

  test('a private folder, in any spelling; only a .jez is worth a word', () => {
    const { path, take } = scratch({ '.JEZ/loop.md': 'l', 'docs/.GIT/hooks/x': 'h', 'node_modules/p/a.md': 'a' });
    symlinkSync('../p/cli.js', path('node_modules/p/link'));
    expect(take(['**', '.JEZ/**', '**/.GIT/**', 'node_modules/**'])).toEqual({
      taken: {},
      refused: [{ path: '.JEZ', why: '.jez belongs to the loop' }],
    });
  });

  test('a path that differs from another only in case or in Unicode form', () => {
    const { take } = scratch({ 'docs/A.md': '1', 'Docs/b.md': '2', 'docs/c\u0301.md': '3', 'docs/\u0107.md': '4' });
    expect(take(['**/*.md'])).toMatchObject({ taken: {}, refused: [{}, {}, {}, {}] });
    const known = scratch({ 'docs/A.md': 'new', 'docs/a.md': 'mine' });
    expect(known.take(['docs/*'], { base: { 'docs/A.md': sha256('old') } })).toEqual({
      taken: { 'docs/A.md': of('new') },
      refused: [{ path: 'docs/a.md', why: 'another path differs only in case' }],
    });
  });

  test('a name that Windows keeps or cannot hold, unless the project has it already', () => {
    const names = ['docs/aux.md', 'docs/COM1', 'nul/x.md', 'docs/a:b.md', 'docs/end.', 'docs/end ', 'docs/a\tb.md'];
    const { take } = scratch(Object.fromEntries(names.map((name) => [name, 'x'])));
    const { taken, refused } = take(['**'], { base: { 'docs/aux.md': sha256('old') } });
    expect(Object.keys(taken)).toEqual(['docs/aux.md']);
    expect(refused.map(({ path }) => path).sort()).toEqual(names.slice(1).sort());
  });
});

describe('an output is bounded', () => {
  test('in bytes a file, which at the bound is still taken', () => {
    const { take } = scratch({ 'a.md': '12345', 'b.md': '123456' });
    expect(take(['*'], { limits: { fileBytes: 5 } })).toEqual({
      taken: { 'a.md': of('12345') },
      refused: [{ path: 'b.md', why: 'larger than 5 bytes' }],
    });
  });

  test('in bytes in all, in files, and in entries looked at', () => {
    const { take } = scratch({ 'a.md': '123', 'b.md': '123', 'c.md': '12', 'd/e.md': '1' });
    expect(Object.keys(take(['**'], { limits: { allBytes: 5 } }).taken)).toEqual(['a.md', 'c.md']);
    expect(Object.keys(take(['**'], { limits: { files: 2 } }).taken)).toEqual(['a.md', 'b.md']);
    expect(take(['**'], { limits: { entries: 2 } })).toMatchObject({
      taken: { 'a.md': {}, 'b.md': {} },
      refused: [{ path: 'c.md', why: 'more than 2 files and folders' }],
    });
  });
});

test('a file swapped for a link between the look and the read is not taken', () => {
  const { path, take } = scratch({ 'a.md': 'a', 'secret.txt': 's' });
  const disk: Disk = {
    ...realDisk,
    read(file) {
      execFileSync('ln', ['-sf', path('secret.txt'), file]);
      return realDisk.read(file);
    },
  };
  expect(take(['a.md'], { disk })).toEqual({
    taken: {},
    refused: [{ path: 'a.md', why: 'it changed while it was read' }],
  });
});

test('what is taken is synced, each file and each folder above it', () => {
  const { root, path, take } = scratch({ 'docs/deep/a.md': 'a', 'docs/b.txt': 'b', 'other/c.txt': 'c' });
  const synced: string[] = [];
  const disk: Disk = {
    ...realDisk,
    sync: (file) => void synced.push(file),
    syncFolder: (file) => void synced.push(file),
  };
  take(['**/*.md'], { disk });
  expect(synced).toEqual([path('docs/deep/a.md'), path('docs/deep'), path('docs'), root]);
});
