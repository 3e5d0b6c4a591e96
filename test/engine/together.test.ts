import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { isReaped } from '../../src/core/liveness.ts';
import { readAlive, readOwner } from '../../src/store/batches.ts';
import { realDisk } from '../../src/store/disk.ts';
import { Workspace } from '../../src/store/workspace.ts';
import { heldLoop } from '../support/held-loop.ts';
import { faults } from '../support/loop-faults.ts';
import { driveOn, each, home, ITEMS, openClaim, pawl, start, WORKER } from '../support/real-loop.ts';
import type { Seen } from '../support/state-reader.ts';

const full = process.env.PAWL_FULL === '1';
const here = home();
const LIMIT = { timeout: 300_000 };

test('case C1, A25: of a hundred ticks fired at once one acts, the others end silently', LIMIT, async () => {
  const loop = await heldLoop(here, 'hundred', { items: 6, slice: 3, concurrency: 3 });
  loop.hold();
  const ends = await Promise.all(Array.from({ length: 100 }, () => pawl(loop.root, ['tick'])));
  expect(ends).toEqual(ends.map(() => ({ code: 0, signal: null, out: '', error: '' })));
  await loop.called(3);
  expect(realDisk.list(join(loop.root, '.jez/batches'))).toEqual(['0001']);
  expect(realDisk.list(join(loop.root, '.jez/ticks'))).toEqual(['0001.json', '0002.json']);
  loop.letGo();
  expect(await driveOn(loop.root)).toEqual([]);
  expect(loop.calls().sort()).toEqual(ITEMS.map((name) => `items/${name}.md`));
  expect(faults(loop.root, { done: ITEMS, crashes: 0 })).toEqual([]);
});

test('case A2: five readers of state.md never see one that cannot be read while ticks run', LIMIT, async () => {
  const root = here.make('readers', { items: 6, slice: 1 });
  const script = join(root, '..', 'state-reader.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, '../support/state-reader.ts')],
    ...{ outfile: script, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  const readers = Array.from({ length: 5 }, () => reader(script, join(root, '.jez/state.md')));
  expect((await pawl(root, ['run', '--every', '0', '--until', 'exhausted', '--quiet'])).code).toBe(0);
  const seen = await Promise.all(readers.map((end) => end()));
  expect(seen.flatMap(({ bad }) => bad)).toEqual([]);
  expect(seen.reduce((sum, { reads }) => sum + reads, 0)).toBeGreaterThan(10_000);
  expect(Math.max(...seen.map(({ differing }) => differing))).toBeGreaterThan(6);
  expect(faults(root, { done: ITEMS, crashes: 0 })).toEqual([]);
});

function reader(script: string, path: string): () => Promise<Seen> {
  const child = spawn(process.execPath, [script, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const ended = new Promise((done) => child.once('close', done));
  return async () => {
    child.stdin.end();
    await ended;
    return JSON.parse(out);
  };
}

/** Slow enough to be met while it works. */
const SLOW = WORKER.replace('echo "$id"', 'sleep 0.3\necho "$id"');

test('SIGKILL at random of ticks, supervisors and groups of workers: nothing is lost or doubled', LIMIT, async () => {
  const rounds = Array.from({ length: full ? 100 : 6 }, (_, round) => round);
  const bad = await each(rounds, async (round) => {
    const root = here.make(`random-${round}`, { items: 4, worker: SLOW });
    const random = numbers(round);
    await pawl(root, ['tick']);
    // Three in a row would pause the loop.
    for (let kills = 0; kills < 2; kills++) {
      const { child, ended } = start(root, ['tick', '--wait']);
      await sleep(200 + random(600));
      const victim = random(3);
      if (victim === 0) child.kill('SIGKILL');
      else kill(victim === 1 ? ownerOf(root) : -(groupOf(root) ?? 0));
      await ended;
    }
    const found = [...(await driveOn(root)), ...faults(root, { done: ['a', 'b', 'c', 'd'], crashes: 2 })];
    return found.map((what) => `round ${round}: ${what}`);
  });
  expect(bad.flat()).toEqual([]);
});

function kill(target: number | null): void {
  if (target !== null && target !== 0 && isThere(target)) process.kill(target, 'SIGKILL');
}

function isThere(target: number): boolean {
  try {
    return process.kill(target, 0);
  } catch {
    return false;
  }
}

function ownerOf(root: string): number | null {
  const claim = openClaim(root);
  const owner = claim === null ? null : readOwner(realDisk, new Workspace(root), claim.batch);
  return owner === null || isReaped(owner) ? null : owner.pid;
}

/** The group of a worker that is at work. */
function groupOf(root: string): number | null {
  const claim = openClaim(root);
  const alive = claim === null ? null : readAlive(realDisk, new Workspace(root), claim.batch);
  return Object.values(alive?.groups ?? {})[0]?.pid ?? null;
}

/** The same numbers for the same seed, below `limit`. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * limit);
  };
}
