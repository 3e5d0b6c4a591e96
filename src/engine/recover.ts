import { dirname, resolve } from 'node:path';
import { appliedLine, conflictLine, enteredLine, takenBackLine, yoursLine } from '../core/change-lines.ts';
import { claimedLine, printEntry, stopLine } from '../core/entry.ts';
import type { Claim, State } from '../core/model.ts';
import type { Rule } from '../core/rule.ts';
import type { Batches } from '../store/batches.ts';
import { readBatches } from '../store/batches.ts';
import type { Disk } from '../store/disk.ts';
import { readState } from '../store/state-file.ts';
import { readTick, rewriteTick, type TickRecord, tickNumbers } from '../store/ticks.ts';
import { activeVersion } from '../store/versions.ts';
import type { Workspace } from '../store/workspace.ts';
import { TEMPORARY } from '../store/write.ts';
import { type Finished, finishChange } from './change.ts';
import { finishTick } from './commit.ts';
import { readLedger, readLoop } from './observe.ts';
import { type Hands, reap } from './reap.ts';
import { readResult } from './results.ts';

/** Unfinished records can only be the newest; looked at with a wide margin. */
const LOOK_BACK = 4;

/**
 * Finishes what a killed tick left half done. What it left before its commit points is done again by the ordinary path.
 *
 * @returns false while a batch is running: then there is nothing else for this tick to do.
 */
export async function recover(hands: Hands, workspace: Workspace): Promise<boolean> {
  const { disk } = hands;
  const records = tickNumbers(disk, workspace)
    .slice(-LOOK_BACK)
    .flatMap((tick) => readTick(disk, workspace, tick) ?? [])
    .filter(({ state }) => state !== 'closed');
  const batches = readBatches(disk, workspace);
  sweepOwn(disk, workspace, records.length > 0 ? batches : null);
  for (const record of records) {
    if (record.state === 'closing') finishTick(disk, workspace, record);
    else closeInterrupted(hands, workspace, record, batches);
  }
  for (const claim of readBatches(disk, workspace).open) {
    const isOver = claim.runs.every((run) => readResult(disk, workspace, run) !== null);
    // A supervisor that has handed everything over may still be on its way out; nothing waits for that.
    if (!isOver && !(await reap(hands, workspace, claim))) return false;
    sweepBatch(disk, workspace, claim);
  }
  return true;
}

/** Tells what bears the number of a tick that never told it; what it filed is told by the tick that files it again. */
function closeInterrupted({ disk, clock }: Hands, workspace: Workspace, record: TickRecord, { open }: Batches): void {
  const done = finishChange(disk, workspace, record.tick, clock.now().toISOString());
  const state = readState(disk, workspace);
  const claims = open.filter(({ tick }) => tick === record.tick);
  const paused = pausedBy(state, record.tick);
  const lines = [
    ...changedLines(done, state, readLedger(disk, workspace), record.tick),
    ...claims.map(({ runs }) => claimedLine(runs.map(({ item }) => item))),
    ...(paused === null ? [] : [stopLine({ reason: paused, pauses: true })]),
    'what it had begun is finished by the ticks after it',
  ];
  const head = {
    ...{ tick: record.tick, time: record.time, version: activeVersion(disk, workspace), today: state.today.count },
    ...{ cap: readLoop(disk, workspace).procedure.caps.itemsPerDay, streak: state.today.errorsInARow },
  };
  const closing: TickRecord = { ...record, state: 'closing', spent: [], entry: printEntry(head, 'interrupted', lines) };
  rewriteTick(disk, workspace, closing);
  finishTick(disk, workspace, closing);
}

/** What a killed tick changed of the procedure, as the tick itself would have told it. */
function changedLines(
  { made, takenBack, conflict }: Finished,
  state: State,
  rules: readonly Rule[],
  tick: number,
): string[] {
  const text = (id: string) => [...state.queuedLearnings, ...rules].find((each) => each.id === id)?.rule ?? '';
  return [
    ...takenBack.flatMap((from) =>
      from.bad === null ? [] : [takenBackLine({ from, bad: from.bad, ids: from.applied })],
    ),
    ...made.flatMap(({ n, by }) => (by === 'human' ? [yoursLine(n)] : [])),
    ...made.flatMap(({ applied, n, parent }) => applied.map((id) => appliedLine({ id, rule: text(id) }, n, parent))),
    ...(conflict === null ? [] : [conflictLine(conflict.n, conflict.applied)]),
    ...rules.filter((rule) => rule.tick === tick).flatMap((rule) => enteredLine(rule, tick + 1)),
  ];
}

function pausedBy({ pauseReason }: State, tick: number): string | null {
  const start = `tick ${tick}: `;
  return pauseReason?.startsWith(start) ? pauseReason.slice(start.length) : null;
}

/** Removes our own temporary files where a killed tick can have left them: beside items only when one was interrupted. */
function sweepOwn(disk: Disk, workspace: Workspace, interrupted: Batches | null): void {
  const folders = new Set([workspace.jez, workspace.path('ticks')]);
  if (interrupted !== null)
    for (const name of disk.list(workspace.path('versions'))) folders.add(workspace.path('versions', name));
  for (const { runs, settings } of interrupted?.open ?? []) {
    const files = runs.flatMap((run) => [run.item, ...Object.keys(readResult(disk, workspace, run)?.outputs ?? {})]);
    for (const path of [settings.source.path, ...files]) {
      const folder = dirname(resolve(workspace.root, path));
      // The id of a row is no path, though it may look like one.
      if (folder === workspace.root || folder.startsWith(`${workspace.root}/`)) folders.add(folder);
    }
  }
  sweep(disk, folders);
}

/** Only once a batch is over: before that its temporary files are a living supervisor's. */
function sweepBatch(disk: Disk, workspace: Workspace, { batch, runs }: Claim): void {
  sweep(disk, [workspace.batch(batch), ...runs.map(({ run, item }) => workspace.run(run, item))]);
}

function sweep(disk: Disk, folders: Iterable<string>): void {
  for (const folder of folders)
    for (const name of disk.list(folder)) if (TEMPORARY.test(name)) disk.unlink(`${folder}/${name}`);
}
