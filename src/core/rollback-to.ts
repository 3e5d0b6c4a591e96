import { learningId, rulesIn } from './block.ts';
import { takenBackLine } from './change-lines.ts';
import { printEntry } from './entry.ts';
import { isClosed, type Rule } from './rule.ts';
import { countOn } from './tally.ts';
import { activeOf, OWNED, type Version } from './version.ts';
import type { Plan, World } from './world.ts';

/** Why a person's rollback can't be done, in words. */
export interface Refusal {
  why: string;
}

/**
 * A person's rollback as a plan of its own, performed like a tick's: every version above the target is bad from then on, and the target's
 * blocks come back. Settings, text and everything else stay.
 *
 * @param world with all its versions.
 */
export function planRollback(world: World, target: number): Plan | Refusal {
  const { versions } = world;
  const active = activeOf(versions);
  const to = versions.find(({ n }) => n === target);
  if (active === null) return { why: 'there is no version but 0, the text as it came' };
  if (to === undefined) return { why: `there is no version ${target}; \`pawl versions\` lists them` };
  if (to.bad !== null) return { why: `version ${target} is bad, which is final; take a lower one` };
  if (to.n === active.n) return { why: `version ${target} is the one in force` };
  const away = versions.filter(({ n, bad }) => n > to.n && bad === null);
  const bad = { cause: 'person' as const, tick: world.tick, at: world.now, to: to.n, batch: null, runs: [] };
  const lines = away.toReversed().map((from) => takenBackLine({ from, bad, ids: from.applied }));
  return {
    ...{ tick: world.tick, day: world.day, changes: lines, versions: [], blocks: to.blocks, version: to.n },
    takeBack: away.map(({ n }) => ({ n, bad })),
    ...{ file: [], outcomes: [], claim: null, state: { ...world.state, tick: world.tick }, queued: [], review: [] },
    rules: [...away.flatMap((version) => reverted(world, version)), ...restored(world, to)],
    entry: entryOf(world, to, lines),
    ...{ counts: true, spent: [], stop: null, seal: null, exhausted: false },
  };
}

function reverted({ rules, tick, day }: World, { n, applied }: Version): Rule[] {
  return rules
    .filter(({ id, state }) => applied.includes(id) && state === 'applied')
    .map((rule) => ({ ...rule, state: 'reverted', why: `you took version ${n} back`, tick, day }));
}

/** Whoever goes back to a version wants its rules, whatever was said of them since. */
function restored({ rules, tick, day }: World, { n, blocks }: Version): Rule[] {
  const there = OWNED.flatMap((file) => rulesIn(blocks[file])).map(({ id }) => learningId(id));
  return rules
    .filter((rule) => there.includes(rule.id) && isClosed(rule))
    .map((rule) => ({ ...rule, state: 'applied', why: '', version: n, tick, day }));
}

function entryOf(
  { tick, time, procedure, tally, day, state }: World,
  { n }: Version,
  lines: readonly string[],
): string {
  const head = { tick, time, version: n, today: countOn(tally, day), cap: procedure.caps.itemsPerDay };
  return printEntry({ ...head, streak: state.today.errorsInARow }, `rolled back to version ${n}`, lines);
}
