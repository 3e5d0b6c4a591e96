import { describe, expect, test } from 'vitest';
import { MOST_POINTS, MOST_RULES } from '../../src/core/block.ts';
import { plan } from '../../src/core/plan.ts';
import { refine } from '../../src/core/refine.ts';
import { LONGEST } from '../../src/core/rule.ts';
import type { World } from '../../src/core/world.ts';
import { blocks, frozen, learning, NOW, procedure, rule, state, version, world } from '../support/world.ts';

const queue = (...queuedLearnings: ReturnType<typeof learning>[]) => state({ queuedLearnings });
const queued = (id: string, change = {}) => rule({ id, state: 'queued', rule: `Mind what ${id} says.`, ...change });
const applied = (id: string, n: number) => rule({ id, state: 'applied', rule: `Mind what ${id} says.`, version: n });
const line = (n: number, text = `Mind what L${n} says.`) => `- [R-${String(n).padStart(3, '0')}] ${text}`;
/** A world in which version 1 put `lines` into contract.md, and the file now holds `now`. */
const at = (lines: string[], now: string[], change: Partial<World> = {}) =>
  world({ version: 1, versions: [version(0), version(1, { blocks: blocks(lines) })], blocks: blocks(now), ...change });

describe('a veto', () => {
  test('A51, D13: veto: true on its line takes it out of the queue for good', () => {
    const of = world({ state: queue(learning('L7', { veto: true }), learning('L8')), rules: [queued('L7')] });
    const { versions, queue: left, rules, vetoed } = refine(frozen(of));
    expect(versions.flatMap((each) => each.applied)).toEqual(['L8']);
    expect(left).toEqual([]);
    expect(rules).toContainEqual(expect.objectContaining({ id: 'L7', state: 'vetoed', why: 'veto: true' }));
    expect(vetoed).toEqual([{ id: 'L7', rule: 'Mind what L7 says.', how: 'veto: true' }]);
  });

  test('A51, D13: so does deleting its line, which only the ledger still knows', () => {
    const { versions, rules, vetoed } = refine(world({ rules: [queued('L7')] }));
    expect(versions).toEqual([]);
    expect(rules).toMatchObject([{ id: 'L7', state: 'vetoed', why: 'its line in state.md was deleted' }]);
    expect(vetoed).toHaveLength(1);
  });

  test.each(['vetoed', 'refused', 'reverted'] as const)('A51, D13: so does the ledger, where it is %s', (closed) => {
    const rules = [queued('L7', { state: closed, why: closed === 'vetoed' ? '' : 'a reason' })];
    const { versions, queue: left, vetoed } = refine(world({ state: queue(learning('L7')), rules }));
    expect([versions, left]).toEqual([[], []]);
    expect(vetoed).toMatchObject([{ id: 'L7', how: closed === 'vetoed' ? 'vetoed in rules.yaml' : 'a reason' }]);
  });

  test('D13: counts with learn.mode off, before the window is over, and where nothing may be changed', () => {
    const learn = { mode: 'off' as const, sightings: 1, perDay: 5 };
    const on = { state: queue(learning('L7', { veto: true, tick: 41 })) };
    for (const change of [{ procedure: procedure({ learn }) }, { refusal: 'loop.md has no Boundary section' }, {}])
      expect(refine(world({ ...on, ...change })).rules).toMatchObject([{ id: 'L7', state: 'vetoed' }]);
  });

  test('of a rule that is in force takes its line out, as a version of its own that keeps what it applied', () => {
    const rules = [{ ...applied('L7', 1), state: 'vetoed' as const, why: 'pawl veto' }];
    const of = at([line(7), line(8)], [line(7), line(8)], { rules });
    const { versions, blocks: now, retired } = refine(frozen(of));
    expect(now).toEqual(blocks([line(8)]));
    expect(versions).toMatchObject([{ n: 2, parent: 1, by: 'loop', applied: [], retired: ['R-007'] }]);
    expect(retired).toEqual([{ rule: 'R-007', text: 'Mind what L7 says.', version: 2 }]);
    expect(refine({ ...of, refusal: 'broken' }).versions).toEqual([]);
  });

  test('D13: written after a kill between blocks and state.md still counts: the rule is in force, and comes out', () => {
    const made = version(1, { tick: 40, applied: ['L7'], blocks: blocks([line(7)]) });
    const of = at([line(7)], [line(7)], { versions: [version(0), made], rules: [queued('L7')] });
    const killed = { ...of, state: queue(learning('L7', { tick: 39, veto: true })) };
    const { versions, queue: left, rules } = refine(frozen(killed));
    expect(versions).toMatchObject([{ n: 2, retired: ['R-007'], blocks: blocks([]) }]);
    expect([left, rules.map(({ state: now }) => now)]).toEqual([[], ['vetoed']]);
  });

  test('of one rule and the first day of another are one version', () => {
    const rules = [{ ...applied('L7', 1), state: 'vetoed' as const }, queued('L8')];
    const { versions } = refine(at([line(7)], [line(7)], { rules, state: queue(learning('L8')) }));
    expect(versions).toMatchObject([{ applied: ['L8'], retired: ['R-007'], blocks: blocks([line(8)]) }]);
  });
});

describe('what is refused', () => {
  test('with broken markers, behind which no line can be seen, no line counts as deleted', () => {
    const of = at([line(7)], [], { readable: false, rules: [applied('L7', 1)] });
    expect(refine(frozen(of))).toMatchObject({ versions: [], rules: [], vetoed: [], edited: null });
    expect(refine(frozen({ ...of, readable: true })).vetoed).toHaveLength(1);
  });

  test('A57: with a reason not to change anything, it stays queued and is told beside other news', () => {
    const refusal = 'loop.md has no Boundary section';
    const of = world({ refusal, state: queue(learning('L7')) });
    expect([refine(of).versions, refine(of).queue.length, refine(of).refused]).toEqual([[], 1, []]);
    expect(plan({ ...of, light: true, state: queue(learning('L7')) }).entry).toContain(refusal);
  });

  const text = (points: number) => '🜁'.repeat(points);

  test('C44: a rule of 300 characters comes in, one of 301 does not', () => {
    const of = (points: number) => refine(world({ state: queue(learning('L7', { rule: text(points) })) }));
    // Each is two UTF-16 units and four bytes, and counts as one.
    expect(of(LONGEST).applied).toHaveLength(1);
    expect(of(LONGEST + 1)).toMatchObject({ versions: [], queue: [], rules: [{ id: 'L7', state: 'refused' }] });
  });

  test('C9, C21: the 25th rule of a block comes in, the 26th is refused whole', () => {
    const full = Array.from({ length: MOST_RULES - 1 }, (_, index) => line(100 + index));
    const of = at(full, full, { state: queue(learning('L7'), learning('L8')) });
    const { versions, refused, blocks: now } = refine(of);
    expect(versions).toMatchObject([{ applied: ['L7'] }]);
    expect(refused).toEqual([
      { id: 'L8', rule: 'Mind what L8 says.', why: 'its block would hold 26 rules, at most 25 are read' },
    ]);
    expect(now['contract.md']).toHaveLength(MOST_RULES);
  });

  test('C9: a block of 4000 characters comes in, one of 4001 is refused whole, and the blocks have their own bounds', () => {
    const others = Array.from({ length: 13 }, (_, index) => line(100 + index, 'x'.repeat(288)));
    const used = others.reduce((sum, each) => sum + each.length + 1, 0);
    const left = MOST_POINTS - used - line(7, '').length - 1;
    const of = (points: number, level: 1 | 1.5 = 1) =>
      refine(at(others, others, { state: queue(learning('L7', { rule: 'é'.repeat(points), level })) }));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(LONGEST);
    expect(of(left).applied).toHaveLength(1);
    expect(of(left + 1)).toMatchObject({ applied: [], refused: [{ why: expect.stringContaining('4001') }] });
    expect(of(left + 1, 1.5).applied).toHaveLength(1);
  });

  test('what the rules say already, in either block and in other spelling', () => {
    const of = at([line(1, 'Wait, then RETRY.')], [line(1, 'Wait, then RETRY.')], {
      state: queue(learning('L7', { rule: 'wait then retry', level: 1.5 })),
    });
    expect(refine(of)).toMatchObject({ versions: [], queue: [], refused: [{ why: 'the rules say so already' }] });
  });

  test('of two that say the same, the second', () => {
    const twice = queue(learning('L7', { rule: 'Wait.' }), learning('L8', { rule: 'wait!' }));
    expect(refine(world({ state: twice }))).toMatchObject({ versions: [{ applied: ['L7'] }], refused: [{ id: 'L8' }] });
  });

  test('a text of which nothing is left without its markup', () => {
    for (const rule of ['', '<!-- -->', '- ', '```', '\u200b'])
      expect(refine(world({ state: queue(learning('L7', { rule })) }))).toMatchObject({ versions: [], queue: [] });
  });
});

describe('a person changes a block between ticks', () => {
  test('D23: that is a version of theirs, on which the loop’s own stands', () => {
    const of = at([line(1)], [line(1), '- and this'], { state: queue(learning('L7')) });
    const { versions, edited, version: active } = refine(frozen(of));
    expect(versions).toMatchObject([
      { n: 2, parent: 1, by: 'human', applied: [], retired: [], blocks: blocks([line(1), '- and this']) },
      { n: 3, parent: 2, by: 'loop', applied: ['L7'], blocks: blocks([line(1), '- and this', line(7)]) },
    ]);
    expect([edited, active]).toEqual([{ version: 2, files: ['contract.md'] }, 3]);
  });

  test('D13: a line that is gone is vetoed for good, one that reads otherwise is theirs', () => {
    const rules = [applied('L1', 1), applied('L2', 1)];
    const refined = refine(at([line(1), line(2)], [line(2, 'Mine now.')], { rules }));
    expect(refined.versions).toMatchObject([{ by: 'human', retired: ['R-001'] }]);
    expect(refined.rules).toMatchObject([
      { id: 'L1', state: 'vetoed', why: 'its line was deleted' },
      { id: 'L2', state: 'kept', rule: 'Mine now.', version: 2 },
    ]);
  });

  test('only another order is a version, and nobody is vetoed', () => {
    const refined = refine(at([line(1), line(2)], [line(2), line(1)], { rules: [applied('L1', 1)] }));
    expect(refined.versions).toMatchObject([{ by: 'human', retired: [] }]);
    expect([refined.rules, refined.vetoed]).toEqual([[], []]);
  });

  test('their number is one above the highest, bad or not, and their parent is the active one', () => {
    const bad = { cause: 'failures' as const, tick: 40, at: NOW, to: 0, batch: 9, runs: [] };
    const versions = [version(0), version(1, { bad }), version(2, { bad })];
    expect(refine(world({ versions, blocks: blocks(['- mine']) })).versions).toMatchObject([{ n: 3, parent: 0 }]);
  });

  test('is taken note of where nothing may be changed, and before there is any version it is the text as it came', () => {
    expect(refine(at([], ['- mine'], { refusal: 'broken' })).versions).toMatchObject([{ by: 'human' }]);
    expect(refine(world({ blocks: blocks(['- mine']) })).versions).toEqual([]);
  });

  test('C26: what met their edit in this very tick goes back to the queue for another one', () => {
    const conflict = { cause: 'conflict' as const, tick: 41, at: NOW, to: null, batch: null, runs: [] };
    const versions = [version(0), version(1, { tick: 41, applied: ['L7'], bad: conflict })];
    const of = world({ versions, state: queue(learning('L7'), learning('L8')), rules: [queued('L7')] });
    const refined = refine(of);
    expect(refined.queue.map(({ id }) => id)).toEqual(['L7']);
    expect(refined.versions).toMatchObject([{ n: 2, parent: 0, applied: ['L8'] }]);
    expect(refined.conflicts).toEqual([{ version: 1, ids: ['L7'] }]);
    expect(refine({ ...of, tick: 42 }).versions).toMatchObject([{ n: 2, applied: ['L7', 'L8'] }]);
  });
});
