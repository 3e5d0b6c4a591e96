import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { learningId, rulesIn } from '../../src/core/block.ts';
import type { EndedBatch } from '../../src/core/collect.ts';
import { later } from '../../src/core/day.ts';
import type { Claim, Result } from '../../src/core/model.ts';
import { plan } from '../../src/core/plan.ts';
import { emptyJournal, foldLine } from '../../src/core/trail.ts';
import { activeOf, type Version } from '../../src/core/version.ts';
import type { Plan, World } from '../../src/core/world.ts';
import { ended, failure, items, procedure, result, state, version, world } from '../support/world.ts';

type Kind = 'done' | 'item' | 'infra' | 'limit' | 'needs-human' | 'lost' | 'released';
interface Step {
  kinds: Kind[];
  /** What the runs that were done learned, if anything: the next tick makes a version of it. */
  learns: boolean;
  /** A person writes a line between the markers. */
  edits: boolean;
  /** The tick is killed after its versions and lines were written, before its state: the next one judges the batch again. */
  killed: boolean;
}

const MOST = 3;

/** What the model knows: nothing of worlds, plans or files. */
interface Model {
  streak: number;
  /** The versions that failed since the last success; null = nobody knows, or it was no fault of the item. */
  failed: (number | null)[];
  takenBack: boolean;
}

/** What must come of a batch, told anew from DESIGN 7.4. */
function judge(model: Model, began: number, kinds: readonly Kind[], active: { n: number; isLoops: boolean }) {
  let broken = false;
  for (const kind of kinds) {
    if (kind === 'done') Object.assign(model, { streak: 0, failed: [], takenBack: false });
    if (kind === 'item') model.streak += 1;
    if (kind === 'item') model.failed.push(began);
    if (kind !== 'infra' && kind !== 'lost') continue;
    if (!broken) model.streak += 1;
    broken = true;
    model.failed.push(null);
  }
  if (model.streak < MOST) return 'goes on';
  const last = model.failed.slice(-MOST);
  const isGuilty = active.isLoops && last.length === MOST && last.every((n) => n === active.n);
  if (!isGuilty || model.takenBack) return 'pauses';
  Object.assign(model, { streak: 0, takenBack: true });
  return 'takes back';
}

/** A supervisor starts nothing more once there were so many failures in a row. */
function asSupervised(kinds: readonly Kind[], { streak }: Pick<Claim, 'streak'>): Kind[] {
  let [row, broken] = [streak, false];
  return kinds.map((kind) => {
    if (row >= MOST) return 'released';
    if (kind === 'done') row = 0;
    if (kind === 'item' || (!broken && (kind === 'infra' || kind === 'lost'))) row += 1;
    broken ||= kind === 'infra' || kind === 'lost';
    return kind;
  });
}

const errorOf = { item: 'item', infra: 'infra', limit: 'limit' } as const;

function resultOf(kind: Kind, id: string, n: number, rule: string | null): Result {
  if (kind === 'done')
    return result(id, { version: n, learnings: rule === null ? [] : [{ rule, target: null, level: 1 }] });
  if (kind === 'item' || kind === 'infra' || kind === 'limit')
    return failure(id, { version: n, error: { class: errorOf[kind], message: kind } });
  return result(id, { version: n, outcome: kind });
}

/** A workspace in memory: what a plan writes is what the next world is made of. */
interface Loop {
  world: World;
  claim: Claim | null;
}

const calm = procedure({
  ...{ slice: 3, concurrency: 1, learn: { mode: 'on', sightings: 1, perDay: 999 } },
  caps: { ...procedure().caps, itemsPerDay: 1_000_000 },
});

const fresh = (run: number) => items(...[0, 1, 2].map((offset) => `i${run + offset}`));
const first = (): Loop => ({
  world: world({
    journal: structuredClone(emptyJournal),
    procedure: calm,
    fresh: fresh(20),
    state: state({ tick: 40 }),
  }),
  claim: null,
});

function take(loop: Loop, { versions, takeBack, ...made }: Plan, killed: boolean): Loop {
  const before = loop.world;
  const { journal } = before;
  for (const line of made.outcomes) foldLine(journal, line);
  const zero = before.versions.length === 0 && versions.length > 0 ? [version(0, { blocks: before.blocks })] : [];
  const known: Version[] = [...before.versions, ...zero, ...versions].map((each) => ({
    ...each,
    bad: each.bad ?? takeBack.find(({ n }) => n === each.n)?.bad ?? null,
  }));
  const next: World = {
    ...before,
    ...{ journal, versions: known, version: activeOf(known)?.n ?? 0, blocks: made.blocks, tick: made.tick + 1 },
    now: later(before.now, 24 * 60),
  };
  if (killed) return { world: next, claim: loop.claim };
  const rules = [...before.rules.filter(({ id }) => !made.rules.some((rule) => rule.id === id)), ...made.rules];
  const nextRun = before.nextRun + (made.claim?.runs.length ?? 0);
  const numbers = { nextRun, nextBatch: before.nextBatch + 1, nextLearning: 1 + rules.length, fresh: fresh(nextRun) };
  return { world: { ...next, ...numbers, rules, state: made.state, ended: [] }, claim: made.claim };
}

/** Failures in a row as a person counts them: an outage once a batch. */
const failures = (kinds: readonly Kind[], before: number) =>
  kinds.reduce((row, kind, index) => {
    if (kind === 'done') return 0;
    const isOutage = kind === 'infra' || kind === 'lost';
    const isFirst = !kinds.slice(0, index).some((each) => each === 'infra' || each === 'lost');
    return row + (kind === 'item' || (isOutage && isFirst) ? 1 : 0);
  }, before);

function live(steps: readonly Step[]): Record<string, number> {
  const model: Model = { streak: 0, failed: [], takenBack: false };
  const seen: Record<string, number> = {};
  let loop = first();
  let row = 0;
  for (const [index, step] of steps.entries()) {
    const { claim } = loop;
    const kinds =
      claim === null
        ? []
        : asSupervised(
            claim.runs.map((_, at) => step.kinds[at] as Kind),
            claim,
          );
    if (step.edits) {
      const lines = loop.world.blocks['contract.md'];
      loop.world = { ...loop.world, blocks: { ...loop.world.blocks, 'contract.md': [...lines, `- mine ${index}`] } };
    }
    const of = claim === null ? null : endedWith(claim, kinds, step.learns ? `Remember ${index}.` : null);
    loop.world = { ...loop.world, ended: of === null ? [] : [of] };
    const active = activeOf(loop.world.versions);
    const isLoops = active?.by === 'loop' && !step.edits;
    const verdict = judge(model, claim?.version ?? 0, kinds, { n: active?.n ?? 0, isLoops });
    row = failures(kinds, row);
    for (const killed of step.killed ? [true, false] : [false]) {
      const made = plan(loop.world);
      const told = made.takeBack.length > 0 ? 'takes back' : made.stop?.pauses === true ? 'pauses' : 'goes on';
      expect({ index, told, streak: made.state.today.errorsInARow }).toEqual({
        ...{ index, told: verdict, streak: model.streak },
      });
      loop = take(loop, made, killed);
      hold(loop, made);
    }
    seen[verdict] = (seen[verdict] ?? 0) + 1;
    expect(row).toBeLessThanOrEqual(2 * MOST);
    if (verdict !== 'pauses') continue;
    row = 0;
    model.streak = 0;
    // A person looks, and lets it go on: the reason stays for the loop to clear.
    loop.world = { ...loop.world, state: { ...loop.world.state, paused: false } };
  }
  return seen;
}

function endedWith(claim: Claim, kinds: readonly Kind[], rule: string | null): EndedBatch {
  return ended(
    claim.runs.map(({ item }, at) => resultOf(kinds[at] as Kind, item, claim.version, at === 0 ? rule : null)),
    claim,
  );
}

/** What must hold whatever happened. */
function hold({ world: now }: Loop, made: Plan): void {
  const active = activeOf(now.versions);
  expect(made.version).toBe(active?.n ?? 0);
  if (active !== null) expect(now.blocks).toEqual(active.blocks);
  if (made.claim !== null)
    expect([made.claim.version, made.claim.contract.version]).toEqual([made.version, made.version]);
  const wrong = now.versions.filter(
    ({ n, parent, by, bad }) =>
      !now.versions.some((each) => each.n === parent) ||
      (bad !== null && (n === 0 || by !== 'loop' || bad.to === null || bad.to >= n)),
  );
  // What was taken back is never in force or in the queue again.
  const there = [
    ...now.state.queuedLearnings.map(({ id }) => id),
    ...rulesIn(now.blocks['contract.md']).map(({ id }) => learningId(id)),
  ];
  const again = now.rules.filter(({ id, state: is }) => is === 'reverted' && there.includes(id));
  expect([wrong, again]).toEqual([[], []]);
}

const kind = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Kind>('item') },
  { weight: 2, arbitrary: fc.constant<Kind>('done') },
  { weight: 2, arbitrary: fc.constantFrom<Kind>('infra', 'limit', 'needs-human', 'lost') },
);
const seldom = (weight: number) =>
  fc.oneof({ weight, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });
const step: fc.Arbitrary<Step> = fc.record({
  kinds: fc.array(kind, { minLength: 3, maxLength: 3 }),
  ...{ learns: fc.boolean(), edits: seldom(40), killed: seldom(15) },
});

const total: Record<string, number> = {};

property.prop([fc.array(step, { minLength: 60, maxLength: 60, size: 'max' })], { numRuns: 500, endOnFailure: true })(
  'P3: streak, rollback and pause are as the model says, and no bad version is ever in force',
  (steps) => {
    for (const [verdict, times] of Object.entries(live(steps))) total[verdict] = (total[verdict] ?? 0) + times;
  },
);

test('P3: those streams took back, paused and went on, each many times', () => {
  for (const verdict of ['takes back', 'pauses', 'goes on']) expect(total[verdict]).toBeGreaterThan(500);
});
