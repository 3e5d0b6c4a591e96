import { dirname } from 'node:path';
import type { Claim, Result, State } from '../core/model.ts';
import type { Rule } from '../core/rule.ts';
import type { Filing, Plan, ReviewLine, World } from '../core/world.ts';
import { codeOf, PawlError } from '../errors.ts';
import { addReviewLines } from '../formats/review.ts';
import { printRules } from '../formats/rules.ts';
import type { Source, Filing as SourceFiling } from '../sources/source.ts';
import { makeClaim, makeFiled, makeOwner } from '../store/batches.ts';
import type { Disk } from '../store/disk.ts';
import { appendOutcomes } from '../store/journal.ts';
import { appendEntry } from '../store/reflections.ts';
import { writeState } from '../store/state-file.ts';
import { openTick, readTick, rewriteTick, type TickRecord } from '../store/ticks.ts';
import { sha256, type Workspace } from '../store/workspace.ts';
import { makeFolder, put, putIfUnchanged, rewrite } from '../store/write.ts';
import { change } from './change.ts';
import { readBase, readResult } from './results.ts';
import { takenBytes, toFiling } from './sight.ts';

export interface Commit {
  /** The fenced disk: a tick that lost the lock writes nothing more. */
  disk: Disk;
  workspace: Workspace;
  source: Source;
  world: World;
  plan: Plan;
  keep(path: string): void;
}

/**
 * Performs a plan in the order of DESIGN 7.2; every line is a crash point from which the next tick goes on.
 *
 * @throws PawlError `E_CHANGED` when an item or output changed since it was looked at: observe and plan again.
 * @throws PawlError `E_BUSY` or `E_FORMAT` when state.md can't be written: the claim is then released.
 */
export async function commit(at: Commit): Promise<void> {
  const { disk, workspace, plan } = at;
  if (plan.entry === null) return commitQuietly(at);
  const record = openRecord(at, plan.entry); // 2
  change(at); // 3, 4
  await fileAll(at); // 5, 6
  appendOutcomes(disk, workspace, plan.outcomes); // 7
  if (plan.claim !== null && !makeClaim(disk, workspace, plan.claim))
    // 8
    throw new PawlError('E_CHANGED', 'the batch number was taken meanwhile', { at: workspace.batch(plan.claim.batch) });
  const vetoed = await commitState(at, plan.claim); // 9
  writeRules(at, withVetoes(plan, vetoed)); // 10
  writeReview(at, plan.review);
  rewriteTick(disk, workspace, { ...record, state: 'closing', entry: plan.entry, spent: plan.spent }); // 11
  finishTick(disk, workspace, { ...record, entry: plan.entry, spent: plan.spent }); // 12 to 14
}

/** Steps 12 to 14, also for a tick that was killed after 11. */
export function finishTick(disk: Disk, workspace: Workspace, record: TickRecord): void {
  for (const spent of record.spent) makeFiled(disk, workspace, { v: 1, tick: record.tick, ...spent });
  if (record.entry !== null) appendEntry(disk, workspace, record.day, record.entry);
  rewriteTick(disk, workspace, { ...record, state: 'closed' });
}

/** A tick of which nothing is told: at most it takes note of what a person did, or of a tick that was killed, or shows one what can't be read. */
async function commitQuietly(at: Commit): Promise<void> {
  const { disk, workspace, world, plan, keep } = at;
  const resumed = world.state.pauseReason !== null && !world.state.paused;
  const rested = world.state.waitingUntil !== null && plan.state.waitingUntil === null;
  const learned = plan.state.queuedLearnings.length !== world.state.queuedLearnings.length;
  if (resumed || rested || learned || plan.counts) {
    const planned = plan.counts ? plan.state : { ...plan.state, tick: world.state.tick };
    await writeState(disk, workspace, { base: world.state, planned, keep });
  }
  writeRules(at, plan.rules);
  if (plan.review.length > 0) writeReview(at, plan.review);
}

function openRecord({ disk, workspace, world, plan }: Commit, entry: string): TickRecord {
  const record: TickRecord = {
    ...{ v: 1, tick: plan.tick, day: plan.day, time: world.time, generation: world.generation, state: 'open' },
    ...{ entry: null, spent: [], stop: plan.stop === null ? null : { name: plan.stop.name, day: plan.day } },
  };
  const there = readTick(disk, workspace, plan.tick);
  if (there === null) openTick(disk, workspace, record);
  else if (there.generation !== world.generation || there.state !== 'open')
    throw new PawlError('E_CHANGED', `tick ${plan.tick} is somebody else's: ${entry.slice(0, 60)}`, {
      at: workspace.tick(plan.tick),
    });
  return record;
}

/** Outputs first, marks last: from its mark on an item is done. A source of many items in one file writes that once. */
async function fileAll(at: Commit): Promise<void> {
  const { source, plan } = at;
  if (plan.file.length === 0) return;
  const filings: SourceFiling[] = [];
  for (const filing of plan.file) filings.push(await bringOutputs(at, filing));
  const filed = await source.file(filings);
  const failed = filings.findIndex((_, index) => !['marked', 'already'].includes(filed[index]?.as ?? 'gone'));
  if (failed !== -1)
    throw new PawlError('E_CHANGED', `the item changed while it was filed (${filed[failed]?.as})`, {
      at: filings[failed]?.item,
    });
}

async function bringOutputs({ disk, workspace, plan, keep }: Commit, filing: Filing): Promise<SourceFiling> {
  const result = readResult(disk, workspace, filing);
  if (result === null)
    throw new PawlError('E_CHANGED', 'result.json is gone', { at: workspace.run(filing.run, filing.item) });
  for (const path of filing.writes) writeOutput(disk, workspace, result, path, keep);
  return toFiling(disk, workspace, result, plan.day);
}

function writeOutput(
  disk: Disk,
  workspace: Workspace,
  result: Result,
  path: string,
  keep: (path: string) => void,
): void {
  const changed = (why: string) => new PawlError('E_CHANGED', why, { at: path });
  const bytes = takenBytes(disk, workspace, result, path);
  if (bytes === null) throw changed('what the run handed over is gone');
  const target = workspace.inRoot(path);
  const current = disk.read(target);
  const base = readBase(disk, workspace, result)?.files[path] ?? null;
  if ((current === null ? null : sha256(current)) !== base) throw changed('the output changed while it was filed');
  makeFolder(disk, dirname(target));
  if (!putIfUnchanged(disk, target, current, bytes, () => keep(target)))
    throw changed('the output changed while it was filed');
}

/** @returns learnings that this tick applied, and whose line was deleted or vetoed meanwhile. */
async function commitState({ disk, workspace, world, plan, keep }: Commit, claim: Claim | null): Promise<string[]> {
  const applied = plan.versions.flatMap((version) => version.applied);
  let vetoed: string[] = [];
  const look = ({ queuedLearnings }: State) => {
    vetoed = applied.filter((id) => !queuedLearnings.some((each) => each.id === id && !each.veto));
  };
  try {
    await writeState(disk, workspace, { base: world.state, planned: plan.state, keep, look });
    return vetoed;
  } catch (error) {
    if (!['E_BUSY', 'E_FORMAT'].includes(codeOf(error) ?? '')) throw error;
    // The rest is left for the next tick; nothing may start that state.md does not show, and a stop must hold.
    if (claim !== null) makeOwner(disk, workspace, claim.batch, { reaped: true });
    if (plan.stop?.pauses === true) put(disk, workspace.pause(), `${plan.state.pauseReason}\n`);
    throw error;
  }
}

/** What was vetoed in the moment it was applied is taken out again by the next tick. */
const withVetoes = ({ rules }: Plan, vetoed: readonly string[]): Rule[] =>
  rules.map((rule) =>
    vetoed.includes(rule.id) ? { ...rule, state: 'vetoed', why: 'its line was deleted while it was applied' } : rule,
  );

function writeRules({ disk, workspace }: Commit, rules: readonly Rule[]): void {
  if (rules.length === 0) return;
  rewrite(disk, workspace.rules(), (text) => printRules(text, rules, '.jez/rules.yaml'));
}

function writeReview({ disk, workspace }: Commit, lines: readonly ReviewLine[]): void {
  if (lines.length > 0) rewrite(disk, workspace.review(), (text) => addReviewLines(text, lines));
}
