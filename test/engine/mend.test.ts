import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Claim, FiledBatch, Result, State } from '../../src/core/model.ts';
import { realMachine } from '../../src/engine/machine.ts';
import { mendState } from '../../src/engine/mend.ts';
import { newState, parseState, printState } from '../../src/formats/state.ts';
import { realClock } from '../../src/store/clock.ts';
import { realProcesses } from '../../src/store/process.ts';
import { Workspace } from '../../src/store/workspace.ts';
import { folder } from '../support/workspace.ts';

const DAY = '2026-06-09';
const clock = { ...realClock, now: () => new Date(`${DAY}T12:00:00Z`) };
const hands = { ...realMachine, clock };

const LOOP = `---
cohort: Pages
done_when: each is checked
source: { kind: folder, path: "docs/*.md" }
timezone: UTC
---
`;

const RULES = `L7: { state: queued, key: http.429, rule: Wait then retry., level: 1, tick: 40, day: ${DAY}, items: [a] }
L8: { state: queued, key: "text:look twice.", rule: Look twice., level: 1.5, tick: 41, day: ${DAY}, items: [b] }
L9: { state: vetoed, key: x, rule: Never., level: 1, tick: 41, day: ${DAY}, items: [b] }
`;

const claim = (batch: number, tick: number, runs: number[], before: { count: number; done: number }) =>
  JSON.stringify({
    ...{ v: 1, batch, tick, generation: 1, day: DAY, version: 0, streak: 1, until: `${DAY}T13:00:00Z` },
    at: { time: `${DAY}T11:00:00Z`, boot: realClock.bootId(), uptime: 1 },
    launcher: realProcesses.self(),
    before: { day: DAY, ...before, cursor: before.done, uptime: { boot: '', buckets: {} } },
    runs: runs.map((run) => ({ run, item: `docs/${run}.md`, attempt: 1, prior: null })),
  } satisfies Omit<Claim, 'settings' | 'contract'>);

const done = (run: number) =>
  JSON.stringify({ run, item: `docs/${run}.md`, outcome: 'done', error: null } satisfies Partial<Result>);

/** A loop in the middle of its day: 12 dispatched, 3 of them running in batch 8; 9 done. */
const REAL = { tick: 42, doneCount: 9, cursor: 9, count: 12 };
const FILES = {
  '.jez/loop.md': LOOP,
  '.jez/rules.yaml': RULES,
  '.jez/batches/0007/claim.json': claim(7, 41, [5, 6], { count: 7, done: 7 }),
  '.jez/batches/0007/filed.json': JSON.stringify({
    v: 1,
    batch: 7,
    tick: 42,
    runs: [5, 6],
    free: 0,
    stalled: false,
  } satisfies FiledBatch),
  '.jez/batches/0008/claim.json': claim(8, 42, [7, 8, 9], { count: 9, done: 9 }),
  '.jez/runs/0005-docs%2F5.md/result.json': done(5),
  ...Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`docs/${n}.md`, `---\nchecked: ${DAY}\n---\n`])),
};

const STATE: State = {
  ...parseState(Buffer.from(newState({ day: DAY })), 'state.md'),
  ...{ tick: 42, cursor: 9, doneCount: 9, today: { date: DAY, count: 12, errorsInARow: 2 } },
  inFlight: [7, 8, 9].map((run) => {
    return {
      batch: 8,
      run,
      item: `docs/${run}.md`,
      since: `${DAY}T11:00:00Z`,
      until: `${DAY}T13:00:00Z`,
      host: 'here',
    };
  }),
  queuedLearnings: [
    { id: 'L7', tick: 40, target: 'http.429', level: 1, rule: 'Wait then retry.', veto: true },
    { id: 'L8', tick: 41, target: null, level: 1.5, rule: 'Look twice.', veto: false },
  ],
};

const bytes = printState(Buffer.from(newState({ day: DAY })), STATE, 'state.md');

const isValid = (part: Uint8Array) => {
  try {
    return parseState(part, 'state.md') !== null;
  } catch {
    return false;
  }
};

test('case C5: cut anywhere, state.md comes back paused, with no count below the real one, and the old bytes kept', async () => {
  const at = folder(FILES);
  const workspace = new Workspace(at.root);
  for (let length = 0; length < bytes.length; length += 7) {
    const torn = bytes.subarray(0, length);
    if (isValid(torn)) continue;
    writeFileSync(workspace.state(), torn);
    await mendState(hands, workspace);
    const state = parseState(readFileSync(workspace.state()), 'state.md');
    expect(state.paused).toBe(true);
    const kept = /state\.md\.corrupt-[^ ;]+/.exec(state.pauseReason ?? '')?.[0] ?? '';
    expect(readFileSync(at.path(`.jez/${kept}`)).equals(torn)).toBe(true);
    expect(state.tick).toBeGreaterThanOrEqual(REAL.tick);
    expect(state.doneCount).toBeGreaterThanOrEqual(8);
    expect(state.today).toMatchObject({ date: DAY });
    expect(state.today.count).toBeGreaterThanOrEqual(REAL.count);
    expect(state.inFlight.map(({ run }) => run)).toEqual([7, 8, 9]);
    expect(state.queuedLearnings.map(({ id }) => id)).toEqual(['L7', 'L8']);
  }
});

test('a state.md that can be read is left as it is', async () => {
  const at = folder({ ...FILES, '.jez/state.md': bytes });
  expect(await mendState(hands, new Workspace(at.root))).toBeNull();
  expect(readFileSync(at.path('.jez/state.md')).equals(bytes)).toBe(true);
  expect(readdirSync(at.path('.jez')).filter((name) => name.includes('corrupt'))).toEqual([]);
});

test('case C5: what is still legible only ever raises a count, and a legible veto holds', async () => {
  const at = folder({ ...FILES, '.jez/state.md': `<<<<<<< mine\n${bytes}`.replace('count: 12', 'count: 30') });
  await mendState(hands, new Workspace(at.root));
  const state = parseState(readFileSync(at.path('.jez/state.md')), 'state.md');
  expect(state).toMatchObject({ tick: 42, doneCount: 9, cursor: 9, today: { count: 30, errorsInARow: 2 } });
  expect(state.queuedLearnings.map(({ id, veto, target, level }) => [id, veto, target, level])).toEqual([
    ['L7', true, 'http.429', 1],
    ['L8', false, null, 1.5],
  ]);
});

test('case C5: without batches, or a loop.md that can be read, it is rebuilt from what is left', async () => {
  const at = folder({
    '.jez/loop.md': 'no settings',
    '.jez/state.md': `${bytes}`.replace('paused: false', 'paused: perhaps'),
  });
  await mendState(hands, new Workspace(at.root));
  const state = parseState(readFileSync(at.path('.jez/state.md')), 'state.md');
  expect(state).toMatchObject({
    paused: true,
    tick: 42,
    doneCount: 9,
    today: { date: DAY, count: 12 },
    inFlight: [],
    queuedLearnings: [],
  });
});
