import { mergeLines } from '../core/block.ts';
import { activeOf, type Blocks, OWNED, type Owned, sameLines, type Version } from '../core/version.ts';
import type { Plan, World } from '../core/world.ts';
import { PawlError } from '../errors.ts';
import { findBlock, setBlock } from '../formats/block.ts';
import type { Disk } from '../store/disk.ts';
import { readState } from '../store/state-file.ts';
import { makeVersion, markBad, readVersions, type Texts } from '../store/versions.ts';
import type { Workspace } from '../store/workspace.ts';
import { putIfUnchanged, putNew } from '../store/write.ts';
import { readOwned, textOf } from './owned.ts';

export interface Change {
  disk: Disk;
  workspace: Workspace;
  world: World;
  plan: Plan;
  keep(path: string): void;
}

/**
 * Steps 3 and 4: makes the versions of a plan, or takes one back, and brings the two blocks there.
 *
 * Files and queue are looked at once more before anything is written.
 * @throws PawlError `E_CHANGED` when a person edited them meanwhile: observe and plan again.
 */
export function change(at: Change): void {
  const { disk, workspace, world, plan } = at;
  if (plan.versions.length === 0 && plan.takeBack.length === 0) return;
  refuseChanged(at);
  if (world.versions.length === 0) makeFirst(at);
  for (const version of plan.versions) {
    const texts = textsWith(disk, workspace, version.blocks);
    if (!makeVersion(disk, workspace, version, texts, [...world.rules, ...plan.rules]))
      throw changed(`version ${version.n} is there already`);
  }
  // From the lowest up: the last one is the active one, and only with it anything changes.
  for (const { n, bad } of plan.takeBack) markBad(disk, workspace, n, bad);
  bring(at, baseOf(world, plan), plan.blocks);
}

/** What the loop's change began from: what the files hold, or the version that is taken back, whatever a person added since. */
const baseOf = ({ versions, blocks }: World, { takeBack }: Plan): Blocks =>
  (takeBack.length > 0 ? versions.find(({ n }) => n === takeBack.at(-1)?.n)?.blocks : undefined) ?? blocks;

function bring({ disk, workspace, plan, world, keep }: Change, base: Blocks, ours: Blocks): void {
  const made = plan.versions.findLast(({ by }) => by === 'loop');
  if (bringBlocks(disk, workspace, base, ours, keep) || made === undefined) return;
  // One of the two files may have it already: a version comes in whole or not at all.
  bringBlocks(disk, workspace, ours, base, keep);
  markBad(disk, workspace, made.n, {
    cause: 'conflict',
    tick: plan.tick,
    at: world.now,
    to: null,
    batch: null,
    runs: [],
  });
  throw changed(`version ${made.n} met an edit of the same lines`);
}

const changed = (why: string) => new PawlError('E_CHANGED', why, { at: '.jez/versions' });

/** A veto or an edit between the look and now counts: nothing has been written yet. */
function refuseChanged({ disk, workspace, world, plan }: Change): void {
  const queue = readState(disk, workspace).queuedLearnings;
  const isIn = (id: string) => queue.some((learning) => learning.id === id && !learning.veto);
  const gone = plan.versions.flatMap(({ applied }) => applied).find((id) => !isIn(id));
  if (gone !== undefined) throw changed(`${gone} is not in the queue any more`);
  for (const file of OWNED) {
    const block = findBlock(textOf(file, readOwned(disk, workspace, file)));
    const lines = block === null ? [] : typeof block === 'string' ? null : block.lines;
    if (lines === null || !sameLines(lines, world.blocks[file])) throw changed(`${file} changed meanwhile`);
  }
}

/** Version 0 is the text as it came: kept before the first change of it, never taken back. */
function makeFirst({ disk, workspace, world }: Change): void {
  const { blocks, tick, day, now: at } = world;
  const first: Version = {
    ...{ n: 0, parent: 0, tick, day, at, by: 'human', cause: 'the text as it came', applied: [], retired: [], blocks },
    bad: null,
  };
  makeVersion(disk, workspace, first, textsWith(disk, workspace, blocks), []);
}

const textsWith = (disk: Disk, workspace: Workspace, blocks: Blocks): Texts =>
  Object.fromEntries(
    OWNED.map((file) => {
      const text = textOf(file, readOwned(disk, workspace, file));
      return [file, setBlock(text, blocks[file]) ?? text];
    }),
  ) as Texts;

const TRIES = 5;

/** Step 4: writes what differs, over whatever a person wrote since. @returns false where both changed the same lines: theirs stay. */
function bringBlocks(
  disk: Disk,
  workspace: Workspace,
  base: Blocks,
  ours: Blocks,
  keep: (path: string) => void,
): boolean {
  return OWNED.every((file) => sameLines(base[file], ours[file]) || bringOne(disk, workspace, file, base, ours, keep));
}

function bringOne(
  disk: Disk,
  workspace: Workspace,
  file: Owned,
  base: Blocks,
  ours: Blocks,
  keep: (path: string) => void,
): boolean {
  const path = workspace.path(file);
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const current = readOwned(disk, workspace, file);
    const text = textOf(file, current);
    const block = findBlock(text);
    if (typeof block === 'string') return false;
    const merged = mergeLines(base[file], ours[file], block?.lines ?? []);
    const next = merged === null ? null : setBlock(text, merged);
    if (next === null) return false;
    if (next === text) return true;
    const isIn =
      current === null ? putNew(disk, path, next) : putIfUnchanged(disk, path, current, next, () => keep(path));
    if (isIn) return true;
  }
  throw new PawlError('E_BUSY', 'somebody keeps writing to this file', { at: path });
}

/** What a killed tick had made and taken back, and what became of it. */
export interface Finished {
  made: Version[];
  takenBack: Version[];
  conflict: Version | null;
}

/**
 * Step 4 of a tick that was killed after 3: the files come to what its manifest or bad.json says.
 *
 * Not when its learnings have left the queue: then step 4 was done, and what the files hold now is a person's doing.
 */
export function finishChange(disk: Disk, workspace: Workspace, tick: number, at: string): Finished {
  finishTakingBack(disk, workspace, tick);
  const versions = readVersions(disk, workspace);
  const takenBack = versions.filter(({ bad }) => bad !== null && bad.tick === tick && bad.cause !== 'conflict');
  const made = versions.filter((version) => version.tick === tick && version.n > 0);
  const finished: Finished = { made, takenBack, conflict: null };
  const top = takenBack.at(-1);
  const active = activeOf(versions);
  if (top !== undefined && active !== null) {
    bringBlocks(disk, workspace, top.blocks, active.blocks, () => {});
    return finished;
  }
  const version = made.findLast(({ by, bad }) => by === 'loop' && bad === null);
  const parent = versions.find(({ n }) => n === version?.parent);
  if (version === undefined || parent === undefined || !isUnfinished(disk, workspace, version)) return finished;
  if (bringBlocks(disk, workspace, parent.blocks, version.blocks, () => {})) return finished;
  bringBlocks(disk, workspace, version.blocks, parent.blocks, () => {});
  markBad(disk, workspace, version.n, { cause: 'conflict', tick, at, to: null, batch: null, runs: [] });
  return { ...finished, made: made.filter(({ n }) => n !== version.n), conflict: version };
}

/** A person's rollback over several versions begins with the lowest: what is above that and not bad yet was to be. */
function finishTakingBack(disk: Disk, workspace: Workspace, tick: number): void {
  const versions = readVersions(disk, workspace);
  const bad = versions.find((version) => version.bad?.tick === tick && version.bad.cause === 'person')?.bad;
  if (bad == null || bad.to === null) return;
  const { to } = bad;
  for (const { n } of versions.filter((version) => version.n > to && version.bad === null))
    markBad(disk, workspace, n, bad);
}

function isUnfinished(disk: Disk, workspace: Workspace, { applied }: Version): boolean {
  const queue = readState(disk, workspace).queuedLearnings;
  return applied.length === 0 || queue.some(({ id }) => applied.includes(id));
}
