import { learningId, rulesIn } from './block.ts';
import { newVersion, note, type Refined, ruleOf, turnDown } from './refined.ts';
import { isClosed, type Rule } from './rule.ts';
import { activeOf, OWNED, sameBlocks, sameLines, type Version } from './version.ts';
import type { World } from './world.ts';

/** What a person wrote between the markers is the next version: theirs, and never taken back by itself. */
export function takeEdits(world: World, refined: Refined): void {
  const active = activeOf(world.versions);
  if (!world.readable || active === null || sameBlocks(active.blocks, world.blocks)) return;
  const files = OWNED.filter((file) => !sameLines(active.blocks[file], world.blocks[file]));
  const before = OWNED.flatMap((file) => rulesIn(active.blocks[file]));
  const after = OWNED.flatMap((file) => rulesIn(world.blocks[file]));
  const gone = before.filter(({ id }) => !after.some((each) => each.id === id));
  const theirs = after.filter(({ id, text }) => !before.some((each) => each.id === id && each.text === text));
  const made = newVersion(world, refined, 'human', 'a person changed the rules', world.blocks);
  refined.versions.push({ ...made, retired: gone.map(({ id }) => id) });
  refined.version = made.n;
  refined.edited = { version: made.n, files };
  for (const { id } of gone) turnDown(world, refined, learningId(id), 'its line was deleted');
  for (const { id, text } of theirs) {
    const rule = ruleOf(world, refined, learningId(id));
    if (rule !== undefined) note(world, refined, { ...rule, state: 'kept', rule: text, version: made.n, why: '' });
  }
}

/** Takes out of the queue what was applied or turned down, by whichever way, and brings rules.yaml up to date. */
export function settle(world: World, refined: Refined): void {
  const queue = world.state.queuedLearnings;
  const gone = new Set<string>();
  for (const learning of queue) {
    const done = madeOf(world, learning);
    const rule = ruleOf(world, refined, learning.id);
    if (done !== undefined && learning.veto) {
      gone.add(learning.id);
      turnDown(world, refined, learning.id, 'veto: true');
    } else if (done !== undefined) {
      gone.add(learning.id);
      // This tick made it before it had to look again; an earlier one that was killed has told it.
      if (done.tick === world.tick) refined.applied.push({ learning, version: done.n, undo: done.parent });
    } else if (learning.veto) turnDown(world, refined, learning.id, 'veto: true');
    else if (rule !== undefined && isClosed(rule))
      refined.vetoed.push({ id: rule.id, rule: rule.rule, how: howOf(rule) });
  }
  for (const { id } of refined.vetoed) gone.add(id);
  refined.queue = queue.filter(({ id }) => !gone.has(id));
  refined.conflicts = world.versions
    .filter(({ tick, bad }) => bad?.cause === 'conflict' && tick === world.tick)
    .map(({ n, applied }) => ({ version: n, ids: applied }));

  for (const rule of world.rules.filter(({ id }) => !refined.rules.some((each) => each.id === id))) {
    if (rule.state === 'applied' && world.readable) settleApplied(world, refined, rule);
    if (rule.state === 'queued') settleQueued(world, refined, rule);
  }
}

/** What was taken back, deleted or rewritten in a tick that was killed before it came to rules.yaml. */
function settleApplied(world: World, refined: Refined, rule: Rule): void {
  const line = OWNED.flatMap((file) => rulesIn(world.blocks[file])).find(({ id }) => learningId(id) === rule.id);
  if (world.versions.find(({ n }) => n === rule.version)?.bad) note(world, refined, { ...rule, state: 'reverted' });
  else if (line === undefined) turnDown(world, refined, rule.id, 'its line was deleted');
  else if (line.text !== rule.rule) note(world, refined, { ...rule, state: 'kept', rule: line.text });
}

function settleQueued(world: World, refined: Refined, rule: Rule): void {
  const made = madeOf(world, rule);
  if (made !== undefined)
    note(world, refined, { ...rule, state: made.bad === null ? 'applied' : 'reverted', version: made.n });
  // state.md is written before rules.yaml: what only rules.yaml knows as queued has had its line, and somebody took it out.
  else if (!world.state.queuedLearnings.some(({ id }) => id === rule.id))
    turnDown(world, refined, rule.id, 'its line in state.md was deleted');
}

/** The version that this came in with since it was queued. What was taken back and approved again may come in again. */
const madeOf = ({ versions }: World, { id, tick }: { id: string; tick: number }): Version | undefined =>
  versions.findLast((each) => each.applied.includes(id) && each.tick > tick && each.bad?.cause !== 'conflict');

/** By `pawl veto`, which was killed before it took the line out, or in rules.yaml itself. */
const howOf = ({ why, state }: Rule): string => (why === '' ? `${state} in rules.yaml` : why);
