import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { mergeState } from '../../src/core/merge-state.ts';
import type { Learning, State } from '../../src/core/model.ts';
import { state } from '../support/world.ts';

const learning = (n: number): Learning => ({
  ...{ id: `L${n}`, tick: 40, target: null, level: 1, rule: `Rule ${n}.`, veto: false },
});

/** A tick's plan over `base`: counters of its own, learnings 100 and up queued, perhaps a pause. */
const planned = (base: State, added: number, stops: boolean): State => ({
  ...base,
  ...{ tick: 41, cursor: 9, doneCount: 9, today: { date: '2026-06-10', count: 4, errorsInARow: 1 } },
  ...{ waitingUntil: '2026-06-10T09:00:00.000Z', paused: base.paused || stops },
  pauseReason: stops ? 'tick 41: 3 errors in a row' : null,
  queuedLearnings: [...base.queuedLearnings, ...Array.from({ length: added }, (_, index) => learning(100 + index))],
});

const person = fc.record({
  paused: fc.boolean(),
  /** By place: kept, deleted, or vetoed. */
  queue: fc.array(fc.constantFrom('keep', 'delete', 'veto'), { minLength: 4, maxLength: 4 }),
  adds: fc.boolean(),
  counters: fc.nat(),
});

property.prop([person, fc.nat({ max: 3 }), fc.boolean()], { numRuns: 500 })(
  'D20, A46: what a person changed meanwhile holds, and the counters are the tick’s',
  ({ paused, queue, adds, counters }, added, stops) => {
    const base = state({ queuedLearnings: [1, 2, 3, 4].map(learning) });
    const left = base.queuedLearnings.flatMap((each, index) =>
      queue[index] === 'delete' ? [] : [{ ...each, veto: queue[index] === 'veto' }],
    );
    const current = {
      ...base,
      ...{ paused, tick: counters, cursor: counters, doneCount: counters, waitingUntil: null },
      queuedLearnings: [...left, ...(adds ? [learning(50)] : [])],
    };
    const plan = planned(base, added, stops);
    const merged = mergeState(base, plan, current);
    expect(merged.paused).toBe(paused || stops);
    expect(merged.queuedLearnings).toEqual([...current.queuedLearnings, ...plan.queuedLearnings.slice(4)]);
    const { paused: _, pauseReason: _why, queuedLearnings: _queue, ...ours } = merged;
    expect(plan).toMatchObject(ours);
  },
);

test('a person who resumes what the tick read as paused is not paused again by what it read', () => {
  const base = state({ paused: true, pauseReason: 'tick 40: 3 errors in a row' });
  const merged = mergeState(base, { ...base, tick: 41 }, { ...base, paused: false });
  expect(merged.paused).toBe(false);
});

test('a stop of this tick holds against a person who left the loop running', () => {
  const base = state();
  expect(mergeState(base, planned(base, 0, true), base)).toMatchObject({
    ...{ paused: true, pauseReason: 'tick 41: 3 errors in a row' },
  });
});

test('the reason a person gave for a pause stays', () => {
  const base = state();
  const current = state({ paused: true, pauseReason: 'holidays' });
  expect(mergeState(base, planned(base, 0, false), current).pauseReason).toBe('holidays');
});

test('a learning the tick took out goes, and one that is there already is not added twice', () => {
  const base = state({ queuedLearnings: [learning(1), learning(2)] });
  const plan = { ...base, queuedLearnings: [learning(2), learning(3)] };
  const current = state({ queuedLearnings: [learning(1), learning(2), learning(3)] });
  expect(mergeState(base, plan, current).queuedLearnings.map(({ id }) => id)).toEqual(['L2', 'L3']);
});
