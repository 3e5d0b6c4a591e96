import { existsSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { parseState } from '../../src/formats/state.ts';
import { realProcesses } from '../../src/store/process.ts';
import { failing } from '../support/failpoint.ts';
import { type HeldLoop, heldLoop } from '../support/held-loop.ts';
import { faults } from '../support/loop-faults.ts';
import { eventually } from '../support/processes.ts';
import { at, driveOn, home, openClaim, pawl, start, startBelowShell, supervisorsEnded } from '../support/real-loop.ts';

const here = home();
const RUN = ['run', '--every', '0', '--until', 'exhausted', '--quiet'];
const LIMIT = { timeout: 300_000 };
const TWO = { items: 2, done: ['a', 'b'] };

const stateOf = (root: string) => parseState(readFileSync(join(root, '.jez/state.md')), 'state.md');
const outcomesOf = (root: string): string[] =>
  existsSync(join(root, '.jez/outcomes.jsonl'))
    ? [...readFileSync(join(root, '.jez/outcomes.jsonl'), 'utf8').matchAll(/"outcome":"([^"]+)"/g)].map(
        ([, name]) => name ?? '',
      )
    : [];

/** Lets the workers go, and everything has to come to its end. */
async function finish(loop: HeldLoop, expected: { done: string[]; crashes: number }): Promise<void> {
  loop.letGo();
  expect(await driveOn(loop.root)).toEqual([]);
  expect(faults(loop.root, expected)).toEqual([]);
  expect(loop.overlaps()).toEqual([]);
}

const kill = (pid: number | undefined, signal: NodeJS.Signals = 'SIGKILL') => process.kill(pid ?? 0, signal);

/** A batch whose tick and supervisor are gone, while its workers are not. */
async function orphaned(name: string): Promise<HeldLoop> {
  const loop = await heldLoop(here, name, TWO);
  loop.hold();
  const { child, ended } = start(loop.root, ['tick', '--wait']);
  await loop.called(2);
  kill(child.pid);
  kill(loop.owner().pid);
  await ended;
  await supervisorsEnded(loop.root);
  expect(loop.alive()).toHaveLength(4);
  return loop;
}

describe('a tick and its supervisor killed while workers work', () => {
  test(
    'A31, case C2: the next tick ends the whole groups, tries the items again, and charges nothing',
    LIMIT,
    async () => {
      const loop = await orphaned('orphans');
      loop.letGo();
      loop.hold();
      const { code, error } = await pawl(loop.root, ['tick']);
      expect([code, error]).toEqual([0, '']);
      await loop.called(4);
      expect(outcomesOf(loop.root)).toEqual(['lost', 'lost']);
      await finish(loop, { done: TWO.done, crashes: 1 });
    },
  );

  test('A31: a pid that was given to another process is dead, and that process lives', LIMIT, async () => {
    const loop = await orphaned('reused');
    writeFileSync(loop.ownerFile(), JSON.stringify({ ...loop.owner(), pid: process.pid }));
    await pawl(loop.root, ['tick']);
    expect(outcomesOf(loop.root)).toEqual(['lost', 'lost']);
    await finish(loop, { done: TWO.done, crashes: 1 });
  });

  test('A31: an owner from before a restart of the machine is dead, whoever has its pid', LIMIT, async () => {
    const loop = await orphaned('boot');
    writeFileSync(loop.ownerFile(), JSON.stringify({ ...realProcesses.self(), boot: 'another start' }));
    await pawl(loop.root, ['tick']);
    expect(outcomesOf(loop.root)).toEqual(['lost', 'lost']);
    await finish(loop, { done: TWO.done, crashes: 1 });
  });

  test(
    'an owner on another host is left alone until its time is over and it is silent; then a person has to look',
    LIMIT,
    async () => {
      const loop = await orphaned('host');
      writeFileSync(loop.ownerFile(), JSON.stringify({ ...loop.owner(), host: 'another-machine' }));
      await pawl(loop.root, ['tick']);
      await pawl(loop.root, ['tick'], { PAWL_NOW: at(12) });
      expect(outcomesOf(loop.root)).toEqual([]);
      const old = new Date(Date.now() - 3_600_000);
      utimesSync(join(loop.ownerFile(), '../alive.json'), old, old);
      await pawl(loop.root, ['tick'], { PAWL_NOW: at(12) });
      expect(outcomesOf(loop.root)).toEqual(['needs-human', 'needs-human']);
      expect(loop.calls()).toHaveLength(2);
      expect(readFileSync(join(loop.root, '.jez/review.md'), 'utf8')).toContain('fell silent');
    },
  );
});

// These wait for the ten seconds that are given to the living.
describe.concurrent('processes that do not end by themselves', () => {
  test('case B7: a worker that ignores SIGTERM is gone before its item is tried again', LIMIT, async () => {
    const loop = await heldLoop(here, 'stubborn', { items: 1 });
    loop.hold('stubborn');
    await pawl(loop.root, ['tick']);
    await loop.called(1);
    rmSync(`${loop.root}.stubborn`);
    kill(loop.owner().pid);
    await supervisorsEnded(loop.root);
    await pawl(loop.root, ['tick']);
    await loop.called(2);
    await finish(loop, { done: ['a'], crashes: 1 });
  });

  test('A32: one that only slept goes on, and its work counts', LIMIT, async () => {
    const loop = await heldLoop(here, 'slept', TWO);
    loop.hold();
    await pawl(loop.root, ['tick']);
    await loop.called(2);
    const { pid } = loop.owner();
    kill(pid, 'SIGSTOP');
    const before = generations(loop.root);
    const { ended } = start(loop.root, ['tick'], { PAWL_NOW: at(12) });
    // The tick has the lock: what follows is its watching.
    await eventually(() => generations(loop.root) > before);
    kill(pid, 'SIGCONT');
    expect((await ended).code).toBe(0);
    expect(realProcesses.look(loop.owner())).toBe('alive');
    await finish(loop, { done: TWO.done, crashes: 0 });
    expect(outcomesOf(loop.root)).toEqual(['done', 'done']);
  });

  test('A32: one that stays silent is ended with its workers, and its items are tried again', LIMIT, async () => {
    const loop = await heldLoop(here, 'hung', TWO);
    loop.hold();
    await pawl(loop.root, ['tick']);
    await loop.called(2);
    kill(loop.owner().pid, 'SIGSTOP');
    const { code } = await pawl(loop.root, ['tick'], { PAWL_NOW: at(12) });
    expect(code).toBe(0);
    await loop.called(4);
    expect(outcomesOf(loop.root)).toEqual(['lost', 'lost']);
    await finish(loop, { done: TWO.done, crashes: 1 });
  });
});

/** The newest generation of the lock. */
const generations = (root: string) =>
  Math.max(...readdirSync(join(root, '.jez/lock')).map((name) => Number(/^g(\d+)$/.exec(name)?.[1] ?? 0)));

describe('case C6: stop means stop', () => {
  const commands = { 'tick --wait': ['tick', '--wait'], run: RUN };
  const cases = Object.entries(commands).flatMap(([name, args]) =>
    (['SIGTERM', 'SIGINT'] as const).map((signal) => ({ name, args, signal })),
  );

  test.each(cases)(
    '$signal to $name: no orphan, no charge, nothing is started afterwards',
    LIMIT,
    async ({ name, args, signal }) => {
      const loop = await heldLoop(here, `${name}-${signal}`.replaceAll(' ', ''), { items: 4, slice: 2 });
      loop.hold();
      const { child, ended } = start(loop.root, args);
      await loop.called(2);
      kill(child.pid, signal);
      expect(await ended).toMatchObject({ code: signal === 'SIGINT' ? 130 : 143, error: '' });
      expect(loop.alive()).toEqual([]);
      expect(loop.calls()).toHaveLength(2);
      expect(openClaim(loop.root)).toBeNull();
      const { today, inFlight, paused } = stateOf(loop.root);
      expect({ today, inFlight, paused }).toMatchObject({
        today: { count: 0, errorsInARow: 0 },
        inFlight: [],
        paused: false,
      });
      expect(outcomesOf(loop.root)).toEqual([]);
      await finish(loop, { done: ['a', 'b', 'c', 'd'], crashes: 1 });
    },
  );

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s again and again, as people do: it still ends in order',
    LIMIT,
    async (signal) => {
      const loop = await heldLoop(here, `again-${signal}`, TWO);
      loop.hold();
      const { child, ended } = start(loop.root, ['tick', '--wait']);
      await loop.called(2);
      while (child.kill(signal) && loop.alive().length > 0) await sleep(5);
      expect((await ended).code).toBe(signal === 'SIGINT' ? 130 : 143);
      expect(loop.alive()).toEqual([]);
      await finish(loop, { done: TWO.done, crashes: 1 });
    },
  );

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s to the group of the shell that started it leaves nothing running',
    LIMIT,
    async (signal) => {
      const loop = await heldLoop(here, `shell-${signal}`, { items: 4, slice: 2 });
      loop.hold();
      const { child, ended } = startBelowShell(loop.root, RUN);
      await loop.called(2);
      kill(-(child.pid ?? 0), signal);
      await ended;
      expect(loop.alive()).toEqual([]);
      expect(loop.calls()).toHaveLength(2);
      expect(openClaim(loop.root)).toBeNull();
      await finish(loop, { done: ['a', 'b', 'c', 'd'], crashes: 1 });
    },
  );

  test.each([3, 12, 20, 30])(
    'SIGTERM to a plain tick at its step %i: it finishes its write and launches nothing',
    LIMIT,
    async (step) => {
      const loop = await heldLoop(here, `term-${step}`, TWO);
      const point = { who: ['tick' as const], root: loop.root, at: step, do: 'SIGTERM' as const };
      const { code, error } = await pawl(loop.root, ['tick'], failing(point));
      expect([code, error]).toEqual([143, '']);
      await supervisorsEnded(loop.root);
      expect(loop.calls()).toEqual([]);
      await finish(loop, { done: TWO.done, crashes: 0 });
    },
  );

  test('pause --kill ends the batch at no cost, and resume goes on', LIMIT, async () => {
    const loop = await heldLoop(here, 'pause-kill', TWO);
    loop.hold();
    await pawl(loop.root, ['tick']);
    await loop.called(2);
    expect((await pawl(loop.root, ['pause', '--kill'])).code).toBe(0);
    expect(loop.alive()).toEqual([]);
    expect(await pawl(loop.root, ['tick'])).toMatchObject({ code: 0, error: '', out: '' });
    expect(loop.calls()).toHaveLength(2);
    expect((await pawl(loop.root, ['resume'])).code).toBe(0);
    await finish(loop, { done: TWO.done, crashes: 1 });
    expect(outcomesOf(loop.root)).toEqual(['done', 'done']);
  });
});

test('run killed with -9 and started again waits for the batch that ran on, and files it', LIMIT, async () => {
  const loop = await heldLoop(here, 'again', TWO);
  loop.hold();
  const first = start(loop.root, RUN);
  await loop.called(2);
  kill(first.child.pid);
  await first.ended;
  const before = generations(loop.root);
  const second = start(loop.root, RUN);
  await eventually(() => generations(loop.root) > before || second.child.exitCode !== null);
  expect(second.child.exitCode).toBeNull();
  loop.letGo();
  expect((await second.ended).code).toBe(0);
  expect(faults(loop.root, { done: TWO.done, crashes: 0 })).toEqual([]);
});

describe('a slice of six, one at a time', () => {
  const SIX = { items: 6, slice: 6, concurrency: 1 };
  const all = ['a', 'b', 'c', 'd', 'e', 'f'];

  const byFile = (root: string) => writeFileSync(join(root, '.jez/PAUSE'), '');
  const byState = (root: string) => replaceInState(root, 'paused: false', 'paused: true');

  test.each([
    { name: 'PAUSE', pause: byFile, resume: (root: string) => rmSync(join(root, '.jez/PAUSE')) },
    {
      name: 'paused: true',
      pause: byState,
      resume: (root: string) => replaceInState(root, 'paused: true', 'paused: false'),
    },
  ])(
    'F3, A46, case E5: after $name nothing more is started, and the rest costs nothing',
    LIMIT,
    async ({ name, pause, resume }) => {
      const loop = await heldLoop(here, `six-${name.length}`, SIX);
      loop.hold();
      const { ended } = start(loop.root, ['tick', '--wait']);
      await loop.called(1);
      pause(loop.root);
      loop.letGo();
      expect(await ended).toMatchObject({ code: 0, error: '' });
      expect(loop.calls()).toHaveLength(1);
      await pawl(loop.root, ['tick']);
      expect(loop.calls()).toHaveLength(1);
      resume(loop.root);
      await finish(loop, { done: all, crashes: 0 });
      expect(stateOf(loop.root).today.count).toBe(6);
    },
  );

  test('case E5: a usage limit with queued jobs ends the tick cleanly', LIMIT, async () => {
    const limit = `read -r job; echo x >> "$PAWL_ROOT.calls"
echo '{"type":"result","outcome":"failed","summary":"","error":{"class":"limit","message":"usage limit"}}'
`;
    const loop = await heldLoop(here, 'limit', { ...SIX, worker: limit });
    expect(await pawl(loop.root, ['tick', '--wait'])).toMatchObject({ code: 0, error: '' });
    expect(loop.calls()).toHaveLength(1);
    expect(openClaim(loop.root)).toBeNull();
    const { waitingUntil, today, inFlight } = stateOf(loop.root);
    expect({ today, inFlight }).toMatchObject({ today: { count: 0 }, inFlight: [] });
    expect(waitingUntil).not.toBeNull();
    expect(JSON.parse(readFileSync(join(loop.root, '.jez/ticks/0003.json'), 'utf8')).state).toBe('closed');
  });
});

/** As an editor does: a new file, renamed over the old one. */
function replaceInState(root: string, from: string, to: string): void {
  const path = join(root, '.jez/state.md');
  writeFileSync(`${path}~`, readFileSync(path, 'utf8').replace(from, to));
  renameSync(`${path}~`, path);
}
