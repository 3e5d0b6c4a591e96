import { describe, expect, test } from 'vitest';
import type { EndedBatch } from '../../src/core/collect.ts';
import type { ErrorClass, OutcomeLine, OutcomeName, Result } from '../../src/core/model.ts';
import { plan } from '../../src/core/plan.ts';
import type { Journal } from '../../src/core/trail.ts';
import type { Bad } from '../../src/core/version.ts';
import type { World } from '../../src/core/world.ts';
import {
  blocks,
  DAY,
  ended,
  failure,
  frozen,
  items,
  journal,
  learning,
  line,
  NOW,
  procedure,
  result,
  rule,
  state,
  version,
  world,
} from '../support/world.ts';

const text = (n: number) => `- [R-00${n}] Mind what L${n} says.`;
const made = (n: number, bad: Bad | null = null) => {
  const lines = Array.from({ length: n }, (_, index) => text(index + 1));
  return version(n, { bad, applied: n === 0 ? [] : [`L${n}`], blocks: blocks(lines) });
};
const failedRuns = (change: Partial<Bad> = {}): Bad => ({
  ...{ cause: 'failures', tick: 30, at: NOW, to: 0, batch: 3, runs: [1, 2, 3] },
  ...change,
});
const rules = [1, 2, 3].map((n) =>
  rule({ id: `L${n}`, state: 'applied', version: n, rule: `Mind what L${n} says.`, tick: n }),
);

/** Runs 20, 21, ... end so under version `n`, and each is charged to it. */
const batch = (n: number, ...results: Result[]): EndedBatch =>
  ended(
    results.map((each) => ({ ...each, version: n })),
    { batch: 12, version: n, runs: results.map(({ item }, at) => ({ run: 20 + at, item, attempt: 1, prior: null })) },
  );
const three = [failure('a'), failure('b'), failure('c')];
const of = (n: number, change: Partial<World> = {}): World =>
  world({
    ...{ version: n, versions: [0, 1, 2, 3].filter((each) => each <= n).map((each) => made(each)), rules },
    ...{ blocks: made(n).blocks, ended: [batch(n, ...three)], fresh: items('x', 'y') },
    ...change,
  });
const past = (...lines: OutcomeLine[]): Journal => journal(...lines);
const failed = (run: number, n: number, change: object = {}) => line(`i${run}`, run, { version: n, ...change });

describe('three failures in a row under a version the loop made', () => {
  test('C15: take it back, once: it is bad, the blocks are those below, and the loop goes on', () => {
    const { takeBack, blocks: now, version: active, state: after, stop, claim } = plan(frozen(of(3)));
    expect(takeBack).toEqual([
      { n: 3, bad: { cause: 'failures', tick: 41, at: NOW, to: 2, batch: 12, runs: [20, 21, 22] } },
    ]);
    expect([active, now]).toEqual([2, made(2).blocks]);
    expect([after.today.errorsInARow, after.paused, stop]).toEqual([0, false, null]);
    expect(claim).toMatchObject({ version: 2, streak: 0, contract: { version: 2 } });
    expect(claim?.contract.text).not.toContain(text(3));
  });

  test('C24: are told with from, to, the runs and the learnings that go with it', () => {
    expect(plan(of(3)).changes).toEqual([
      'took version 3 back to version 2: runs 0020, 0021, 0022 failed in a row under it; L3 will not be learned again',
    ]);
    expect(plan(of(3)).entry).toContain('tick 41, version 2: 3 failed');
  });

  test('C23: its learnings are reverted, unless a person made a line theirs', () => {
    expect(plan(of(3)).rules).toEqual([
      { ...rules[2], state: 'reverted', why: 'version 3 was taken back', version: 3, tick: 41, day: DAY },
    ]);
    const kept = rules.map((each) => ({ ...each, state: 'kept' as const }));
    expect(plan(of(3, { rules: kept })).rules).toEqual([]);
  });

  test('nothing else of the procedure changes in that tick: what is due waits', () => {
    const waiting = state({ queuedLearnings: [learning('L9')] });
    const { versions, state: after, blocks: now } = plan(of(3, { state: waiting }));
    expect([versions, now, after.queuedLearnings]).toEqual([[], made(2).blocks, [learning('L9')]]);
  });

  test('pause_after_errors is literal: two do nothing with 3, and five are needed with 5', () => {
    expect(plan(of(3, { ended: [batch(3, ...three.slice(1))] })).takeBack).toEqual([]);
    const five = { procedure: procedure({ pauseAfterErrors: 5 }) };
    expect(plan(of(3, five)).takeBack).toEqual([]);
    const before = past(failed(10, 3), failed(11, 3));
    const counted = batch(3, ...three);
    counted.claim.streak = 2;
    expect(plan(of(3, { ...five, journal: before, ended: [counted] })).takeBack).toMatchObject([{ n: 3 }]);
  });

  test('C16, D7: the count goes on over batches, ticks and days', () => {
    const counted = batch(3, failure('c'));
    counted.claim.streak = 2;
    const before = past(failed(10, 3, { day: '2026-06-07' }), failed(11, 3, { day: '2026-06-08' }));
    expect(plan(of(3, { journal: before, ended: [counted] })).takeBack).toMatchObject([
      { n: 3, bad: { runs: [10, 11, 20] } },
    ]);
  });

  test('C14, C18: the highest that is not bad comes back, down to 0', () => {
    const versions = [made(0), made(1, failedRuns()), made(2, failedRuns()), made(3)];
    const { takeBack, blocks: now } = plan(of(3, { versions, journal: past(failed(9, 2, { outcome: 'done' })) }));
    expect(takeBack).toMatchObject([{ n: 3, bad: { to: 0 } }]);
    expect(now).toEqual(blocks());
  });

  test('judging the same batch again takes the same back and counts nothing twice', () => {
    const first = plan(of(3));
    const bad = first.takeBack[0]?.bad as Bad;
    const versions = [made(0), made(1), made(2), made(3, bad)];
    const again = (tick: number) =>
      plan(of(3, { tick, versions, version: 2, blocks: made(2).blocks, journal: past(...first.outcomes) }));
    for (const tick of [41, 42]) {
      expect(again(tick)).toMatchObject({ takeBack: first.takeBack, version: 2, stop: null });
      expect(again(tick).state.today.errorsInARow).toBe(0);
    }
    expect(again(41).changes).toEqual(first.changes);
    expect(again(42).changes).toEqual([]);
  });
});

describe('failures that no version is to blame for', () => {
  const pauses = (at: World) => {
    const { takeBack, stop } = plan(at);
    expect(takeBack).toEqual([]);
    expect(stop).toMatchObject({ name: 'errors-in-a-row', pauses: true });
  };
  const as = (outcome: OutcomeName, errorClass: ErrorClass | null, id: string) =>
    failure(id, { outcome, error: errorClass === null ? null : { class: errorClass, message: 'so' } });

  test('C19: of version 0, or where there are no versions at all, pause', () => {
    pauses(of(0));
    pauses(of(0, { versions: [] }));
  });

  test('D23: of a version with a person’s hand in it, pause', () => {
    pauses(of(3, { versions: [made(0), made(1), made(2), { ...made(3), by: 'human' }] }));
  });

  test('C20: outages and broken tools, alone or among failures of items, pause', () => {
    const counted = (errorClass: ErrorClass) => {
      const last = batch(3, as('failed', errorClass, 'c'));
      last.claim.streak = 2;
      return last;
    };
    for (const errorClass of ['infra', 'tool'] as const) {
      const all = past(failed(10, 3, { class: errorClass }), failed(11, 3, { class: errorClass }));
      pauses(of(3, { journal: all, ended: [counted(errorClass)] }));
      pauses(of(3, { journal: past(failed(10, 3), failed(11, 3)), ended: [counted(errorClass)] }));
    }
  });

  test('a lost run among them pauses', () => {
    pauses(of(3, { ended: [batch(3, as('lost', null, 'a'), failure('b'), failure('c'))] }));
  });

  test('C20: limits, needs-human and superseded runs between them change nothing', () => {
    const between = [as('failed', 'limit', 'p'), as('needs-human', null, 'q'), as('superseded', null, 'r')];
    const mixed = batch(3, failure('a'), ...between, failure('b'), failure('c'));
    expect(plan(of(3, { ended: [mixed] })).takeBack).toMatchObject([{ n: 3, bad: { runs: [20, 24, 25] } }]);
  });

  test('C12, C16: runs that began under another version pause, and are not charged to this one', () => {
    const last = batch(3, failure('c'));
    last.claim.streak = 2;
    pauses(of(3, { journal: past(failed(10, 2), failed(11, 3)), ended: [last] }));
    pauses(of(3, { ended: [batch(2, ...three)] }));
  });

  test('C17: once since the last success: the next three pause, after a success the next one is taken back', () => {
    const versions = [made(0), made(1), made(2), made(3, failedRuns({ to: 2 }))];
    const at = { versions, version: 2, blocks: made(2).blocks, ended: [batch(2, ...three)] };
    const under3 = [1, 2, 3].map((run) => failed(run, 3));
    const second = of(3, { ...at, journal: past(...under3) });
    pauses(second);
    const good = past(...under3, failed(9, 2, { outcome: 'done', class: null }));
    const third = plan({ ...second, journal: good });
    expect(third.takeBack).toMatchObject([{ n: 2, bad: { to: 1, runs: [20, 21, 22] } }]);
    expect(third.takeBack).toHaveLength(1);
  });

  test('a person’s own rollback or a conflict does not use it up', () => {
    for (const cause of ['person', 'conflict'] as const) {
      const versions = [made(0), made(1), made(2), made(3, failedRuns({ cause, batch: null, runs: [] }))];
      const at = of(3, { versions, version: 2, blocks: made(2).blocks, ended: [batch(2, ...three)] });
      expect(plan(at).takeBack).toMatchObject([{ n: 2 }]);
    }
  });

  test('a success in the same batch ends the count, wherever it stands', () => {
    const done = batch(3, failure('a'), failure('b'), result('x'), failure('c'));
    expect(plan(of(3, { ended: [done] }))).toMatchObject({ takeBack: [], stop: null });
  });

  test('D3: a broken login pauses, and takes nothing back', () => {
    const login = batch(3, ...three, as('failed', 'auth', 'd'));
    expect(plan(of(3, { ended: [login] }))).toMatchObject({ takeBack: [], stop: { name: 'boundary', pauses: true } });
  });

  test('A65: failures that a person has seen before resuming are not held against it', () => {
    const last = batch(3, failure('c'));
    last.claim.streak = 2;
    const resumed = state({ pauseReason: 'tick 40: 3 errors in a row' });
    const seen = of(3, { journal: past(failed(10, 3), failed(11, 3)), ended: [last], state: resumed });
    expect(plan(seen)).toMatchObject({ takeBack: [], stop: null });
  });

  test('a person’s edit that no tick has seen yet makes it theirs too', () => {
    pauses(of(3, { blocks: blocks([...made(3).blocks['contract.md'], '- mine']) }));
  });
});
