import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { loop } from './loops.mjs';
import { bundle, fdatasyncMs, median } from './measure.mjs';

/** The mark of one file through the source, history and all, against the machine's own fdatasync. */
export async function mark(row) {
  const exports = ['sources/index', 'store/disk', 'store/workspace', 'store/history'];
  const { openSource, realDisk, Workspace, keeper } = await import(await bundle(exports));
  const { root } = loop(320);
  const workspace = new Workspace(root);
  const source = await openSource({
    disk: realDisk,
    workspace,
    procedure: {
      source: { kind: 'folder', path: 'items/*.md', mark: { field: 'checked', value: null, todo: [] }, write: [] },
    },
    keep: keeper(realDisk, workspace, 1),
  });
  const times = [];
  const floors = [];
  const bare = [];
  for (const [index, name] of readdirSync(join(root, 'items')).entries()) {
    if (index % 40 === 0) floors.push(fdatasyncMs(40));
    const start = performance.now();
    await source.file([
      { item: `items/${name}`, run: 1, base: { files: {}, fields: {} }, ownBytes: null, fields: {}, day: '2026-06-09' },
    ]);
    times.push(performance.now() - start);
    bare.push(replaceMs(join(root, 'items', name)));
  }
  const floor = median(floors);
  row(
    'a durable mark of a file',
    `${median(times).toFixed(2)} ms`,
    `fdatasync: ${floor.toFixed(2)} ms`,
    median(times) / floor,
    6,
  );
  // Two commits of the file system's journal: on most disks these alone are more than six times its quickest sync.
  row(
    'the same, against the bare system calls of one replaced file',
    `${median(times).toFixed(2)} ms`,
    `create, write, fsync, rename, fsync of the folder: ${median(bare).toFixed(2)} ms`,
    median(times) / median(bare),
    2,
  );
}

function replaceMs(path) {
  const bytes = readFileSync(path);
  const start = performance.now();
  const file = openSync(`${path}.new`, 'wx');
  writeSync(file, bytes);
  fsyncSync(file);
  closeSync(file);
  renameSync(`${path}.new`, path);
  const parent = openSync(dirname(path), 'r');
  fsyncSync(parent);
  closeSync(parent);
  return performance.now() - start;
}

/** What a user installs. */
export function dependencies(row) {
  const root = join(import.meta.dirname, '..');
  // It fails for a stray package, and lists all the same.
  const args = ['ls', '--omit=dev', '--all', '--parseable'];
  const { stdout: listed } = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
  const paths = listed
    .trim()
    .split('\n')
    .filter((path) => path.includes('node_modules'));
  const kib = paths.map((path) => Number(execFileSync('du', ['-sk', path], { encoding: 'utf8' }).split('\t')[0]));
  row(
    'production dependencies, installed',
    `${(kib.reduce((sum, n) => sum + n, 0) / 1024).toFixed(1)} MB`,
    `${paths.length} packages`,
    kib.reduce((sum, n) => sum + n, 0) / 1024,
    60,
  );
  const scripts = paths.filter((path) => {
    const { scripts = {} } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    const native = readdirSync(path, { recursive: true }).some((name) => /\.node$|(^|\/)binding\.gyp$/.test(name));
    return native || ['install', 'preinstall', 'postinstall'].some((name) => name in scripts);
  });
  row('production dependencies with a build or an install script', '', '', scripts.length, 0);
}
