import { existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { realClock } from '../../src/store/clock.ts';
import { realDisk } from '../../src/store/disk.ts';
import { acquire, acquireWithin, fenced, type Held, type LockOptions } from '../../src/store/lock.ts';
import { realProcesses } from '../../src/store/process.ts';
import { lockWorkers, type Worker } from '../support/workers.ts';
import { folder } from '../support/workspace.ts';

const workers = lockWorkers();
const HOUR_MS = 3_600_000;
/** Silence is noticed soon, and a beat in time is still far more often than that. */
const SOON = { ttlMs: 200, observeMs: 200, beatMs: 20 };

const options = (lock: string, settings: Partial<LockOptions> = {}): LockOptions => ({
  disk: realDisk,
  folder: lock,
  processes: realProcesses,
  clock: realClock,
  ...settings,
});

/** For a lock that has to be free: it is taken on the first try. */
async function take(lock: string, settings: Partial<LockOptions> = {}): Promise<Held> {
  const held = await acquire(options(lock, settings));
  if (held === null) throw new Error('the lock is held elsewhere');
  onTestFinished(() => held.release());
  return held;
}

const one = () => workers(1)[0] as Worker;
const numbers = (answers: unknown[]) => answers.filter((answer) => typeof answer === 'number');

/** What a holder that was killed leaves behind; with a `gate` of that age in ms when one is given. */
function deadHolder(lock: string, gateAgeMs?: number) {
  mkdirSync(lock, { recursive: true });
  const dead = { gen: 1, ...realProcesses.self(), start: '1', at: '2026-06-09T08:15:00.000Z', uptime: 1 };
  writeFileSync(`${lock}/g0000000001`, JSON.stringify(dead));
  if (gateAgeMs !== undefined) leaveGate(lock, gateAgeMs);
}

function leaveGate(lock: string, ageMs: number) {
  mkdirSync(`${lock}/gate`, { recursive: true });
  const stamp = new Date(Date.now() - ageMs);
  utimesSync(`${lock}/gate`, stamp, stamp);
}

test('A25: twenty processes start at once on a fresh lock: one has it', async () => {
  const all = workers(20);
  const { path } = folder();
  await Promise.all(all.map((worker) => worker.ask({ do: 'release' })));
  const at = Date.now() + 100;
  const answers = await Promise.all(all.map((worker) => worker.ask({ do: 'acquire', folder: path('lock'), at })));
  expect(numbers(answers)).toEqual([1]);
});

test('case B1, case B4: twenty processes at once on the lock of a dead holder: always exactly one', async () => {
  const all = workers(20);
  const { path } = folder();
  await Promise.all(all.map((worker) => worker.ask({ do: 'release' })));
  for (let round = 0; round < 50; round++) {
    const lock = path(`lock-${round}`);
    // Without a gate, with one that is fresh, and with one that all judge stale and replace.
    deadHolder(lock, [undefined, 0, HOUR_MS][round % 3]);
    const at = Date.now() + 40;
    const answers = await Promise.all(all.map((worker) => worker.ask({ do: 'acquire', folder: lock, at })));
    expect(numbers(answers), `round ${round}`).toEqual([2]);
  }
});

test('each holder has the generation after the one before', async () => {
  const { path } = folder();
  for (let generation = 1; generation <= 3; generation++) {
    const held = await take(path('lock'));
    expect(held.generation).toBe(generation);
    expect(await acquire(options(path('lock')))).toBeNull();
    await held.release();
  }
});

test('the record of a generation names its holder and the boot clock', async () => {
  const { path, read } = folder();
  await take(path('lock'));
  expect(JSON.parse(read('lock/g0000000001'))).toEqual({
    gen: 1,
    ...realProcesses.self(),
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    uptime: expect.any(Number),
  });
});

test('the last sixteen generations are kept, with their releases', async () => {
  const { path } = folder();
  for (let turn = 0; turn < 20; turn++) await (await take(path('lock'), { gate: turn % 2 === 0 })).release();
  const names = Array.from({ length: 16 }, (_, n) => `g00000000${String(n + 5).padStart(2, '0')}`);
  expect(readdirSync(path('lock')).sort()).toEqual(names.flatMap((name) => [name, `${name}.rel`]));
});

test('case B3: the late release of an overtaken holder does not free the lock of the new one', async () => {
  const { path } = folder();
  const late = one();
  await late.ask({ do: 'move-namespace' });
  await late.ask({ do: 'acquire', folder: path('lock'), settings: { ...SOON, beatMs: HOUR_MS } });
  const held = await acquireWithin(options(path('lock'), SOON), 60_000);
  expect(held?.generation).toBe(2);
  await late.ask({ do: 'release' });
  expect(existsSync(path('lock/gate'))).toBe(true);
  expect(held?.lost()).toBe(false);
  expect(await acquire(options(path('lock')))).toBeNull();
  await held?.release();
});

test('a stopped holder that was overtaken is refused at its next write, twenty times of twenty', async () => {
  const { path } = folder();
  const holder = one();
  await holder.ask({ do: 'move-namespace' });
  for (let turn = 0; turn < 20; turn++) {
    expect(await holder.ask({ do: 'acquire', folder: path('lock'), settings: SOON })).toBe(2 * turn + 1);
    expect(await holder.ask({ do: 'write', path: path(`before-${turn}`) })).toBeNull();
    holder.signal('SIGSTOP');
    const held = await acquireWithin(options(path('lock'), { ...SOON, ttlMs: 100, observeMs: 60 }), 60_000);
    expect(held?.generation).toBe(2 * turn + 2);
    holder.signal('SIGCONT');
    expect(await holder.ask({ do: 'write', path: path(`after-${turn}`) })).toBe('E_FENCED');
    expect(existsSync(path(`after-${turn}`))).toBe(false);
    await held?.release();
  }
});

test('a holder that was away for so long that its generation was tidied away is refused too', async () => {
  const { path } = folder();
  const holder = one();
  await holder.ask({ do: 'move-namespace' });
  await holder.ask({ do: 'acquire', folder: path('lock'), settings: { ...SOON, beatMs: HOUR_MS } });
  const second = await acquireWithin(options(path('lock'), SOON), 60_000);
  await second?.release();
  for (let turn = 0; turn < 17; turn++) await (await take(path('lock'), { gate: false })).release();
  expect(existsSync(path('lock/g0000000002'))).toBe(false);
  expect(await holder.ask({ do: 'write', path: path('late') })).toBe('E_FENCED');
});

test('a contender that was away while its generation came and was tidied away withdraws', async () => {
  const { path } = folder();
  deadHolder(path('lock'));
  for (let turn = 0; turn < 17; turn++) await (await take(path('lock'), { gate: false })).release();
  const before = readdirSync(path('lock'));
  // It looked at the folder when only the dead holder was there.
  deadHolder(path('lock'));
  const looks = [['g0000000001']];
  const late = { ...realDisk, list: (at: string) => looks.pop() ?? realDisk.list(at) };
  expect(await acquire(options(path('lock'), { gate: false, disk: late }))).toBeNull();
  expect(readdirSync(path('lock')).filter((name) => name !== 'g0000000001')).toEqual(before);
});

test('a holder in another pid namespace that beats keeps its lock, also before a clock an hour ahead (case B8)', async () => {
  const { path } = folder();
  const [holder, ahead] = workers(2) as [Worker, Worker];
  await holder.ask({ do: 'move-namespace' });
  await holder.ask({ do: 'acquire', folder: path('lock'), settings: SOON });
  await ahead.ask({ do: 'shift-clock', ms: HOUR_MS });
  const settings = { ...SOON, observeMs: 1_000 };
  expect(await ahead.ask({ do: 'acquire', folder: path('lock'), settings })).toBeNull();
  expect(await acquire(options(path('lock'), settings))).toBeNull();
  expect(await holder.ask({ do: 'write', path: path('still-mine') })).toBeNull();
});

test('a heartbeat from the future is no sign of life once it does not move', async () => {
  const { path } = folder();
  deadHolder(path('lock'));
  const elsewhere = { gen: 1, ...realProcesses.self(), namespace: 'pid:[1]', uptime: 1 };
  writeFileSync(path('lock/g0000000001'), JSON.stringify(elsewhere));
  const ahead = new Date(Date.now() + HOUR_MS);
  utimesSync(path('lock/g0000000001'), ahead, ahead);
  expect((await take(path('lock'), SOON)).generation).toBe(2);
});

test('case B8: a contender whose clock is an hour ahead does not steal', async () => {
  const { path } = folder();
  const [holder, ahead] = workers(2) as [Worker, Worker];
  await holder.ask({ do: 'acquire', folder: path('lock') });
  await ahead.ask({ do: 'shift-clock', ms: HOUR_MS });
  for (let turn = 0; turn < 3; turn++)
    expect(await ahead.ask({ do: 'acquire', folder: path('lock'), settings: { gate: turn < 2 } })).toBeNull();
  expect(await holder.ask({ do: 'write', path: path('still-mine') })).toBeNull();
});

test('case B6: after kill -9 of the holder the first try succeeds', async () => {
  const { path } = folder();
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const holder = one();
    const generation = (await holder.ask({ do: 'acquire', folder: path('lock') })) as number;
    holder.signal(signal);
    await holder.ended;
    const held = await take(path('lock'));
    expect(held.generation).toBe(generation + 1);
    await held.release();
  }
});

test('a stopped holder on this machine keeps its lock', async () => {
  const { path } = folder();
  const holder = one();
  await holder.ask({ do: 'acquire', folder: path('lock'), settings: SOON });
  holder.signal('SIGSTOP');
  expect(await acquireWithin(options(path('lock'), SOON), 500)).toBeNull();
  holder.signal('SIGCONT');
  expect(await holder.ask({ do: 'write', path: path('still-mine') })).toBeNull();
});

test('a holder blocked for longer than its gate is fresh is not robbed', async () => {
  const { path } = folder();
  const holder = one();
  await holder.ask({ do: 'acquire', folder: path('lock') });
  const blocked = holder.ask({ do: 'block', ms: 6_500 });
  expect(await acquireWithin(options(path('lock')), 6_400)).toBeNull();
  await blocked;
  expect(await holder.ask({ do: 'write', path: path('still-mine') })).toBeNull();
  await holder.ask({ do: 'release' });
  const held = await take(path('lock'));
  expect(held.generation).toBe(2);
  await held.release();
  expect(existsSync(path('lock/gate'))).toBe(false);
});

test('a holder past the hard limit is ended before its lock is taken, stopped or not', async () => {
  const { path } = folder();
  const [awake, stopped] = workers(2) as [Worker, Worker];
  await awake.ask({ do: 'acquire', folder: path('lock') });
  const first = await acquireWithin(options(path('lock'), { hardLimitMs: 30 }), 60_000);
  expect(first?.generation).toBe(2);
  await awake.ended;
  await first?.release();

  await stopped.ask({ do: 'acquire', folder: path('lock') });
  stopped.signal('SIGSTOP');
  const second = await acquireWithin(options(path('lock'), { hardLimitMs: 30 }), 60_000);
  expect(second?.generation).toBe(4);
  await stopped.ended;
  await second?.release();
});

test('a process never ends itself for being past the hard limit', async () => {
  const { path } = folder();
  await take(path('lock'));
  expect(await acquireWithin(options(path('lock'), { hardLimitMs: -1 }), 50)).toBeNull();
});

test('case B5: three take turns while a fourth deletes old lock files: never two at once', async () => {
  const { path, root } = folder();
  const [tidier, ...turners] = workers(4) as [Worker, ...Worker[]];
  const tidied = tidier.ask({ do: 'tidy', folder: path('lock'), stop: path('stop') });
  const overlaps = await Promise.all(
    turners.map((worker) => worker.ask({ do: 'take-turns', folder: path('lock'), turns: 25 })),
  );
  writeFileSync(`${root}/stop`, '');
  expect(overlaps).toEqual([0, 0, 0]);
  expect(await tidied).toBeGreaterThan(0);
  expect((await take(path('lock'))).generation).toBe(76);
});

test('a gate left behind, fresh, old or from the future, costs no try and is gone after the next release', async () => {
  const { path } = folder();
  deadHolder(path('lock'));
  let generation = 1;
  for (const ageMs of [0, 10 * HOUR_MS, -HOUR_MS]) {
    leaveGate(path('lock'), ageMs);
    const held = await take(path('lock'));
    expect(held.generation).toBe(++generation);
    expect(Math.abs(statSync(path('lock/gate')).mtimeMs - Date.now())).toBeLessThan(HOUR_MS / 2);
    await held.release();
    expect(existsSync(path('lock/gate'))).toBe(false);
  }
});

test('a gate that is a file or a full folder does not stop the loop', async () => {
  const { path } = folder();
  for (const gate of ['lock/gate', 'other/gate/file']) {
    mkdirSync(path(gate.replace(/\/[^/]+$/, '')), { recursive: true });
    writeFileSync(path(gate), '');
    const held = await take(path(gate.split('/')[0] as string));
    expect(held.generation).toBe(1);
    await held.release();
  }
});

test('a contender that was refused leaves no gate behind', async () => {
  const { path } = folder();
  await take(path('lock'), { gate: false });
  expect(await acquire(options(path('lock')))).toBeNull();
  expect(existsSync(path('lock/gate'))).toBe(false);
});

test('a holder that lost its lock leaves the gate to the new one, even by ending', async () => {
  const { path } = folder();
  const late = one();
  await late.ask({ do: 'move-namespace' });
  await late.ask({ do: 'acquire', folder: path('lock'), settings: { ...SOON, beatMs: HOUR_MS } });
  const held = await acquireWithin(options(path('lock'), SOON), 60_000);
  expect(await late.ask({ do: 'write', path: path('late') })).toBe('E_FENCED');
  await late.ask({ do: 'let-go' }).catch(() => null);
  await late.ended;
  expect(existsSync(path('lock/gate'))).toBe(true);
  await held?.release();
  expect(existsSync(path('lock/gate'))).toBe(false);
});

test('a lock that is held keeps no process alive', async () => {
  const { path } = folder();
  const holder = one();
  await holder.ask({ do: 'acquire', folder: path('lock') });
  await holder.ask({ do: 'let-go' }).catch(() => null);
  expect(await holder.ended).toEqual([0, null]);
  expect((await take(path('lock'))).generation).toBe(2);
});

test('a lock record nobody can read is judged by its heartbeat alone', async () => {
  const { path } = folder({ 'lock/g0000000007': '{"gen": 7, "pid"' });
  expect(await acquire(options(path('lock')))).toBeNull();
  expect((await acquireWithin(options(path('lock'), { ttlMs: 100, observeMs: 50 }), 60_000))?.generation).toBe(8);
});

test('PAWL_NOW says nothing about who lives', async () => {
  const { path } = folder({ 'lock/g0000000001': 'unreadable, so judged by its age' });
  onTestFinished(() => {
    delete process.env.PAWL_NOW;
  });
  process.env.PAWL_NOW = '2099-01-01T00:00:00Z';
  expect(await acquire(options(path('lock'), { observeMs: 0 }))).toBeNull();
});

test('what is released, lost or whose folder was deleted may change nothing, and reads on', async () => {
  const { path, read } = folder({ 'a.md': 'before' });
  const held = await take(path('lock'));
  const disk = fenced(realDisk, held);
  disk.append(path('a.md'), ', while held');
  expect(held.lost()).toBe(false);
  await held.release();
  await held.release();
  const changes = [
    () => disk.create(path('b'), ''),
    () => disk.append(path('a.md'), ''),
    () => disk.rename(path('a.md'), path('b')),
    () => disk.link(path('a.md'), path('b')),
    () => disk.unlink(path('a.md')),
    () => disk.makeFolder(path('b')),
    () => disk.removeFolder(path('lock')),
  ];
  for (const change of changes) expect(change).toThrow(expect.objectContaining({ code: 'E_FENCED' }));
  expect(disk.read(path('a.md'))?.toString()).toBe(read('a.md'));
  expect(read('a.md')).toBe('before, while held');
});

test('a holder whose lock folder somebody deleted has lost it', async () => {
  const { path } = folder();
  const held = await take(path('lock'), { gate: false });
  for (const name of readdirSync(path('lock'))) realDisk.unlink(`${path('lock')}/${name}`);
  expect(held.lost()).toBe(true);
  expect(() => held.assertHeld()).toThrow(expect.objectContaining({ code: 'E_FENCED' }));
});
