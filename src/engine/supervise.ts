import pLimit from 'p-limit';
import { account } from '../core/account.ts';
import type { Claim, ProcessId, Result } from '../core/model.ts';
import { codeOf, messageOf } from '../errors.ts';
import type { Seat, Worker } from '../executors/executor.ts';
import { parseState } from '../formats/state.ts';
import type { Source } from '../sources/source.ts';
import { makeOwner, writeAlive } from '../store/batches.ts';
import { number, type Workspace } from '../store/workspace.ts';
import { makeFolder, same } from '../store/write.ts';
import { attempt } from './attempt.ts';
import type { Hands } from './reap.ts';
import { handOver, readResult, unfinished } from './results.ts';

const BEAT_MS = 5_000;
/** Timers turn longer ones into 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export interface Supervision {
  hands: Hands;
  workspace: Workspace;
  claim: Claim;
  worker: Worker;
  source: Source;
  /** Aborts on SIGTERM or SIGINT: no new starts, running workers are ended, their runs released. */
  signal: AbortSignal;
}

/**
 * Works on one batch and hands over one result.json a run. Writes nothing but the batch's and the runs' own folders.
 *
 * @returns false when the batch has an owner already.
 */
export async function supervise({ hands, workspace, claim, worker, source, signal }: Supervision): Promise<boolean> {
  const { disk, clock, processes } = hands;
  const self = processes.self();
  if (!makeOwner(disk, workspace, claim.batch, self)) return false;
  makeRunFolders(hands, workspace, claim);

  const groups: Record<string, ProcessId> = {};
  const time = new AbortController();
  let beat = 0;
  const alive = () =>
    writeAlive(disk, workspace, claim.batch, {
      uptime: clock.uptime(),
      beat: beat++,
      groups,
      spent: time.signal.aborted,
    });
  const heart = setInterval(() => {
    try {
      alive();
    } catch (error) {
      // A full disk must not cost the work that is under way: a beat that can't be written shows as silence.
      if (codeOf(error) === null) throw error;
    }
  }, BEAT_MS);
  // Each worker has a limit of its own; this one catches what those could not end.
  const budget = setTimeout(
    () => time.abort(),
    Math.min(LONGEST_TIMER_MS, Date.parse(claim.until) - Date.parse(claim.at.time)),
  );
  const stop = AbortSignal.any([signal, time.signal]);

  const gate = startGate(hands, workspace, claim, stop);
  const one = async (run: Claim['runs'][number]): Promise<void> => {
    if (readResult(disk, workspace, run) !== null) return;
    // A waiting job is never taken out of p-limit's queue: its promise would stay pending and the process end half-way.
    const closed = gate.closed();
    const released = (why: string) => unfinished(claim, run, 'released', why, 'supervisor', clock.now());
    if (closed !== null) return void handOver(disk, workspace, released(closed));
    const group: Seat['group'] = (pid) => {
      if (pid === null) return void delete groups[String(run.run)];
      groups[String(run.run)] = processes.identify(pid);
      alive();
    };
    const result = await attempt({ hands, workspace, claim, run, worker, source, signal: stop, group }).catch(
      (error: unknown) => failedHere(claim, run, error, clock.now()),
    );
    gate.note(result);
    handOver(disk, workspace, result);
  };

  try {
    alive();
    const limit = pLimit(Math.max(1, claim.settings.concurrency));
    await Promise.all(claim.runs.map((run) => limit(() => one(run))));
  } finally {
    clearInterval(heart);
    clearTimeout(budget);
  }
  return true;
}

/** All at once, so that one sync makes their names last. A run whose folder has no base.json was not started. */
function makeRunFolders({ disk }: Hands, workspace: Workspace, { runs }: Claim): void {
  makeFolder(disk, workspace.path('runs'));
  const made = runs.map(({ run, item }) => disk.makeFolder(workspace.run(run, item)));
  if (made.includes(true)) disk.syncFolder(workspace.path('runs'));
}

/** Our own helper broke: the item is not to blame. */
function failedHere(claim: Claim, run: Claim['runs'][number], error: unknown, now: Date): Result {
  const message = messageOf(error);
  return {
    ...unfinished(claim, run, 'lost', message, 'supervisor', now),
    outcome: 'failed',
    error: { class: 'tool', message },
  };
}

/** What stops a running supervisor from starting more: a pause, the first outcome that concerns all, failures in a row. */
function startGate({ disk }: Hands, workspace: Workspace, claim: Claim, stop: AbortSignal) {
  let streak = claim.streak;
  let why: string | null = null;
  let state: { bytes: Buffer; paused: boolean } | null = null;
  return {
    closed(): string | null {
      if (stop.aborted) return 'the batch was stopped before it started';
      return why ?? (isPaused() ? 'the loop was paused before it started' : null);
    },
    note({ run, outcome, error }: Result) {
      const counts = account(outcome, error?.class ?? null);
      if (counts.streak === 'reset') streak = 0;
      if (counts.streak === 'add') streak += 1;
      const everybody = outcome === 'failed' && error !== null && error.class !== 'item';
      if (everybody) why ??= `not started after a failure of class ${error.class} in run ${number(run)}`;
      if (streak >= claim.settings.pauseAfterErrors) why ??= `not started after ${streak} errors in a row`;
    },
  };

  function isPaused(): boolean {
    if (disk.stat(workspace.pause()) !== null) return true;
    try {
      const bytes = disk.read(workspace.state()) ?? Buffer.alloc(0);
      // Reading the lines of fifty claims takes as long as starting some workers does, and the same bytes say the same.
      if (state === null || !same(state.bytes, bytes)) state = { bytes, paused: parseState(bytes, 'state.md').paused };
      return state.paused;
    } catch {
      // What can't be read doesn't say "go on".
      return true;
    }
  }
}
