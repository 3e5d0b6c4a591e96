import { setImmediate as loopTurn } from 'node:timers/promises';
import type { Claim } from '../core/model.ts';
import { plan as decide } from '../core/plan.ts';
import type { Plan, World } from '../core/world.ts';
import { codeOf, PawlError } from '../errors.ts';
import { misplacedKeys } from '../formats/state.ts';
import { makeOwner } from '../store/batches.ts';
import type { Disk } from '../store/disk.ts';
import { keeper, pruneHistory } from '../store/history.ts';
import { acquire, fenced, type Held } from '../store/lock.ts';
import { fileStamps, writeSeal } from '../store/seal.ts';
import { readState } from '../store/state-file.ts';
import { pruneTicks } from '../store/ticks.ts';
import { pruneVersions } from '../store/versions.ts';
import type { Workspace } from '../store/workspace.ts';
import { putUnsynced } from '../store/write.ts';
import { commit } from './commit.ts';
import { type Machine, realMachine } from './machine.ts';
import { type Observed, observe, readLoop } from './observe.ts';
import { recover } from './recover.ts';

const OBSERVE_TRIES = 5;

export interface TickOptions {
  workspace: Workspace;
  machine?: Machine;
  /** The second half of `tick --wait`: files what ended, claims nothing. */
  collectOnly?: boolean;
  /** Aborts on SIGINT and SIGTERM: the write under way is finished, nothing is launched. */
  signal?: AbortSignal;
}

/** What a tick came to. */
export interface TickReport {
  /** - `busy`: another tick has the lock. `running`: a batch is worked on. `idle`: nothing to do. `acted`: see `plan`. */
  did: 'paused' | 'busy' | 'running' | 'idle' | 'acted';
  plan: Plan | null;
  /** The batch that was launched. */
  launched: Claim | null;
}

/**
 * One fire of the clock: lock, recover, observe, plan, commit, launch. The batch runs on after it returns.
 *
 * @throws PawlError when a file can't be read or is unsafe: then nothing was written.
 */
export async function tick(options: TickOptions): Promise<TickReport> {
  const { workspace, machine = realMachine } = options;
  const nothing = (did: TickReport['did']): TickReport => ({ did, plan: null, launched: null });
  if (isPaused(machine.disk, workspace)) return nothing('paused');
  // Before the lock and before recovery: with a procedure that can't be read nothing is written at all.
  readLoop(machine.disk, workspace);
  refuseMisplaced(machine.disk, workspace);
  const { disk, clock, processes, gate } = machine;
  const held = await acquire({ disk, folder: workspace.path('lock'), clock, processes, gate });
  if (held === null) return nothing('busy');
  let plan: Plan | null;
  try {
    plan = await underLock(options, machine, fenced(disk, held), held);
  } finally {
    await held.release(); // 15
  }
  if (plan === null) return nothing('running');
  const launched =
    plan.claim !== null && (await launch(machine, workspace, plan.claim, options.signal)) ? plan.claim : null; // 16
  return { did: plan.entry === null ? 'idle' : 'acted', plan, launched };
}

/** Steps 3 to 14. @returns null while a batch is running. */
async function underLock(
  { workspace, collectOnly = false }: TickOptions,
  machine: Machine,
  disk: Disk,
  { generation }: Held,
): Promise<Plan | null> {
  if (!(await recover({ ...machine, disk }, workspace))) return null;
  let tick: number | undefined;
  let light = false;
  for (let tries = 1; ; tries++) {
    const stamps = fileStamps(disk, workspace);
    let keepOld: (path: string) => void = () => {};
    const keep = (path: string) => keepOld(path);
    const again = tick === undefined ? {} : { tick };
    const observed: Observed = await observe({ machine, workspace, disk, generation, collectOnly, keep, ...again });
    const world: World = tick === undefined ? observed.world : { ...observed.world, light };
    keepOld = keeper(disk, workspace, world.tick);
    const plan = decide(world);
    try {
      await commit({ disk, workspace, source: observed.source, world, plan, keep });
    } catch (error) {
      if (codeOf(error) !== 'E_CHANGED' || tries === OBSERVE_TRIES) throw error;
      // Somebody edited between the look and the write: look again. What is done already shows as done.
      tick = world.tick;
      light = world.light;
      continue;
    }
    tidy(disk, workspace, observed, world, plan, stamps);
    return plan;
  }
}

/** Caches and old records: none of it is the truth, so none of it is synced or may fail a tick. */
function tidy(
  disk: Disk,
  workspace: Workspace,
  { saveJournal, source }: Observed,
  world: World,
  plan: Plan,
  stamps: [string, string][],
) {
  try {
    saveJournal();
    if (plan.entry !== null) {
      pruneTicks(disk, workspace);
      pruneHistory(disk, workspace);
      if (plan.versions.length > 0) pruneVersions(disk, workspace);
    }
    const last = plan.claim?.runs.filter(({ prior }) => prior === null).at(-1)?.item;
    if (last !== undefined) writeHint(disk, workspace, last);
    if (plan.seal !== null) writeSeal(disk, workspace, plan.seal, stamps, source.folders(), world.now);
  } catch (error) {
    if (codeOf(error) === 'E_FENCED') throw error;
  }
}

function writeHint(disk: Disk, workspace: Workspace, id: string): void {
  disk.makeFolder(workspace.cache());
  putUnsynced(disk, workspace.cache('after'), id);
}

/** A limit in state.md would be read by nobody. Said once, before the loop has begun. @throws PawlError `E_FORMAT`. */
function refuseMisplaced(disk: Disk, workspace: Workspace): void {
  if (readState(disk, workspace).tick > 0) return;
  const [first] = misplacedKeys(disk.read(workspace.state()) ?? Buffer.alloc(0), '.jez/state.md');
  if (first === undefined) return;
  const where = `it belongs in loop.md as ${first.belongs}; \`pawl init --move-caps\` moves it`;
  throw new PawlError('E_FORMAT', `${first.key} does not count here: ${where}`, { at: first.at });
}

/** PAUSE holds whatever else is broken. @throws PawlError when state.md can't be read. */
export function isPaused(disk: Disk, workspace: Workspace): boolean {
  return disk.stat(workspace.pause()) !== null || readState(disk, workspace).paused;
}

/** A person may have paused since the state was written: then the claim is given back unstarted. */
async function launch(machine: Machine, workspace: Workspace, claim: Claim, signal?: AbortSignal): Promise<boolean> {
  // A signal that came while files were written is told only when the event loop has turned once.
  if (signal !== undefined) await loopTurn();
  if (signal?.aborted === true || pausedOrUnreadable(machine.disk, workspace)) {
    makeOwner(machine.disk, workspace, claim.batch, { reaped: true });
    return false;
  }
  await machine.executor.start({ root: workspace.root, claim });
  return true;
}

function pausedOrUnreadable(disk: Disk, workspace: Workspace): boolean {
  try {
    return isPaused(disk, workspace);
  } catch (error) {
    if (error instanceof PawlError) return true;
    throw error;
  }
}

/** What the next tick would do; writes nothing but `.jez/cache`. */
export async function dryRun(workspace: Workspace, machine: Machine = realMachine): Promise<Plan> {
  const { disk } = machine;
  const observed = await observe({ machine, workspace, disk, generation: 0, keep: () => {} });
  return decide(observed.world);
}
