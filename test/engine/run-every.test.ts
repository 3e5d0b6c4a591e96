import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { run } from '../../src/engine/run.ts';
import type { Worker } from '../../src/executors/executor.ts';
import { Workspace } from '../../src/store/workspace.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { memoryMachine } from '../support/memory-machine.ts';

// `pawl run --every`: the timers of Node stand for an hour in a moment, the clocks of the machine go with them.

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const STEP = MINUTE / 2;
const TURNS = 10;
const WORKSPACE = new Workspace('/w');
const LOOP = `---
cohort: a few items
done_when: all are checked
source: { kind: folder, path: "items/*.md", mark: { field: checked } }
workspace: { kind: scratch, copy_in: [], outputs: [] }
executor: { kind: command, run: [worker] }
slice: 1
caps: { items_per_day: 90 }
timezone: America/New_York
---
## Boundary
none
`;
const ITEMS = 90;

const worker: Worker = async () => ({
  ...{ outcome: 'done', summary: '', error: null, fields: {}, learnings: [] },
  ...{ surprises: [], unsure: [], usage: {} },
});

const fake = () =>
  void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });

beforeAll(async () => {
  // What a run loads on use takes real time, in which the minutes of the first test would go by.
  fake();
  const loop = await running('2026-06-09T08:00:10Z', MINUTE);
  while (loop.ticks.length < 2) await loop.pass(MINUTE);
  await loop.end();
});
beforeEach(fake);
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

/** A loop that ticks in this process from `start` on. `ticks`: when its ticks for something new came, in minutes from then. */
async function running(start: string, everyMs: number) {
  vi.setSystemTime(new Date(start));
  const disk = new MemoryDisk();
  for (let index = 0; index < ITEMS; index++) disk.write(`/w/items/${100 + index}.md`, 'Text.\n');
  disk.write('/w/.jez/state.md', '---\npaused: false\n---\n');
  disk.write('/w/.jez/loop.md', LOOP);
  const begun = Date.now();
  const aborted = new AbortController();
  const ticks: number[] = [];
  let looked = () => {};
  const first = new Promise<void>((resolve) => {
    looked = resolve;
  });
  const ended = run({
    workspace: WORKSPACE,
    machine: memoryMachine(disk, begun, Date.now, worker),
    everyMs,
    until: 'never',
    signal: aborted.signal,
    ticked: ({ launched }) => {
      looked();
      if (launched !== null) ticks.push(Math.round((Date.now() - begun) / MINUTE));
    },
    progress: () => {},
  });
  await first;
  return {
    ticks,
    /** In steps, between which a tick has the time it takes. */
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += STEP) {
        await vi.advanceTimersByTimeAsync(STEP);
        for (let turn = 0; turn < TURNS; turn++) await new Promise(setImmediate);
      }
    },
    /** The process stands still for so long: not one of its timers fires meanwhile. */
    freeze: (ms: number) => vi.setSystemTime(Date.now() + ms),
    async end() {
      aborted.abort();
      await ended;
    },
  };
}

/** Minutes between one tick and the next, from 0 on, when the first one looked and started nothing. */
const gaps = (ticks: readonly number[]) => ticks.map((at, index) => at - (ticks[index - 1] ?? 0));

test.each([7, 13, 15, 45, 61])(
  'an interval of %i minutes is kept, whether or not it divides an hour',
  async (every) => {
    const loop = await running('2026-06-09T08:00:10Z', every * MINUTE);
    await loop.pass(5 * HOUR);
    await loop.end();
    expect(gaps(loop.ticks)).toEqual(Array(Math.floor(300 / every)).fill(every));
  },
);

test('case C1: no tick is lost or doubled in the hours in which the clocks of the zone are changed', async () => {
  vi.stubEnv('TZ', 'America/New_York');
  for (const night of ['2026-11-01T04:50:10Z', '2026-03-08T05:50:10Z']) {
    const loop = await running(night, 15 * MINUTE);
    await loop.pass(4 * HOUR);
    await loop.end();
    expect(gaps(loop.ticks)).toEqual(Array(16).fill(15));
  }
});

test('case C3: after hours asleep or stopped exactly one tick catches up, within a minute of waking, and nothing is printed', async () => {
  const printed = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error'), vi.spyOn(console, 'log')];
  const loop = await running('2026-06-09T08:00:10Z', 15 * MINUTE);
  await loop.pass(32 * MINUTE);
  expect(loop.ticks).toEqual([15, 30]);
  loop.freeze(6 * HOUR);
  await loop.pass(MINUTE);
  expect(loop.ticks).toHaveLength(3);
  await loop.pass(13 * MINUTE);
  expect(loop.ticks).toHaveLength(3);
  await loop.pass(3 * MINUTE);
  await loop.end();
  const [, , caught = 0, next = 0] = loop.ticks;
  expect(loop.ticks).toHaveLength(4);
  expect(next - caught).toBe(15);
  for (const spy of printed) expect(spy).not.toHaveBeenCalled();
});
