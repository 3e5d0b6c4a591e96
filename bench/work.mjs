import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loop } from './loops.mjs';
import { atExit, entry, env, fdatasyncMs, median, pawl, peakMiB } from './measure.mjs';

const SLICE = 50;
/** A default bench works so many items off in each folder, so that it takes minutes; a full one works off all. */
const MOST = 500;

/** Instant workers, slice 50: what pawl itself costs an item, whatever the folder holds. */
export async function work(row, full) {
  const sizes = full ? [100, 1_000, 10_000, 100_000] : [100, 1_000, 10_000];
  const started = startedOnce();
  const perItem = [];
  for (const size of sizes) {
    const { root, stub } = loop(size, { perDay: full ? size : MOST });
    const tick = peakOfTick(size);
    const before = floors(stub, root, started);
    const { seconds, items, run, supervisor } = await grind(root);
    const after = floors(stub, root, started);
    const floor = (before.total + after.total) / 2;
    const readdir = size > 10_000 ? readdirMs(join(root, 'items')) / SLICE : 0;
    const ms = (seconds * 1000) / items - readdir;
    perItem.push(ms);
    const of = size.toLocaleString('en');
    const parts = `spawn ${before.spawn.toFixed(1)} + 28 x fdatasync ${before.sync.toFixed(2)} + starts ${before.starts.toFixed(1)}`;
    row(`an item of ${of}, instant worker`, `${ms.toFixed(1)} ms`, `${floor.toFixed(1)} ms = ${parts}`, ms / floor, 1);
    if (perItem.length > 1)
      row(`flat: an item of ${of}`, `${ms.toFixed(1)} ms`, `of 100: ${perItem[0].toFixed(1)} ms`, ms / perItem[0], 1.1);
    const most = size > 10_000 ? 96 : 64;
    row(`peak memory in MiB of a tick that works, ${of}`, '', '', Math.round(tick), most);
    row(`peak memory in MiB of a supervisor, ${of}`, '', '', Math.round(supervisor), most);
    row(`peak memory in MiB of a whole run, ${of}`, '', '', Math.round(run), 96);
  }
}

/** What no loop runner can do without: starting the worker, syncing, and starting its own processes, a slice's share of them. */
function floors(stub, root, started) {
  const workerMs = () => timed(() => spawnSync(stub, { env, stdio: ['pipe', 'pipe', 'pipe'], input: 'x\n' }));
  const spawnMs = median(Array.from({ length: 60 }, workerMs));
  const sync = fdatasyncMs();
  const start = (...args) =>
    median(Array.from({ length: 7 }, () => timed(() => spawnSync(process.execPath, [entry, ...args], { env }))));
  const starts = (start('supervise', started, '1') + 2 * start('tick', '--dry-run', '--dir', root)) / SLICE;
  return { spawn: spawnMs, sync, starts, total: spawnMs + 28 * sync + starts };
}

/** A loop whose first batch has an owner: a supervisor of it loads all it needs, finds that, and ends. */
function startedOnce() {
  const { root } = loop(1);
  pawl(root, 'tick');
  pawl(root, 'tick', '--wait');
  return root;
}

function timed(run) {
  const start = performance.now();
  run();
  return performance.now() - start;
}

const readdirMs = (path) => median([1, 2, 3].map(() => timed(() => readdirSync(path))));

/** Of a tick that files a slice and claims the next: a loop of its own, so that nothing of `root`'s is worked off unseen. */
function peakOfTick(size) {
  const { root } = loop(size);
  pawl(root, 'tick');
  pawl(root, 'tick');
  while (pawl(root, 'tick', '--dry-run').includes('running:'));
  const peak = Number(atExit('process.resourceUsage().maxRSS', root));
  pawl(root, 'pause', '--kill');
  return peak / 1024;
}

/** Works the backlog off, up to the day's cap, and watches the memory of the run and of its supervisors. */
async function grind(root) {
  const before = countDone(root);
  const start = performance.now();
  const args = [entry, 'run', '--every', '0', '--until', 'stopped', '--quiet', '--dir', root];
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' });
  let run = 0;
  let supervisor = 0;
  const watch = setInterval(() => {
    run = Math.max(run, peakMiB(child.pid));
    supervisor = Math.max(supervisor, peakMiB(ownerOf(root)));
  }, 100);
  await new Promise((resolve) => child.once('exit', resolve));
  clearInterval(watch);
  return { seconds: (performance.now() - start) / 1000, items: countDone(root) - before, run, supervisor };
}

const countDone = (root) =>
  Number(/done_count: (\d+)/.exec(readFileSync(join(root, '.jez/state.md'), 'utf8'))?.[1] ?? 0);

function ownerOf(root) {
  try {
    const newest = readdirSync(join(root, '.jez/batches')).sort().at(-1);
    return JSON.parse(readFileSync(join(root, '.jez/batches', newest, 'owner.json'), 'utf8')).pid;
  } catch {
    return 0;
  }
}
