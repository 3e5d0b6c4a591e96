import { describe, expect, test } from 'vitest';
import { planRollback } from '../../src/core/rollback-to.ts';
import type { World } from '../../src/core/world.ts';
import { blocks, frozen, rule, version, world } from '../support/world.ts';

const one = '- [R-001] One.';
const two = '- [R-002] Two.';
const applied = (id: string, n: number, change = {}) => rule({ id, state: 'applied', version: n, ...change });
const at = (change: Partial<World> = {}) =>
  world({
    version: 2,
    versions: [
      version(0),
      version(1, { applied: ['L1'], blocks: blocks([one]) }),
      version(2, { applied: ['L2'], parent: 1, blocks: blocks([one, two]) }),
    ],
    blocks: blocks([one, two]),
    rules: [applied('L1', 1), applied('L2', 2)],
    ...change,
  });

function planned(of: World, target: number) {
  const plan = planRollback(frozen(of), target);
  if ('why' in plan) throw new Error(plan.why);
  return plan;
}

describe('A68: a rollback by a person', () => {
  test('marks all above the target bad, lowest first, puts its blocks back, and nothing else', () => {
    const plan = planned(at(), 0);
    expect(plan.takeBack.map(({ n, bad }) => [n, bad.cause, bad.to])).toEqual([
      [1, 'person', 0],
      [2, 'person', 0],
    ]);
    expect(plan.blocks).toEqual(blocks([]));
    expect(plan.rules.map(({ id, state }) => [id, state])).toEqual([
      ['L1', 'reverted'],
      ['L2', 'reverted'],
    ]);
    expect([plan.claim, plan.versions, plan.file, plan.spent]).toEqual([null, [], [], []]);
    expect(plan.state).toEqual({ ...at().state, tick: 41 });
  });

  test('tells each version it takes back, and what will not be learned again', () => {
    expect(planned(at(), 1).entry).toContain(
      '- took version 2 back to version 1: you asked for it; L2 will not be learned again',
    );
  });

  test('brings a rule back that was vetoed since: whoever goes back wants what was there', () => {
    const out = version(3, { parent: 2, retired: ['R-001'], blocks: blocks([two]) });
    const rules = [applied('L1', 1, { state: 'vetoed', why: 'pawl veto' }), applied('L2', 2)];
    const of = at({ version: 3, versions: [...at().versions, out], blocks: blocks([two]), rules });
    expect(planned(of, 2).rules).toMatchObject([{ id: 'L1', state: 'applied', why: '', version: 2 }]);
  });

  test.each([
    [7, 'there is no version 7'],
    [2, 'is the one in force'],
  ])('to %i is refused in words', (target, why) => {
    expect(planRollback(at(), target)).toHaveProperty('why', expect.stringContaining(why));
  });

  test('to a bad version is refused, since bad is final, and so is one where there are none', () => {
    const bad = { cause: 'failures', tick: 3, at: '', to: 0, batch: 1, runs: [1] } as const;
    const versions = at().versions.map((each) => (each.n === 1 ? { ...each, bad: { ...bad, runs: [1] } } : each));
    expect(planRollback(at({ versions }), 1)).toHaveProperty('why', expect.stringContaining('final'));
    expect(planRollback(world(), 0)).toHaveProperty('why', expect.stringContaining('no version but 0'));
  });
});
