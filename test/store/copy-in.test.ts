import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Item } from '../../src/core/model.ts';
import { copyIn } from '../../src/store/copy-in.ts';
import { realDisk } from '../../src/store/disk.ts';
import { sha256, Workspace } from '../../src/store/workspace.ts';
import { folder } from '../support/workspace.ts';

const item = (path: string | null): Item => ({
  id: path ?? 'row-1',
  title: '',
  path,
  body: '',
  fields: {},
  mark: null,
  refused: null,
});

function copied(files: Record<string, string>, globs: string[], path: string | null) {
  const project = folder(files);
  const scratch = project.path('.jez/runs/0001-a/files');
  const copy = () => copyIn(realDisk, new Workspace(project.root), globs, item(path), scratch).files;
  const names = () => readdirSync(scratch, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return { project, copy, names: () => names().map(({ name }) => name) };
}

test("the item's own file is copied to the same place, and its hash is kept", () => {
  const { project, copy } = copied({ 'docs/a.md': 'A', 'docs/b.md': 'B' }, ['{path}'], 'docs/a.md');
  expect(copy()).toEqual({ 'docs/a.md': sha256('A') });
  expect(project.read('.jez/runs/0001-a/files/docs/a.md')).toBe('A');
});

test.each(['docs/[id] (copy) {x}.md', '!bang.md', 'a*b?.md', '@scope+x.md'])(
  'a path with the signs of a pattern stands for itself: %s',
  (path) => {
    expect(copied({ [path]: 'A', 'docs/i.md': 'B' }, ['{path}'], path).copy()).toEqual({ [path]: sha256('A') });
  },
);

test('a pattern brings what it matches, and a pattern with ! takes away', () => {
  const files = { 'docs/a.md': 'A', 'docs/x/b.md': 'B', 'docs/c.txt': 'C', 'docs/x/no.md': 'N', 'e.md': 'E' };
  const { copy, names } = copied(files, ['docs/**/*.md', '!**/no.md'], null);
  expect(copy()).toEqual({ 'docs/a.md': sha256('A'), 'docs/x/b.md': sha256('B') });
  expect(names().sort()).toEqual(['a.md', 'b.md']);
});

test('a file named outright that is not there is null; an item without a path has no {path}', () => {
  const { copy } = copied({ 'e.md': 'E' }, ['{path}', 'notes/{path}', 'glossary.md', './e.md'], null);
  expect(copy()).toEqual({ 'glossary.md': null, 'e.md': sha256('E') });
});

test('nothing comes from .jez, .git, node_modules, from above, or through a link', () => {
  const files = { '.jez/secrets': 'S', '.git/config': 'S', 'node_modules/p/a.md': 'S', 'real/a.md': 'R' };
  const { project, copy, names } = copied(
    files,
    [
      '**',
      '.jez/**',
      '.git/*',
      '.jez/secrets',
      'node_modules/p/a.md',
      '../*',
      '../x',
      '/etc/hosts',
      'link/a.md',
      'l.md',
    ],
    null,
  );
  symlinkSync('real', project.path('link'));
  symlinkSync('real/a.md', project.path('l.md'));
  mkdirSync(project.path('empty'));
  const taken = Object.entries(copy()).filter(([, hash]) => hash !== null);
  expect(taken).toEqual([['real/a.md', sha256('R')]]);
  expect(names()).toEqual(['a.md']);
});
