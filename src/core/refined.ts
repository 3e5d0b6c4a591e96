import type { Learning } from './model.ts';
import { type Rule, wordsOf } from './rule.ts';
import type { Blocks, Owned, Version } from './version.ts';
import type { World } from './world.ts';

/** What one tick does with the learnings of earlier ones, and with what people did to the rules meanwhile. */
export interface Refined {
  /** Versions to be made, in order: a person's first, since the loop's stands on it. */
  versions: Version[];
  /** The active version after that, and the blocks it has. */
  version: number;
  blocks: Blocks;
  /** What stays in the queue, and what a ticked box puts into it. */
  queue: Learning[];
  /** Entries of rules.yaml that change. */
  rules: Rule[];
  /** Told in this order. */
  applied: { learning: Learning; version: number; undo: number }[];
  retired: { rule: string; text: string; version: number }[];
  vetoed: { id: string; rule: string; how: string }[];
  refused: { id: string; rule: string; why: string }[];
  approved: Learning[];
  conflicts: { version: number; ids: string[] }[];
  edited: { version: number; files: Owned[] } | null;
}

/** A tick that changes nothing of its procedure. */
export function untouched(world: World): Refined {
  return {
    ...{ versions: [], version: world.version, blocks: world.blocks, queue: world.state.queuedLearnings, rules: [] },
    ...{ applied: [], retired: [], vetoed: [], refused: [], approved: [], conflicts: [], edited: null },
  };
}

export function newVersion(
  world: World,
  { versions, version }: Refined,
  by: Version['by'],
  cause: string,
  blocks: Blocks,
): Version {
  const highest = [...world.versions, ...versions].at(-1)?.n ?? 0;
  return {
    ...{ n: highest + 1, parent: version, tick: world.tick, day: world.day, at: world.now, by, cause },
    ...{ applied: [], retired: [], blocks, bad: null },
  };
}

export const ruleOf = (world: World, refined: Refined, id: string): Rule | undefined =>
  refined.rules.find((rule) => rule.id === id) ?? world.rules.find((rule) => rule.id === id);

/** A learning that rules.yaml has not heard of: a tick was killed between the two writes, or a person wrote the line. */
export const unheard = ({ day }: Pick<World, 'day'>, { id, tick, target, level, rule }: Learning): Rule => ({
  ...{ id, state: 'queued', key: target ?? `text:${wordsOf(rule)}`, rule, level, tick, day, at: '' },
  ...{ items: [], runs: [], version: 0, approved: false, why: '' },
});

export function note(world: World, refined: Refined, rule: Rule): void {
  const dated = { ...rule, tick: world.tick, day: world.day };
  refined.rules = [...refined.rules.filter(({ id }) => id !== rule.id), dated];
}

export function turnDown(world: World, refined: Refined, id: string, how: string): void {
  const rule = ruleOf(world, refined, id);
  const learning = world.state.queuedLearnings.find((each) => each.id === id);
  const known = rule ?? (learning === undefined ? undefined : unheard(world, learning));
  if (known === undefined) return;
  note(world, refined, { ...known, state: 'vetoed', why: how });
  refined.vetoed.push({ id, rule: known.rule, how });
}
