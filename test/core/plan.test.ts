import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { later } from '../../src/core/day.ts';
import type { ErrorClass, Learning, OutcomeName, Procedure } from '../../src/core/model.ts';
import { plan } from '../../src/core/plan.ts';
import { emptyTally, room } from '../../src/core/tally.ts';
import type { World } from '../../src/core/world.ts';
import { parseState, printState } from '../../src/formats/state.ts';
import {
  claim,
  DAY,
  ended,
  failure,
  frozen,
  item,
  items,
  journal,
  line,
  NOW,
  procedure,
  result,
  state,
  world,
} from '../support/world.ts';

const taken = (of: World) => plan(of).claim?.runs.map(({ item: id }) => id) ?? [];
const caps = (change: Partial<Procedure['caps']>) => procedure({ caps: { ...procedure().caps, ...change }, slice: 5 });
const spent = (count: number) => ({ ...emptyTally, day: DAY, count });
const learning: Learning = { id: 'L1', tick: 39, target: null, level: 1, rule: 'Be kind.', veto: false };
const infra = failure('x', { error: { class: 'infra', message: 'EAI_AGAIN' } });
const limit = (retryAt?: string) =>
  failure('x', { error: { class: 'limit', message: 'later', ...(retryAt === undefined ? {} : { retryAt }) } });

describe('a slice', () => {
  test('A40: is what slice and cap leave, in order', () => {
    expect(taken(world({ fresh: items('a', 'b', 'c', 'd') }))).toEqual(['a', 'b', 'c']);
    expect(taken(world({ fresh: items('a', 'b', 'c'), tally: spent(38) }))).toEqual(['a', 'b']);
  });

  test('A60: a cap of 0 takes nothing', () => {
    expect(plan(world({ fresh: items('a'), procedure: caps({ itemsPerDay: 0 }) }))).toMatchObject({
      ...{ claim: null, stop: { name: 'daily-cap', pauses: false } },
    });
  });

  test('A42, D10: claim and count are in the plan before anything starts', () => {
    const { claim: made, state: next } = plan(world({ fresh: items('a', 'b'), tally: spent(4) }));
    expect(next.today).toEqual({ date: DAY, count: 6, errorsInARow: 0 });
    expect(next.inFlight).toEqual([
      { batch: 10, run: 20, item: 'a', since: NOW, until: '2026-06-09T08:50:00.000Z', host: 'here' },
      { batch: 10, run: 21, item: 'b', since: NOW, until: '2026-06-09T08:50:00.000Z', host: 'here' },
    ]);
    expect(made).toMatchObject({ tick: 41, generation: 7, day: DAY, version: 0, streak: 0, before: { count: 4 } });
  });

  test('an item tried before says which try it is and whose notes it starts from', () => {
    const past = journal(line('a', 5), line('a', 7));
    expect(plan(world({ others: items('a'), journal: past })).claim?.runs).toEqual([
      { run: 20, item: 'a', attempt: 3, prior: 7 },
    ]);
  });

  test('D18, A58: a light tick starts nothing and says what it checked', () => {
    const { claim: made, stop, entry } = plan(world({ tick: 1, light: true, fresh: items('a') }));
    expect([made, stop]).toEqual([null, null]);
    expect(entry).toContain('first tick');
    expect(entry).toContain('1 to do, beginning with a');
  });

  test('while a batch runs, and in the second half of --wait, nothing is taken', () => {
    expect(plan(world({ running: [claim(['a'])], fresh: items('b') }))).toMatchObject({ claim: null, entry: null });
    expect(plan(world({ collectOnly: true, fresh: items('b') })).claim).toBeNull();
  });
});

describe('filing', () => {
  test('A37: three results are three filings, done_count and cursor move on by them', () => {
    const three = ended([result('a'), result('b'), result('c')], { before: { ...spent(2), done: 50, cursor: 30 } });
    const made = plan(world({ ended: [three], state: state({ doneCount: 50, cursor: 30 }) }));
    expect(made.file.map(({ item: id }) => id)).toEqual(['a', 'b', 'c']);
    expect(made.state).toMatchObject({ doneCount: 53, cursor: 33 });
    expect(made.outcomes).toHaveLength(3);
    expect(made.spent).toEqual([{ batch: 9, runs: [10, 11, 12], free: 0, stalled: false }]);
  });

  test('A22: a batch judged again after a crash changes no count, and leaves no second line', () => {
    const three = ended([result('a'), failure('b')], { before: { ...emptyTally, done: 50, cursor: 30 } });
    const once = plan(world({ ended: [three] }));
    const again = plan(world({ ended: [three], state: once.state, journal: journal(...once.outcomes) }));
    expect(again.state).toMatchObject({ doneCount: once.state.doneCount, cursor: once.state.cursor });
    expect(again.state.today.errorsInARow).toBe(once.state.today.errorsInARow);
    expect(again.outcomes).toEqual([]);
  });

  test('a run that never started leaves no line, and is taken again at once', () => {
    const made = plan(world({ ended: [ended([result('a', { outcome: 'released' })])], others: items('a') }));
    expect(made.outcomes).toEqual([]);
    expect(made.spent[0]?.free).toBe(1);
    expect(made.claim?.runs).toMatchObject([{ item: 'a', attempt: 1 }]);
  });

  test('an item that gets its mark in this tick is not taken by it', () => {
    expect(taken(world({ ended: [ended([result('a'), failure('b')])], others: items('a', 'b') }))).toEqual(['b']);
  });
});

describe('E5: in shadow', () => {
  const settings = { ...claim(['a']).settings, shadow: true };
  const ran = () => ended([result('a'), failure('b')], { settings });

  test('a success files nothing, counts as no item done, and is not taken again', () => {
    const made = plan(world({ ended: [ran()], others: items('a', 'b'), procedure: procedure({ shadow: true }) }));
    expect(made.file).toEqual([]);
    expect(made.state).toMatchObject({ doneCount: 0, cursor: 0 });
    expect(made.outcomes).toMatchObject([{ item: 'a', outcome: 'done', shadow: true }, { item: 'b' }]);
    expect(made.claim?.runs.map(({ item: id }) => id)).toEqual(['b']);
    expect(made.entry).toContain('done a (run 0010): did it (in shadow: not filed');
    expect(journal(...made.outcomes).shadowed).toEqual({ a: true });
  });

  test('a batch that began in shadow is not filed either when shadow is off meanwhile', () => {
    expect(plan(world({ ended: [ran()], others: items('a') })).file).toEqual([]);
  });

  test('when all have run, it says where to look, and what to set', () => {
    expect(plan(world({ inShadow: 3 })).stop?.reason).toContain('set shadow: false');
  });

  test('a success that counts forgets the one in shadow', () => {
    const shadowed = line('a', 5, { outcome: 'done', class: null, shadow: true });
    expect(journal(shadowed, line('a', 6, { outcome: 'done', class: null })).shadowed).toEqual({});
  });
});

describe('stops', () => {
  test('A61, A66: three failures in a row pause, with the reason in state.md and in one entry', () => {
    const made = plan(world({ ended: [ended([failure('a'), failure('b'), failure('c')])], fresh: items('d') }));
    expect(made.claim).toBeNull();
    expect(made.state).toMatchObject({ paused: true, pauseReason: 'tick 41: 3 errors in a row' });
    expect(made.entry).toContain('- paused: 3 errors in a row');
  });

  test('A62, D7: the streak goes on over ticks and midnight', () => {
    const at = { day: '2026-06-08', streak: 2 };
    expect(plan(world({ ended: [ended([failure('a')], at)] })).state).toMatchObject({
      ...{ paused: true, today: { date: DAY, errorsInARow: 3 } },
    });
  });

  test('A65: after a person resumed, the streak is 0 and the reason gone', () => {
    const resumed = state({
      pauseReason: 'tick 40: 3 errors in a row',
      today: { date: DAY, count: 0, errorsInARow: 3 },
    });
    const made = plan(world({ state: resumed, fresh: items('a') }));
    expect(made.state).toMatchObject({ paused: false, pauseReason: null, today: { errorsInARow: 0 } });
    expect(made.claim?.runs).toHaveLength(1);
  });

  test('A65: failures a person has seen are not counted again, those of after are', () => {
    const failed = ended([failure('a'), failure('b'), failure('c')]);
    const resumed = state({ pauseReason: 'tick 40: 3 errors in a row' });
    const seen = journal(...failed.claim.runs.map(({ run, item: id }) => line(id, run)));
    expect(plan(world({ ended: [failed], state: resumed, journal: seen })).state.paused).toBe(false);
    expect(plan(world({ ended: [failed], state: resumed })).state.paused).toBe(true);
  });

  test('A69: a stop is told when it begins, not while it lasts', () => {
    const full = world({ fresh: items('a'), tally: spent(40) });
    expect(plan(full).entry).toContain('- stopped: daily cap of 40 items reached');
    expect(plan({ ...full, lastStop: { name: 'daily-cap', day: DAY } }).entry).toBeNull();
    expect(plan({ ...full, lastStop: { name: 'daily-cap', day: '2026-06-08' } }).entry).not.toBeNull();
    expect(plan(world({ lastStop: { name: 'exhausted', day: '2026-06-01' } })).entry).toBeNull();
  });

  test('case C7: the last item under the cap is filed as done, then the cap stops', () => {
    const made = plan(
      world({ ended: [ended([result('a')])], tally: spent(1), fresh: items('b'), procedure: caps({ itemsPerDay: 1 }) }),
    );
    expect(made.file).toHaveLength(1);
    expect(made.stop).toMatchObject({ name: 'daily-cap', pauses: false });
    expect(made.state.paused).toBe(false);
  });

  test('D3: a broken login pauses at once and is named', () => {
    const auth = failure('a', { error: { class: 'auth', message: 'log in first' } });
    expect(plan(world({ ended: [ended([auth])] })).state.pauseReason).toBe('tick 41: auth: log in first');
  });

  test('the second half of --wait pauses, but does not say that nothing is left', () => {
    expect(plan(world({ collectOnly: true })).stop).toBeNull();
    const failed = ended([failure('a'), failure('b'), failure('c')]);
    expect(plan(world({ collectOnly: true, ended: [failed] })).stop?.pauses).toBe(true);
  });
});

describe('resting', () => {
  const until = (of: Partial<World>) => plan(world(of)).state.waitingUntil;
  const limited = (retryAt?: string) => until({ ended: [ended([limit(retryAt)])] });

  test('case D1: a limit rests until its reset, or a quarter of an hour without one, and never for more than 8 days', () => {
    expect(limited('2026-06-09T13:00:00.000Z')).toBe('2026-06-09T13:00:00.000Z');
    expect(limited()).toBe('2026-06-09T08:30:00.000Z');
    expect(limited('2026-06-09T07:00:00.000Z')).toBe('2026-06-09T08:30:00.000Z');
    expect(limited('2036-01-01T00:00:00.000Z')).toBe('2026-06-17T08:15:00.000Z');
  });

  test('case D4: an outage rests 15, 30, then 60 minutes, batch by batch', () => {
    const down = (run: number) => line('y', run, { class: 'infra', tick: run });
    const then = (...runs: number[]) => until({ ended: [ended([infra, infra])], journal: journal(...runs.map(down)) });
    expect(then()).toBe('2026-06-09T08:30:00.000Z');
    expect(then(1)).toBe('2026-06-09T08:45:00.000Z');
    expect(then(1, 2)).toBe('2026-06-09T09:15:00.000Z');
    expect(then(1, 2, 3)).toBe('2026-06-09T09:15:00.000Z');
  });

  test('nothing is taken while it rests, and a rest that is over is taken out', () => {
    const rests = (waitingUntil: string) => plan(world({ state: state({ waitingUntil }), fresh: items('a') }));
    expect(rests('2026-06-09T08:20:00.000Z')).toMatchObject({ claim: null, stop: { name: 'waiting' } });
    expect(rests(NOW)).toMatchObject({ stop: null, state: { waitingUntil: null } });
    expect(rests(NOW).claim).not.toBeNull();
  });

  test('after a limit one item finds out whether it is over', () => {
    expect(taken(world({ fresh: items('a', 'b'), journal: journal(line('z', 1, { class: 'limit' })) }))).toEqual(['a']);
  });
});

describe('people', () => {
  const asks = line('a', 7, { outcome: 'needs-human', class: null, message: 'which one?' });

  test('what waits for a person is a line of review.md, not an item to take', () => {
    const made = plan(
      world({ others: items('a'), journal: journal(asks), refused: [item('b', { refused: 'b:2: bad' })] }),
    );
    expect(made.claim).toBeNull();
    expect(made.review.map(({ key }) => key)).toEqual(['retry 7 a', 'refused b']);
    expect(made.stop?.reason).toContain('2 in review.md');
  });

  test('a ticked box releases the item, in this very tick, once', () => {
    const made = plan(world({ others: items('a'), journal: journal(asks), answers: [{ run: 7, item: 'a' }] }));
    expect(made.outcomes).toEqual([{ v: 1, release: 'a', afterRun: 7, at: NOW, by: 'review.md' }]);
    expect(made.claim?.runs).toMatchObject([{ item: 'a', attempt: 1 }]);
    const later = journal(asks, ...made.outcomes, line('a', 20));
    expect(plan(world({ journal: later, answers: [{ run: 7, item: 'a' }] })).outcomes).toEqual([]);
  });

  test('a learning in state.md that rules.yaml has not heard of is entered there', () => {
    const made = plan(world({ state: state({ queuedLearnings: [learning] }) }));
    expect(made.rules).toMatchObject([{ id: 'L1', state: 'applied', key: 'text:be kind' }]);
    const waits = plan(world({ refusal: 'no', state: state({ queuedLearnings: [learning] }) }));
    expect(waits.rules).toMatchObject([{ id: 'L1', state: 'queued', key: 'text:be kind' }]);
  });
});

describe('the seal', () => {
  const until = (of: Partial<World>) => plan(world(of)).seal;

  test('an empty backlog is sealed for an hour, or until midnight', () => {
    expect(until({})).toEqual({ why: 'exhausted', until: '2026-06-09T09:15:00.000Z' });
    expect(until({ nextMidnight: '2026-06-09T08:20:00.000Z' })?.until).toBe('2026-06-09T08:20:00.000Z');
    expect(until({ fresh: items('a'), tally: spent(40) })?.why).toBe('capped');
  });

  test('nothing is sealed by a tick that did something, paused, rests or only looks', () => {
    expect(until({ fresh: items('a') })).toBeNull();
    expect(until({ ended: [ended([result('a')])] })).toBeNull();
    expect(until({ light: true })).toBeNull();
    expect(until({ collectOnly: true })).toBeNull();
    expect(until({ state: state({ waitingUntil: '2026-06-09T09:00:00.000Z' }) })).toBeNull();
    expect(until({ state: state({ today: { date: DAY, count: 0, errorsInARow: 3 } }) })).toBeNull();
  });
});

test('A12: ten thousand ticks on, state.md is still small, and what people wrote is there', () => {
  const written = '---\n# by hand\npaused: false # mine\nowner: me\n---\nNotes.\n';
  let text = written;
  let rules: World['rules'] = [];
  const slow = procedure({ window: { ticks: 1, hours: 1_000_000 } });
  // A write costs a YAML edit, so only every twentieth tick is one.
  for (let tick = 20; tick <= 10_000; tick += 20) {
    const now = parseState(Buffer.from(text), 'state.md');
    const said = result('a', { learnings: [{ rule: `What tick ${tick} learned.`, target: null, level: 1 }] });
    const day = later(NOW, tick * 15).slice(0, 10);
    const learned = { rules, nextLearning: rules.length + 1 };
    const todo = { ended: [ended([said])], fresh: items('b', 'c') };
    const made = plan(world({ tick, day, state: now, procedure: slow, ...todo, ...learned }));
    rules = [...rules.filter(({ id }) => !made.rules.some((rule) => rule.id === id)), ...made.rules];
    text = printState(Buffer.from(text), made.state, 'state.md').toString();
  }
  expect(Buffer.byteLength(text)).toBeLessThan(8192);
  const { tick, queuedLearnings } = parseState(Buffer.from(text), 'state.md');
  expect([tick, queuedLearnings.length]).toEqual([10_000, 20]);
  for (const each of written.split('\n')) expect(text.split('\n')).toContain(each);
});

// Worlds of any kind: some items done, failed or lost in batches that ended, some tried before, some fresh.
const OUTCOMES: OutcomeName[] = [
  'done',
  'nothing',
  'needs-human',
  'failed',
  'timed-out',
  'lost',
  'released',
  'superseded',
];
const CLASSES: (ErrorClass | null)[] = [null, 'item', 'infra', 'tool', 'limit', 'auth', 'boundary'];
const dispatch = fc.record({
  outcome: fc.constantFrom(...OUTCOMES),
  errorClass: fc.constantFrom(...CLASSES),
  stands: fc.constantFrom('marked', 'already', 'theirs', 'superseded', 'gone'),
  learns: fc.boolean(),
});

const worlds = fc
  .record({
    runs: fc.array(fc.array(dispatch, { minLength: 1, maxLength: 4 }), { maxLength: 2 }),
    fresh: fc.nat({ max: 6 }),
    past: fc.array(fc.tuple(fc.nat({ max: 3 }), fc.constantFrom(...OUTCOMES), fc.constantFrom(...CLASSES)), {
      maxLength: 8,
    }),
    count: fc.nat({ max: 12 }),
    cap: fc.nat({ max: 12 }),
    usd: fc.option(fc.nat({ max: 10 })),
    slice: fc.integer({ min: 1, max: 6 }),
    flags: fc.record({ light: fc.boolean(), collectOnly: fc.boolean() }),
  })
  .map(({ runs, fresh, past, count, cap, usd, slice, flags }) => {
    const batches = runs.map((each, batch) => {
      const results = each.map(({ outcome, errorClass, learns }, index) =>
        result(`batch ${batch} ${index}`, {
          ...{ outcome, error: errorClass === null ? null : { class: errorClass, message: 'no' } },
          learnings: learns ? [{ rule: `Rule ${index}.`, target: null, level: 1 }] : [],
        }),
      );
      const first = 10 + 10 * batch;
      const of = results.map(({ item: id }, index) => ({ run: first + index, item: id, attempt: 1, prior: null }));
      const made = ended(results, { batch: 8 + batch, runs: of });
      made.sightings.forEach((one, index) => {
        const as = each[index]?.stands;
        if (one.item !== null && as !== undefined) one.item.as = as;
      });
      return made;
    });
    const lines = past.map(([n, outcome, errorClass], index) =>
      line(`old ${n}`, index + 1, { outcome, class: errorClass, usage: { usd: index } }),
    );
    const told = journal(...lines);
    return world({
      ...{
        ended: batches,
        fresh: items(...Array.from({ length: fresh }, (_, index) => `fresh ${index}`)),
        journal: told,
      },
      others: items(
        ...Object.keys(told.trails),
        ...batches.flatMap(({ claim: of }) => of.runs.map(({ item: id }) => id)),
      ),
      ...{ tally: spent(count), nextRun: 100, ...flags },
      procedure: procedure({
        slice,
        caps: { itemsPerDay: cap, usdPerDay: usd, tokensPerDay: null, minutesPerItem: 30 },
      }),
    });
  });

property.prop([worlds], { numRuns: 1000 })(
  'no finished item is launched, none twice, never more than there is room for, and none while it may not',
  (of) => {
    const made = plan(of);
    const ids = made.claim?.runs.map(({ item: id }) => id) ?? [];
    const finished = made.outcomes.flatMap((each) =>
      'release' in each || !['done', 'nothing'].includes(each.outcome) ? [] : [each.item],
    );
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of [...finished, ...made.file.map(({ item: id }) => id)]) expect(ids).not.toContain(id);
    const left = room(of.tally, of.procedure.caps.itemsPerDay, { day: of.day, boot: 'boot-1', uptime: of.boot.uptime });
    expect(ids.length).toBeLessThanOrEqual(Math.min(left, of.procedure.slice));
    if (of.light || of.collectOnly || made.stop !== null) expect(ids).toEqual([]);
    const runs = made.claim?.runs.map(({ run }) => run) ?? [];
    expect(runs).toEqual(runs.map((_, index) => 100 + index));
    expect(made.state.today.count).toBe(of.tally.count + ids.length);
    expect(made.state.inFlight.map(({ item: id }) => id)).toEqual(ids);
  },
);

property.prop([worlds], { numRuns: 300 })('the same world gives the same plan, and is left as it was', (of) => {
  const before = structuredClone(of);
  expect(plan(frozen(of))).toEqual(plan(before));
  expect(of).toEqual(structuredClone(before));
});
