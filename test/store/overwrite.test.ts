import { symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Disk, realDisk } from '../../src/store/disk.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { SimDisk } from '../support/power-loss/sim-disk.ts';
import { folder } from '../support/workspace.ts';

const bytes = (text: string) => Buffer.from(text);

function disks(): [string, Disk, string][] {
  const { path } = folder({ 'a.md': 'one two three\n' });
  const memory = new MemoryDisk();
  memory.write('/w/a.md', 'one two three\n');
  const simulated = new SimDisk(
    new Map([
      ['/w', null],
      ['/w/a.md', bytes('one two three\n')],
    ]),
  );
  return [
    ['real', realDisk, path('a.md')],
    ['in memory', memory, '/w/a.md'],
    ['simulated', simulated, '/w/a.md'],
  ];
}

describe.each(['real', 'in memory', 'simulated'])('a disk that is %s', (name) => {
  test('overwrites what it expects, in the same file, and nothing else', () => {
    const [, disk, path] = disks().find(([each]) => each === name) ?? [];
    if (disk === undefined || path === undefined) return;
    const before = disk.stat(path);
    expect(disk.overwrite(path, 4, bytes('two'), bytes('TWO'))).toBe(true);
    expect(disk.read(path)?.toString()).toBe('one TWO three\n');
    expect(disk.stat(path)?.ino).toBe(before?.ino);
    expect(disk.overwrite(path, 4, bytes('two'), bytes('xxx'))).toBe(false);
    expect(disk.overwrite(path, 8, bytes('three\nfour'), bytes('three\nFOUR'))).toBe(false);
    expect(disk.overwrite(`${path}.gone`, 0, bytes('a'), bytes('b'))).toBe(false);
    expect(disk.read(path)?.toString()).toBe('one TWO three\n');
  });
});

test('a symbolic link is not written through', () => {
  const { path, read } = folder({ 'a.md': 'old\n' });
  symlinkSync('a.md', path('link.md'));
  expect(() => realDisk.overwrite(path('link.md'), 0, bytes('old\n'), bytes('new\n'))).toThrow('ELOOP');
  expect(read('a.md')).toBe('old\n');
});

test('a power cut leaves an overwritten file whole, and once it returned, as it was written', () => {
  const disk = new SimDisk(
    new Map([
      ['/w', null],
      ['/w/a.md', bytes('- [ ] a\n')],
    ]),
  );
  const found = new Set<string | undefined>();
  const look = () => found.add(disk.image({ kind: 'strict' }).get('/w/a.md')?.toString());
  disk.onStep = (_, half) => {
    look();
    const undo = half?.();
    look();
    undo?.();
  };
  disk.overwrite('/w/a.md', 0, bytes('- [ ] a'), bytes('- [x] a'));
  expect([...found]).toEqual(['- [ ] a\n']);
  expect(disk.image({ kind: 'strict' }).get('/w/a.md')?.toString()).toBe('- [x] a\n');
});
