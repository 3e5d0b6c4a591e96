import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from '../core/model.ts';
import { readBatches } from '../store/batches.ts';
import type { Workspace } from '../store/workspace.ts';
import type { Machine } from './machine.ts';
import { readResult } from './results.ts';

const LOOK_MS = 20;

/** @returns how many runs of a batch have been handed over. */
export const handedOver = ({ disk }: Pick<Machine, 'disk'>, workspace: Workspace, claim: Claim): number =>
  claim.runs.filter((run) => disk.stat(workspace.run(run.run, run.item, 'result.json')) !== null).length;

/** Waits, without the lock, until nobody works on the batch any more. When `signal` aborts the supervisor is ended first. */
export async function waitForBatch(
  machine: Machine,
  workspace: Workspace,
  claim: Claim,
  signal: AbortSignal,
  progress: (done: number) => void = () => {},
): Promise<void> {
  const ticket = { root: workspace.root, claim };
  let told = -1;
  let stopped = false;
  for (;;) {
    const done = handedOver(machine, workspace, claim);
    if (done !== told) progress(done);
    told = done;
    if (done === claim.runs.length) return;
    if ((await machine.executor.poll(ticket)).state !== 'running') return;
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
