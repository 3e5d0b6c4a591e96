import { learningId, overfull, readRule, ruleId, ruleLine } from './block.ts';
import { toLearning } from './capture.ts';
import type { Learning, State } from './model.ts';
import { newVersion, note, type Refined, ruleOf, unheard, untouched } from './refined.ts';
import { badText, ruleText, wordsOf } from './rule.ts';
import { settle, takeEdits } from './settle.ts';
import { type Blocks, OWNED, type Owned } from './version.ts';
import type { World } from './world.ts';

/** Decides the change of procedure of one tick. Nothing that this tick itself noticed can be in it: that comes to the queue later. */
export function refine(world: World): Refined {
  const refined = untouched(world);
  if (world.light || world.collectOnly) return refined;
  takeEdits(world, refined);
  settle(world, refined);
  const met = new Set(refined.conflicts.flatMap(({ ids }) => ids));
  // What met a person's edit in this very tick waits for another one, so that they see it first.
  const due = refined.queue.filter((learning) => isDue(world, learning) && !met.has(learning.id));
  apply(world, refined, world.refusal === null ? due : []);
  approve(world, refined);
  return refined;
}

/** Whether a person may still say no: the window counts ticks that came this far, and hours since it was queued. */
function isDue({ tick, now, procedure, rules }: World, learning: Learning): boolean {
  const { mode } = procedure.learn;
  const rule = rules.find(({ id }) => id === learning.id);
  if (mode === 'off' || learning.tick >= tick) return false;
  if (rule?.approved === true) return true;
  if (mode === 'manual') return false;
  const { ticks, hours } = procedure.window;
  if (tick - learning.tick < Math.max(1, ticks)) return false;
  if (hours === 0) return true;
  const since = Date.parse(rule?.at ?? '');
  // Nobody knows since when: then it has not been long enough.
  return Number.isFinite(since) && Date.parse(now) - since >= hours * 3_600_000;
}

/** Makes one version of everything that is due, and takes vetoed rules out of the blocks. */
function apply(world: World, refined: Refined, due: readonly Learning[]): void {
  const blocks: Blocks = {
    'contract.md': [...refined.blocks['contract.md']],
    'loop.md': [...refined.blocks['loop.md']],
  };
  const retired = retire(world, refined, blocks);
  const applied: Learning[] = [];
  for (const learning of due) {
    const file: Owned = learning.level === 1.5 ? 'loop.md' : 'contract.md';
    const text = ruleText(learning.rule);
    const next = [...blocks[file], ruleLine(ruleId(learning.id), text)];
    const why = badText(text) ?? (isThere(blocks, text) ? 'the rules say so already' : overfull(next));
    refined.queue = refined.queue.filter(({ id }) => id !== learning.id);
    if (why === null) {
      blocks[file] = next;
      applied.push({ ...learning, rule: text });
    } else refuse(world, refined, learning, why);
  }
  if (applied.length === 0 && retired.length === 0) return;
  const cause = applied.length > 0 ? `learned: ${applied.map(({ id }) => id).join(', ')}` : 'a person said no';
  const made = newVersion(world, refined, 'loop', cause, blocks);
  refined.versions.push({
    ...made,
    applied: applied.map(({ id }) => id),
    retired: retired.map(({ id }) => id),
  });
  refined.version = made.n;
  refined.blocks = blocks;
  for (const learning of applied) {
    refined.applied.push({ learning, version: made.n, undo: made.parent });
    const rule = ruleOf(world, refined, learning.id) ?? unheard(world, learning);
    note(world, refined, { ...rule, state: 'applied', rule: learning.rule, level: learning.level, version: made.n });
  }
  for (const { id, text } of retired) refined.retired.push({ rule: id, text, version: made.n });
}

/** Rules that a person turned down while their line is still there: by `pawl veto`, or in the moment they were applied. */
function retire(world: World, refined: Refined, blocks: Blocks): { id: string; text: string }[] {
  if (world.refusal !== null) return [];
  const out: { id: string; text: string }[] = [];
  for (const file of OWNED) {
    blocks[file] = blocks[file].filter((line) => {
      const read = readRule(line);
      const rule = read === null ? undefined : ruleOf(world, refined, learningId(read.id));
      if (read === null || rule === undefined || rule.state !== 'vetoed') return true;
      out.push(read);
      return false;
    });
  }
  return out;
}

const isThere = (blocks: Blocks, text: string): boolean =>
  OWNED.some((file) => blocks[file].some((line) => wordsOf(readRule(line)?.text ?? line) === wordsOf(text)));

/** Ticked boxes of review.md: queued now, so that they still wait for a tick. */
function approve(world: World, refined: Refined): void {
  if (world.procedure.learn.mode === 'off') return;
  for (const id of world.approvals) {
    const rule = ruleOf(world, refined, id);
    if (rule === undefined || rule.state !== 'held') continue;
    const learning = toLearning(rule, world.tick);
    refined.queue = [...refined.queue, learning];
    refined.approved.push(learning);
    note(world, refined, { ...rule, state: 'queued', approved: true, at: world.now, why: '' });
  }
}

function refuse(world: World, refined: Refined, learning: Learning, why: string): void {
  const rule = ruleOf(world, refined, learning.id) ?? unheard(world, learning);
  note(world, refined, { ...rule, state: 'refused', why });
  refined.refused.push({ id: learning.id, rule: learning.rule, why });
}

/** Learnings that wait for another tick, so that ticks that do nothing else count too. */
export const waitsForTicks = (queue: State['queuedLearnings'], { procedure, rules }: World): boolean =>
  procedure.learn.mode === 'on' &&
  procedure.window.ticks > 1 &&
  queue.some(({ id }) => rules.find((rule) => rule.id === id)?.approved !== true);
