import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { CAN_FAIL, type Errno, failing, type Step, stepsIn } from '../support/failpoint.ts';
import { heldLoop } from '../support/held-loop.ts';
import { faults, paidRuns } from '../support/loop-faults.ts';
import { eventually } from '../support/processes.ts';
import { copyLoop, driveOn, each, home, pawl, removeLoop, spread, supervisorsEnded } from '../support/real-loop.ts';
import { launcherFaults, type Stage, scenes, stage } from '../support/scenes.ts';

const full = process.env.PAWL_FULL === '1';
const SOME = full ? Number.POSITIVE_INFINITY : 3;
const LIMIT = { timeout: full ? 3_600_000 : 300_000 };
const ERRORS: Errno[] = ['ENOSPC', 'EIO', 'EMFILE', 'EROFS'];

const at = home();

describe.each(scenes.filter(({ name }) => /files and claims|supervisor/.test(name)))('$name', (scene) => {
  const { who } = scene;
  let set: Stage;

  beforeAll(async () => {
    set = await stage(at, scene);
  });

  interface Way {
    error: Errno;
    /** Once, at every step from there on, or after half of the bytes. */
    how: 'once' | 'sticky' | 'half';
  }

  async function brokenAt({ step = 0, kind, path }: Step, { error, how }: Way): Promise<string[]> {
    const root = copyLoop(set.start, `${set.start}-${error}-${how}-${step}`);
    const log = `${root}.log`;
    const way = { sticky: how === 'sticky', half: how === 'half' };
    const ended = await pawl(root, ['tick'], failing({ who: [who], root, log, at: step, do: error, ...way }));
    await supervisorsEnded(root);
    const failures = stepsIn(log).filter(({ failed }) => failed !== undefined);
    const paid = paidRuns(root);
    const bad = who === 'supervise' ? launcherFaults(root, ended) : toldWell(ended, failures, error);
    if (failures.length === 0) bad.push('nothing failed');
    bad.push(...(await driveOn(root)), ...faults(root, { ...scene, crashes: 1, paid }));
    if (bad.length === 0) removeLoop(root);
    return bad.map((what) => `${error} ${how} at ${step} ${kind} ${path}: ${what}`);
  }

  /** A tick ends with 2 and one line, but a cache is no reason to fail. */
  function toldWell(ended: Awaited<ReturnType<typeof pawl>>, failures: Step[], error: Errno): string[] {
    const matters = failures.some(({ path }) => !path?.startsWith('.jez/cache'));
    if (!matters) return ended.code === 0 && ended.error === '' ? [] : [`ended with ${ended.code}: ${ended.error}`];
    const isOneLine = /^pawl: [^\n]+\n$/.test(ended.error) && ended.error.includes(error);
    return ended.code === 2 && isOneLine ? [] : [`ended with ${ended.code}: ${ended.error}`];
  }

  test.each(ERRORS)('%s: nothing is damaged, and once it is cured the rest is done', LIMIT, async (error) => {
    const steps = set.steps.filter(({ kind = '' }) => CAN_FAIL[error].includes(kind));
    const writes = set.steps.filter(({ kind = '' }) => ['create', 'append'].includes(kind));
    const points: [Step, Way][] = [
      ...spread(steps, SOME).map((step): [Step, Way] => [step, { error, how: 'once' }]),
      ...spread(steps, full ? SOME : 2).map((step): [Step, Way] => [step, { error, how: 'sticky' }]),
      ...(error === 'ENOSPC' ? spread(writes, SOME) : []).map((step): [Step, Way] => [step, { error, how: 'half' }]),
    ];
    expect((await each(points, ([step, way]) => brokenAt(step, way))).flat()).toEqual([]);
  });
});

test('a heartbeat that cannot be written costs no work', LIMIT, async () => {
  const probe = await heldLoop(at, 'beat-probe', { items: 1 });
  const log = `${probe.root}.log`;
  probe.hold();
  await pawl(probe.root, ['tick'], failing({ who: ['supervise'], root: probe.root, log }));
  await probe.called(1);
  const next = stepsIn(log).length + 1;

  const loop = await heldLoop(at, 'beat', { items: 1 });
  const point = {
    who: ['supervise' as const],
    root: loop.root,
    log: `${loop.root}.log`,
    at: next,
    do: 'EROFS' as const,
  };
  loop.hold();
  await pawl(loop.root, ['tick'], failing(point));
  await eventually(() => stepsIn(point.log).some(({ failed }) => failed !== undefined));
  // The next beat, by the same supervisor.
  await eventually(() => stepsIn(point.log).length > next + 1);
  loop.letGo();
  expect(await driveOn(loop.root)).toEqual([]);
  expect(faults(loop.root, { done: ['a'], crashes: 0 })).toEqual([]);
});

describe('a file system that is full', () => {
  const small = at.make('small', { items: 4 });
  const mount = () => spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'pawl-test', small]).status === 0;
  const unmount = () => spawnSync('umount', ['-l', small]).status === 0;
  const canMount = mount() && unmount();
  const isSkipped = !canMount && process.env.PAWL_CI !== '1';
  if (isSkipped) console.log('skipped: a full file system, since nothing can be mounted here without root');

  test.skipIf(isSkipped)('case A1: old bytes stay whole, and the work goes on', LIMIT, async () => {
    let refused = 0;
    for (let pages = 0; pages < 12; pages += full ? 1 : 3) {
      expect(mount(), 'mounting a tmpfs needs root').toBe(true);
      try {
        at.make('small', { items: 4 });
        refused += (await withPages(small, pages)) ? 0 : 1;
      } finally {
        unmount();
        rmSync(`${small}.calls`, { force: true });
      }
    }
    expect(refused).toBeGreaterThan(full ? 3 : 1);
  });
});

/** One tick on a file system with so many free pages, the rest with room again. @returns whether that tick had enough. */
async function withPages(root: string, pages: number): Promise<boolean> {
  for (let tick = 0; tick < 2; tick++) await pawl(root, ['tick']);
  await supervisorsEnded(root);
  const before = readFileSync(`${root}/.jez/state.md`, 'utf8');
  const { bavail, bsize } = statfsSync(root);
  writeFileSync(`${root}/filler`, Buffer.alloc((bavail - pages) * bsize));
  const { code, error } = await pawl(root, ['tick']);
  if (code !== 0)
    expect([code, error]).toEqual([2, expect.stringMatching(/^pawl: [^\n]*(ENOSPC|wrote \d+ of)[^\n]*\n$/)]);
  await supervisorsEnded(root);
  const after = readFileSync(`${root}/.jez/state.md`, 'utf8');
  expect(after === before || after.includes('tick: 3')).toBe(true);
  rmSync(`${root}/filler`);
  expect(await driveOn(root)).toEqual([]);
  expect(faults(root, { done: ['a', 'b', 'c', 'd'], crashes: 1 })).toEqual([]);
  return code === 0;
}
