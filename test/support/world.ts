import type { EndedBatch } from '../../src/core/collect.ts';
import type { Sighting } from '../../src/core/filing.ts';
import type { Claim, Item, Learning, OutcomeLine, Procedure, ProcessId, Result, State } from '../../src/core/model.ts';
import type { Rule } from '../../src/core/rule.ts';
import { emptyTally } from '../../src/core/tally.ts';
import { emptyJournal, foldLine, type Journal } from '../../src/core/trail.ts';
import type { Blocks, Version } from '../../src/core/version.ts';
import type { World } from '../../src/core/world.ts';

export const NOW = '2026-06-09T08:15:00.000Z';
export const DAY = '2026-06-09';
export const SELF: ProcessId = { pid: 100, start: '5', boot: 'boot-1', namespace: 'pid:[1]', host: 'here' };

/** Settings in which nothing stops the loop; a test names only what it changes. */
export function procedure(change: Partial<Procedure> = {}): Procedure {
  return {
    cohort: 'pages',
    doneWhen: 'all are checked',
    source: {
      ...{ kind: 'folder', path: 'docs/**/*.md', mark: { field: 'checked', value: null, todo: [] }, write: [] },
      ...{ id: null, to: null, run: [], env: [] },
    },
    workspace: { kind: 'scratch', copyIn: ['{path}'], outputs: [] },
    executor: { kind: 'command', run: ['worker'], env: [], silenceMinutes: null },
    check: null,
    slice: 3,
    concurrency: 2,
    tries: 3,
    reruns: 2,
    caps: { itemsPerDay: 40, usdPerDay: null, tokensPerDay: null, minutesPerItem: 30 },
    pauseAfterErrors: 3,
    timezone: 'UTC',
    window: { ticks: 1, hours: 0 },
    learn: { mode: 'on', sightings: 1, perDay: 5 },
    sideEffects: 'none',
    shadow: false,
    ...change,
  };
}

export function state(change: Partial<State> = {}): State {
  return {
    paused: false,
    pauseReason: null,
    tick: 40,
    cursor: 0,
    doneCount: 0,
    today: { date: DAY, count: 0, errorsInARow: 0 },
    waitingUntil: null,
    inFlight: [],
    queuedLearnings: [],
    ...change,
  };
}

/** A quiet world: nothing ended, nothing to do. */
export function world(change: Partial<World> = {}): World {
  return {
    now: NOW,
    day: DAY,
    time: '08:15',
    nextMidnight: '2026-06-10T00:00:00.000Z',
    boot: { id: 'boot-1', uptime: 100_000 },
    self: SELF,
    generation: 7,
    tick: 41,
    light: false,
    collectOnly: false,
    version: 0,
    state: state(),
    procedure: procedure(),
    versions: [],
    blocks: { 'contract.md': [], 'loop.md': [] },
    readable: true,
    refusal: null,
    contract: { before: 'Do it well.\n', after: '', told: '' },
    ended: [],
    running: [],
    tally: emptyTally,
    journal: emptyJournal,
    fresh: [],
    others: [],
    refused: [],
    inShadow: 0,
    complete: true,
    nextBatch: 10,
    nextRun: 20,
    rules: [],
    nextLearning: 1,
    stalled: false,
    lastStop: null,
    answers: [],
    approvals: [],
    ...change,
  };
}

/** An entry of rules.yaml. */
export function rule(change: Partial<Rule> = {}): Rule {
  return {
    ...{ id: 'L1', state: 'held', key: 'text:be kind', rule: 'Be kind.', level: 1, tick: 3, day: '2026-06-01', at: '' },
    ...{ items: [], runs: [], version: 0, approved: false, why: '' },
    ...change,
  };
}

/** A learning of tick 40, as state.md has it. */
export function learning(id: string, change: Partial<Learning> = {}): Learning {
  return { id, tick: 40, target: null, level: 1, rule: `Mind what ${id} says.`, veto: false, ...change };
}

/** Lines of contract.md's block, and of loop.md's. */
export const blocks = (contract: string[] = [], loop: string[] = []): Blocks => ({
  'contract.md': contract,
  'loop.md': loop,
});

/** A version that the loop made of its parent, the one before it; 0 is the text as it came. */
export function version(n: number, change: Partial<Version> = {}): Version {
  return {
    ...{
      n,
      parent: Math.max(0, n - 1),
      tick: 10 + n,
      day: DAY,
      at: NOW,
      by: n === 0 ? 'human' : 'loop',
      cause: 'learned',
    },
    ...{ applied: [], retired: [], blocks: blocks(), bad: null },
    ...change,
  };
}

export function item(id: string, change: Partial<Item> = {}): Item {
  return { id, title: id, path: id, body: '', fields: {}, mark: null, refused: null, ...change };
}

export const items = (...ids: string[]): Item[] => ids.map((id) => item(id));

/** A claim of batch 9 with these items as runs 10, 11, ... */
export function claim(ids: readonly string[], change: Partial<Claim> = {}): Claim {
  const { executor, workspace, source, concurrency, caps, pauseAfterErrors, check, shadow } = procedure();
  return {
    v: 1,
    batch: 9,
    tick: 40,
    generation: 6,
    day: DAY,
    at: { time: '2026-06-09T08:00:00.000Z', boot: 'boot-1', uptime: 99_100 },
    version: 0,
    launcher: SELF,
    streak: 0,
    before: { ...emptyTally, done: 0, cursor: 0 },
    until: '2026-06-09T09:05:00.000Z',
    runs: ids.map((id, index) => ({ run: 10 + index, item: id, attempt: 1, prior: null })),
    settings: { executor, workspace, source, concurrency, caps, pauseAfterErrors, check, shadow },
    contract: { version: 0, text: 'Do it well.' },
    ...change,
  };
}

export function result(id: string, change: Partial<Result> = {}): Result {
  return {
    ...{ v: 1, run: 10, item: id, attempt: 1, version: 0, outcome: 'done', summary: 'did it', error: null, fields: {} },
    ...{ outputs: {}, learnings: [], surprises: [], unsure: [], usage: {} },
    ...{ startedAt: '2026-06-09T08:00:01.000Z', endedAt: '2026-06-09T08:00:03.000Z', by: 'supervisor' },
    ...change,
  };
}

export const failure = (id: string, change: Partial<Result> = {}): Result =>
  result(id, { outcome: 'failed', error: { class: 'item', message: 'exit 1' }, ...change });

/** How a result stands against its item when nobody touched anything meanwhile. */
export function sighting(of: Result, change: Partial<Sighting> = {}): Sighting {
  const marks = of.outcome === 'done' || of.outcome === 'nothing';
  return {
    result: of,
    item: marks ? { as: 'marked', kept: [] } : null,
    outputs: [],
    ownTaken: true,
    late: false,
    ...change,
  };
}

/** A batch in which each run left one of `results`; their run numbers follow from their place. */
export function ended(results: readonly Result[], change: Partial<Claim> = {}): EndedBatch {
  const of = claim(
    results.map(({ item: id }) => id),
    change,
  );
  return { claim: of, sightings: results.map((each, index) => sighting({ ...each, run: of.runs[index]?.run ?? 0 })) };
}

/** A line of outcomes.jsonl: a failure of class `item`. */
export function line(id: string, run: number, change: object = {}): Exclude<OutcomeLine, { release: string }> {
  return {
    ...{ v: 1, run, item: id, attempt: 1, version: 0, tick: run, day: DAY, outcome: 'failed', class: 'item' },
    ...{ message: 'exit 1', ms: 1000, usage: {} },
    ...change,
  };
}

/** What a tick would know of the past after these lines. */
export function journal(...lines: OutcomeLine[]): Journal {
  const folded = structuredClone(emptyJournal);
  for (const each of lines) foldLine(folded, each);
  return folded;
}

/** Any change of it, at any depth, throws from here on. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const each of Object.values(value)) frozen(each);
  }
  return value;
}
