import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from '../core/model.ts';
import { readBatches } from '../store/batches.ts';
import type { Workspace } from '../store/workspace.ts';
import type { Machine } from './machine.ts';
import { readResult } from './results.ts';

const LOOK_MS = 20;
/** Whether the supervisor lives takes longer to see than what it has handed over: seen at every tenth look. */
const POLL_EVERY = 10;

type Runs = Claim['runs'];

/** Runs without a result. They end in the order of the claim, but for the few that run side by side: the rest is not looked at. */
function stillOpen({ disk }: Pick<Machine, 'disk'>, workspace: Workspace, runs: Runs, concurrency: number): Runs {
  const open: Runs = [];
  for (const run of runs)
    if (open.length >= concurrency || disk.stat(workspace.run(run.run, run.item, 'result.json')) === null)
      open.push(run);
  return open;
}

/** Waits, without the lock, until nobody works on the batch any more. When `signal` aborts the supervisor is ended first. */
export async function waitForBatch(
  machine: Machine,
  workspace: Workspace,
  claim: Claim,
  signal: AbortSignal,
  progress: (done: number) => void = () => {},
): Promise<void> {
  const ticket = { root: workspace.root, claim };
  let open = claim.runs;
  let told = -1;
  let stopped = false;
  for (let look = 0; ; look++) {
    open = stillOpen(machine, workspace, open, Math.max(1, claim.settings.concurrency));
    const done = claim.runs.length - open.length;
    if (done !== told) progress(done);
    told = done;
    if (open.length === 0) return;
    if ((stopped || look % POLL_EVERY === 0) && (await machine.executor.poll(ticket)).state !== 'running') return;
    if (signal.aborted && !stopped) {
      await machine.executor.stop(ticket, 'asked to stop');
      stopped = true;
    }
    await sleep(LOOK_MS);
  }
}

/** @returns the claim somebody works on now, or null. */
export function runningClaim({ disk }: Machine, workspace: Workspace): Claim | null {
  return (
    readBatches(disk, workspace).open.find((claim) =>
      claim.runs.some((run) => readResult(disk, workspace, run) === null),
    ) ?? null
  );
}
