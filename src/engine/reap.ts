import { setTimeout as sleep } from 'node:timers/promises';
import { type BatchFacts, isReaped, type Standing, standing } from '../core/liveness.ts';
import type { Alive, Claim, ProcessId } from '../core/model.ts';
import { makeOwner, readAlive, readOwner } from '../store/batches.ts';
import type { Disk } from '../store/disk.ts';
import { number, type Workspace } from '../store/workspace.ts';
import type { Machine } from './machine.ts';
import { handOver, readBase, readResult, unfinished } from './results.ts';

const GRACE_MS = 10_000;
/** How long a supervisor past its time may stay silent before it is ended; one that only slept beats sooner. */
const OBSERVE_MS = 10_000;
const LOOK_MS = 250;

/** What reaping looks at and acts on. */
export type Hands = Pick<Machine, 'clock' | 'processes'> & { disk: Disk };

/** Looks at a batch without filed.json, and changes nothing. */
export function standingOf({ disk, clock, processes }: Hands, workspace: Workspace, claim: Claim): Standing {
  const owner = readOwner(disk, workspace, claim.batch);
  const mtime = disk.stat(workspace.batch(claim.batch, 'alive.json'))?.mtimeNs;
  const facts: BatchFacts = {
    claim,
    owner,
    alive: readAlive(disk, workspace, claim.batch),
    silentS: mtime === undefined ? Number.POSITIVE_INFINITY : Date.now() / 1000 - Number(mtime / 1_000_000n) / 1000,
    launcher: processes.look(claim.launcher),
    ownerLooks: owner === null || isReaped(owner) ? null : processes.look(owner),
    boot: clock.bootId(),
    uptime: clock.uptime(),
    pastUntil: clock.now().toISOString() > claim.until,
  };
  return standing(facts);
}

/**
 * Brings a batch to its end if nobody works on it any more: afterwards every run has a result.json.
 *
 * @returns false while it is running.
 */
export async function reap(hands: Hands, workspace: Workspace, claim: Claim): Promise<boolean> {
  const how = standingOf(hands, workspace, claim);
  if (how === 'running') return false;
  if (how === 'unowned' && !makeOwner(hands.disk, workspace, claim.batch, { reaped: true })) {
    // Somebody took it up between the look and now.
    return reap(hands, workspace, claim);
  }
  if (how === 'overdue' && !(await endOverdue(hands, workspace, claim))) return false;
  for (const run of claim.runs) await settle(hands, workspace, claim, run, how);
  return true;
}

/** @returns false when the supervisor beats again: it only slept. */
async function endOverdue(hands: Hands, workspace: Workspace, claim: Claim): Promise<boolean> {
  const before = readAlive(hands.disk, workspace, claim.batch);
  for (let waited = 0; waited < OBSERVE_MS && before?.spent !== true; waited += LOOK_MS) {
    await sleep(LOOK_MS);
    if (moved(before, readAlive(hands.disk, workspace, claim.batch))) return false;
  }
  const owner = readOwner(hands.disk, workspace, claim.batch);
  return owner === null || isReaped(owner) || (await hands.processes.end(owner, GRACE_MS));
}

const moved = (before: Alive | null, after: Alive | null) => after !== null && after.beat !== before?.beat;

async function settle(hands: Hands, workspace: Workspace, claim: Claim, run: Claim['runs'][number], how: Standing) {
  const { disk, clock } = hands;
  if (readResult(disk, workspace, run) !== null) return;
  const write = (outcome: 'lost' | 'released' | 'needs-human', summary: string) =>
    void handOver(disk, workspace, unfinished(claim, run, outcome, summary, 'reaper', clock.now()));
  if (readBase(disk, workspace, run) === null) return write('released', 'it was never started');
  if (how === 'unreachable')
    return write('needs-human', 'its processes are on a machine that fell silent: make sure they have ended');
  const gone = await endWorkers(hands, workspace, claim.batch, run.run);
  if (!gone) return write('needs-human', 'a process of this run is still there and could not be ended');
  return write('lost', 'the supervisor died while it was running');
}

/** Ends the group that alive.json names and every process of ours that carries the run, and confirms that they are gone. */
async function endWorkers(
  { disk, processes }: Hands,
  workspace: Workspace,
  batch: number,
  run: number,
): Promise<boolean> {
  const leader = readAlive(disk, workspace, batch)?.groups[String(run)];
  const carriers = await processes.endRun(number(run), workspace.root, GRACE_MS);
  return carriers && (leader === undefined || (await endGroupOf(processes, leader)));
}

/** While a group has members its number goes to nobody else; once its leader is gone too, the number may be anybody's. */
async function endGroupOf(processes: Hands['processes'], leader: ProcessId): Promise<boolean> {
  const now = processes.identify(leader.pid);
  if (now.boot !== leader.boot && now.host === leader.host) return true;
  if (now.host !== leader.host || now.namespace !== leader.namespace) return false;
  if (now.start !== null && now.start !== leader.start) return true;
  return processes.endGroup(leader.pid, GRACE_MS);
}
