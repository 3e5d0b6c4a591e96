import { mkdirSync, symlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { realDisk } from '../../src/store/disk.ts';
import { findProgram, program, workerEnvironment } from '../../src/store/program.ts';
import { folder } from '../support/workspace.ts';

test('an element that names a file below the project is made absolute, also through a link', () => {
  const { root, path } = folder({ 'tools/work.mjs': '' });
  symlinkSync('work.mjs', path('tools/link.mjs'));
  expect(program(['node', 'tools/work.mjs', './tools/link.mjs'], root, realDisk)).toEqual([
    'node',
    path('tools/work.mjs'),
    path('tools/link.mjs'),
  ]);
});

test('everything else is passed as written', () => {
  const { path } = folder({ 'project/a.txt': '', 'secret.txt': '' });
  mkdirSync(path('project/docs'));
  const run = [
    'docs',
    'missing.mjs',
    '../secret.txt',
    '/etc/hosts',
    '--flag',
    '$(id)',
    '; rm x',
    '',
    '*',
    'a\0b',
    'x'.repeat(10_000),
  ];
  expect(program(run, path('project'), realDisk)).toEqual(run);
});

test('a program is found by its path or on the search path, if it may be executed', () => {
  const { root, path } = folder({ 'bin/yes-sir': '#!/bin/sh\n', 'bin/plain': 'text' });
  mkdirSync(path('bin/folder'));
  expect(findProgram('yes-sir', `/nowhere:${root}/bin`)).toBe(path('bin/yes-sir'));
  expect(findProgram(path('bin/yes-sir'), '')).toBe(path('bin/yes-sir'));
  expect(findProgram('plain', `${root}/bin`)).toBeNull();
  expect(findProgram('folder', `${root}/bin`)).toBeNull();
  expect(findProgram('yes-sir', '/nowhere')).toBeNull();
});

test('the environment of a worker is an allow-list, and nobody else can say which run it is', () => {
  const from = { PATH: '/bin', HOME: '/h', TZ: 'UTC', MY_TOKEN: 't', OTHER: 'o', PAWL_RUN: 'fake' };
  expect(workerEnvironment(from, ['MY_TOKEN', 'PAWL_RUN', 'UNSET'], { PAWL_RUN: '0042', PAWL_ROOT: '/p' })).toEqual({
    PATH: '/bin',
    HOME: '/h',
    TZ: 'UTC',
    MY_TOKEN: 't',
    PAWL_RUN: '0042',
    PAWL_ROOT: '/p',
  });
});
