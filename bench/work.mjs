import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { loop } from './loops.mjs';
import { entry, env, fdatasyncMs, folder, median, pawl, peakMiB } from './measure.mjs';

/** The mark of one file through the source, history and all, against the machine's own fdatasync. */
export async function mark(row) {
  const outfile = join(folder(), 'mark.mjs');
  await build({
    stdin: {
      contents: `export { openSource } from './src/sources/index.ts'; export { realDisk } from './src/store/disk.ts'; export { Workspace } from './src/store/workspace.ts'; export { keeper } from './src/store/history.ts';`,
      resolveDir: join(import.meta.dirname, '..'),
    },
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  const { openSource, realDisk, Workspace, keeper } = await import(outfile);
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
  for (const [index, name] of readdirSync(join(root, 'items')).entries()) {
    if (index % 40 === 0) floors.push(fdatasyncMs(40));
    const start = performance.now();
    await source.file([
      { item: `items/${name}`, run: 1, base: { files: {}, fields: {} }, ownBytes: null, fields: {}, day: '2026-06-09' },
    ]);
    times.push(performance.now() - start);
  }
  const floor = median(floors);
  row(
    'a durable mark of a file',
    `${median(times).toFixed(2)} ms`,
    `fdatasync: ${floor.toFixed(2)} ms`,
    median(times) / floor,
    6,
  );
}

/** Instant workers, slice 50: what pawl itself costs an item. */
export async function work(row, full) {
  const sizes = full ? [100, 1_000, 10_000, 100_000] : [100, 1_000, 10_000];
  const perItem = [];
  for (const size of sizes) {
    const { root, stub } = loop(size);
    pawl(root, 'tick');
    const before = floors(stub, root);
    const { seconds, peak } = await grind(root);
    const after = floors(stub, root);
    const floor = (before.total + after.total) / 2;
    const readdir = size === 100_000 ? readdirMs(join(root, 'items')) / 50 : 0;
    const ms = (seconds * 1000) / size - readdir;
    perItem.push(ms);
    const parts = `spawn ${before.spawn.toFixed(1)} + 28 x fdatasync ${before.sync.toFixed(2)} + starts ${before.starts.toFixed(1)}`;
    row(
      `an item of ${size.toLocaleString('en')}, instant worker`,
      `${ms.toFixed(2)} ms`,
      `${floor.toFixed(2)} ms (${parts})`,
      ms / floor,
      1,
    );
    row(`peak memory, ${size.toLocaleString('en')} items`, `${peak.toFixed(0)} MiB`, '', peak, size > 10_000 ? 96 : 64);
    if (perItem.length > 1)
      row(
        `flat: an item of ${size.toLocaleString('en')}`,
        `${ms.toFixed(2)} ms`,
        `of 100: ${perItem[0].toFixed(2)} ms`,
        ms / perItem[0],
        1.1,
      );
  }
}

function floors(stub, root) {
  const spawnMs = median(
    Array.from({ length: 60 }, () =>
      timed(() => spawnSync(stub, { env, stdio: ['pipe', 'pipe', 'pipe'], input: 'x\n' })),
    ),
  );
  const sync = fdatasyncMs();
  const start = (...args) =>
    median(Array.from({ length: 7 }, () => timed(() => spawnSync(process.execPath, [entry, ...args], { env }))));
  const supervisor = start('supervise', root, '999999');
  const tick = start('tick', '--dry-run', '--dir', root);
  const starts = (supervisor + 2 * tick) / 50;
  return { spawn: spawnMs, sync, starts, total: spawnMs + 28 * sync + starts };
}

function timed(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

const readdirMs = (path) => median([1, 2, 3].map(() => timed(() => readdirSync(path))));

/** Works a backlog off and watches the memory of the run and of its supervisors. */
async function grind(root) {
  const start = performance.now();
  const child = spawn(
    process.execPath,
    [entry, 'run', '--every', '0', '--until', 'exhausted', '--quiet', '--dir', root],
    { env, stdio: 'ignore' },
  );
  let peak = 0;
  let supervisor = 0;
  const watch = setInterval(() => {
    supervisor = ownerOf(root) ?? supervisor;
    peak = Math.max(peak, peakMiB(child.pid), peakMiB(supervisor));
  }, 100);
  await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(watch);
  return { seconds: (performance.now() - start) / 1000, peak };
}

function ownerOf(root) {
  try {
    const newest = readdirSync(join(root, '.jez/batches')).sort().at(-1);
    return JSON.parse(readFileSync(join(root, '.jez/batches', newest, 'owner.json'), 'utf8')).pid;
  } catch {
    return null;
  }
}

/** What a user installs. */
export function dependencies(row) {
  const root = join(import.meta.dirname, '..');
  const listed = execFileSync('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: root, encoding: 'utf8' });
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
    const { scripts = {}, gypfile } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
    return gypfile || ['install', 'preinstall', 'postinstall'].some((name) => name in scripts);
  });
  row('production dependencies with a build or an install script', '', '', scripts.length, 0);
}

export const save = (path, rows) => writeFileSync(path, `${JSON.stringify(rows, null, 1)}\n`);
