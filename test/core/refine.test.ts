import { describe, expect, test } from 'vitest';
import { later } from '../../src/core/day.ts';
import { plan } from '../../src/core/plan.ts';
import { refine } from '../../src/core/refine.ts';
import type { World } from '../../src/core/world.ts';
import {
  blocks,
  DAY,
  ended,
  frozen,
  items,
  learning,
  NOW,
  procedure,
  result,
  rule,
  state,
  version,
  world,
} from '../support/world.ts';

const queue = (...queuedLearnings: ReturnType<typeof learning>[]) => state({ queuedLearnings });
const appliedBy = (of: World) => refine(frozen(of)).versions.flatMap(({ applied }) => applied);
const kept = (of: World) => refine(of).queue.map(({ id }) => id);
const learn = (mode: 'on' | 'manual' | 'off') => ({ mode, sightings: 1, perDay: 5 });
const queued = (id: string, change = {}) => rule({ id, state: 'queued', rule: `Mind what ${id} says.`, ...change });
/** A tick that may do all the loop can: a batch has ended with something learned, and items are left. */
const busy = (change: Partial<World> = {}) =>
  world({
    ended: [ended([result('a', { learnings: [{ rule: 'Look twice.', target: null, level: 1 }] })])],
    fresh: items('b'),
    nextLearning: 9,
    ...change,
  });

describe('a learning that waited', () => {
  test('A33: is applied by a later tick as a version of its own, cleared, and told with its undo', () => {
    const of = world({ state: queue(learning('L7')), rules: [queued('L7')] });
    const { versions, queue: left, rules, version: active, blocks: now } = refine(frozen(of));
    const lines = ['- [R-007] Mind what L7 says.'];
    expect(versions).toEqual([
      {
        ...{ n: 1, parent: 0, tick: 41, day: DAY, at: NOW, by: 'loop', cause: 'learned: L7', applied: ['L7'] },
        ...{ retired: [], blocks: blocks(lines), bad: null },
      },
    ]);
    expect([left, active, now]).toEqual([[], 1, blocks(lines)]);
    expect(rules).toMatchObject([{ id: 'L7', state: 'applied', version: 1, tick: 41, day: DAY }]);
    expect(plan(of).changes).toEqual(['applied L7 as version 1: "Mind what L7 says." (undo: pawl rollback 0)']);
  });

  test('A34: goes to contract.md by its level, to loop.md as a step of the procedure', () => {
    const of = world({ state: queue(learning('L1', { level: 1.5 }), learning('L2')) });
    expect(refine(of).blocks).toEqual(blocks(['- [R-002] Mind what L2 says.'], ['- [R-001] Mind what L1 says.']));
    expect(refine(of).versions).toHaveLength(1);
  });

  test('C12: what is claimed in the same tick starts with the new version and its text', () => {
    const of = world({ state: queue(learning('L7')), fresh: items('a') });
    const { claim } = plan(of);
    expect(claim?.version).toBe(1);
    expect(claim?.contract).toMatchObject({ version: 1, text: expect.stringContaining('- [R-007] Mind') });
  });

  test('A36: is applied on a capped and on a finished day, and then the loop stops', () => {
    const caps = { ...procedure().caps, itemsPerDay: 0 };
    const capped = world({ state: queue(learning('L7')), fresh: items('a'), procedure: procedure({ caps }) });
    for (const of of [capped, world({ state: queue(learning('L7')) })]) {
      expect(plan(of).versions).toHaveLength(1);
      expect(plan(of).claim).toBeNull();
      expect(plan(of).stop).not.toBeNull();
    }
  });

  test('a light tick and the second half of --wait leave it where it is', () => {
    for (const change of [{ light: true }, { collectOnly: true }])
      expect(kept(world({ ...change, state: queue(learning('L7', { veto: true }), learning('L8')) }))).toEqual([
        'L7',
        'L8',
      ]);
  });

  test('D23: what is in a manifest is not applied twice; its line is cleared and the ledger caught up', () => {
    const lines = ['- [R-007] Mind what L7 says.'];
    const made = version(1, { tick: 41, applied: ['L7'], blocks: blocks(lines) });
    const at = { version: 1, versions: [version(0), made], blocks: blocks(lines) };
    for (const tick of [41, 42]) {
      const refined = refine(world({ ...at, tick, state: queue(learning('L7')), rules: [queued('L7')] }));
      expect([refined.versions, refined.queue]).toEqual([[], []]);
      expect(refined.rules).toMatchObject([{ id: 'L7', state: 'applied', version: 1 }]);
      // A tick that was killed is told as that tick; the one that made it, and looks again, tells it itself.
      expect(refined.applied).toHaveLength(tick === 41 ? 1 : 0);
    }
  });
});

describe('the window', () => {
  test('A35, D12: what a tick notices is never in a version of that tick, only in its queue', () => {
    const { versions, blocks: now, state: after, queued: fresh } = plan(busy());
    expect([versions, now]).toEqual([[], blocks()]);
    expect(after.queuedLearnings).toEqual(fresh);
    expect(fresh).toMatchObject([{ id: 'L9', tick: 41, rule: 'Look twice.' }]);
  });

  test('A35: nor does what a tick noticed come in with what waited', () => {
    const { versions, state: after } = plan(busy({ state: queue(learning('L7')), rules: [queued('L7')] }));
    expect(versions.flatMap(({ applied }) => applied)).toEqual(['L7']);
    expect(after.queuedLearnings).toMatchObject([{ id: 'L9' }]);
  });

  test('D12: a learning of this tick, or of one that is still to come, stays', () => {
    expect(appliedBy(world({ state: queue(learning('L7', { tick: 41 }), learning('L8', { tick: 99 })) }))).toEqual([]);
  });

  test.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [4, 4],
  ])('ticks: %i is met %i ticks after it was queued, not one before', (ticks, met) => {
    const at = (passed: number) =>
      world({ tick: 40 + passed, state: queue(learning('L7')), procedure: procedure({ window: { ticks, hours: 0 } }) });
    expect(appliedBy(at(met - 1))).toEqual([]);
    expect(appliedBy(at(met))).toEqual(['L7']);
  });

  test('hours: 18 is met to the millisecond, counted from when it was queued', () => {
    const window = { ticks: 1, hours: 18 };
    const at = (now: string) =>
      world({
        now,
        state: queue(learning('L7')),
        rules: [queued('L7', { at: NOW })],
        procedure: procedure({ window }),
      });
    const met = later(NOW, 18 * 60);
    expect(appliedBy(at(new Date(Date.parse(met) - 1).toISOString()))).toEqual([]);
    expect(appliedBy(at(met))).toEqual(['L7']);
    expect(appliedBy({ ...at(met), tick: 40 })).toEqual([]);
    expect(appliedBy(at('2026-06-01T00:00:00.000Z'))).toEqual([]);
  });

  test('with hours, a learning of which nobody knows the hour waits', () => {
    const on = procedure({ window: { ticks: 1, hours: 1 } });
    const at = (rules: World['rules']) => world({ state: queue(learning('L7')), procedure: on, rules });
    expect(appliedBy(at([]))).toEqual([]);
    expect(appliedBy(at([queued('L7', { at: '' })]))).toEqual([]);
    expect(appliedBy(at([queued('L7', { at: 'yesterday' })]))).toEqual([]);
  });

  test('an approved learning waits for no hours and no count of ticks, but for another tick', () => {
    const window = { ticks: 9, hours: 99 };
    const rules = [queued('L7', { approved: true, at: NOW })];
    const at = (tick: number, mode: 'on' | 'manual' | 'off') =>
      world({ tick, rules, state: queue(learning('L7')), procedure: procedure({ window, learn: learn(mode) }) });
    expect(appliedBy(at(40, 'on'))).toEqual([]);
    expect(appliedBy(at(41, 'on'))).toEqual(['L7']);
    expect(appliedBy(at(41, 'manual'))).toEqual(['L7']);
    expect(appliedBy(at(41, 'off'))).toEqual([]);
  });

  test.each(['manual', 'off'] as const)('C13: with learn.mode %s nothing is applied, and what waits stays', (mode) => {
    const of = world({ state: queue(learning('L7')), procedure: procedure({ learn: learn(mode) }) });
    expect(appliedBy({ ...of, tick: 4_000 })).toEqual([]);
    expect(kept(of)).toEqual(['L7']);
  });

  test('ticks that only wait count while something waits for more than one of them', () => {
    const wide = procedure({ window: { ticks: 4, hours: 0 } });
    const at = (change: Partial<World>) => plan(world({ state: queue(learning('L7')), ...change })).counts;
    const stop = { lastStop: { name: 'exhausted', day: DAY } };
    expect(at({ procedure: wide, ...stop })).toBe(true);
    expect(at({ procedure: wide, state: state(), ...stop })).toBe(false);
    expect(at({ procedure: { ...wide, learn: learn('manual') }, ...stop })).toBe(false);
    expect(at({ procedure: procedure({ window: { ticks: 1, hours: 9 } }), rules: [queued('L7')], ...stop })).toBe(
      false,
    );
  });
});

describe('a ticked box', () => {
  const held = rule({ id: 'L3', why: 'it names an address' });

  test('queues what was held, approved, for a later tick, once', () => {
    const of = world({ approvals: ['L3'], rules: [held], procedure: procedure({ learn: learn('manual') }) });
    const { versions, queue: now, rules } = refine(frozen(of));
    expect(versions).toEqual([]);
    expect(now).toMatchObject([{ id: 'L3', tick: 41 }]);
    expect(rules).toMatchObject([{ id: 'L3', state: 'queued', approved: true, at: NOW, why: '' }]);
    expect(refine({ ...of, state: queue(...now), rules, tick: 42 }).versions).toMatchObject([{ applied: ['L3'] }]);
    expect(refine({ ...of, rules: [{ ...held, state: 'applied', version: 1 }] }).queue).toEqual([]);
  });

  test('C13: means nothing with learn.mode off, and for an id nobody knows', () => {
    const off = world({ approvals: ['L3'], rules: [held], procedure: procedure({ learn: learn('off') }) });
    expect(refine(off).queue).toEqual([]);
    expect(refine(world({ approvals: ['L77'], rules: [held] })).queue).toEqual([]);
  });
});
