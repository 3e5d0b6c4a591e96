import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessId } from '../core/model.ts';
import { codeOf } from '../errors.ts';
import { realClock } from './clock.ts';
import { carriers, pidsNow, see, seeAll } from './process-table.ts';

/** How long to wait for the system to clear away what was sent SIGKILL. */
const KILL_MS = 5_000;
const POLL_MS = 10;

/**
 * The processes of this machine, and what may be said and done about them.
 *
 * Promises:
 * - `look` answers `alive` or `dead` only where that can be known: same host, same start of the machine, same pid namespace.
 *   Another start of this host is `dead`, all else `elsewhere`. A stopped process is alive, a zombie is dead.
 * - What ends processes sends SIGTERM, waits at most `graceMs` milliseconds, then sends SIGKILL; true = seen to be gone.
 * - Nothing here signals this process, its group, or a pid that now belongs to somebody else.
 */
export interface Processes {
  self(): ProcessId;
  /** A process of this machine; without a start time when there is none of that pid. */
  identify(pid: number): ProcessId;
  look(id: ProcessId): 'alive' | 'dead' | 'elsewhere';
  end(id: ProcessId, graceMs: number): Promise<boolean>;
  /** A group has no start time: pass one only if its leader was ours and this is the same start of the machine. */
  endGroup(pgid: number, graceMs: number): Promise<boolean>;
  /** Pids that are in use, for `others` below; empty where asking costs too much. */
  present(): ReadonlySet<number>;
  /** Pids of our processes that were started with PAWL_RUN and PAWL_ROOT of this run, wherever they went since, but for `others`. */
  findRun(run: string, root: string, others?: ReadonlySet<number>): number[];
  /** Ends what `findRun` finds, now and until nothing is found, and the groups those are in. */
  endRun(run: string, root: string, graceMs: number, others?: ReadonlySet<number>): Promise<boolean>;
}

export const realProcesses: Processes = {
  self: () => realProcesses.identify(process.pid),

  identify: (pid) => ({
    pid,
    start: see(pid)?.start ?? null,
    boot: realClock.bootId(),
    namespace: pidNamespace(),
    host: hostname(),
  }),

  look(id) {
    if (id.host !== hostname()) return 'elsewhere';
    if (id.boot !== realClock.bootId()) return 'dead';
    if (id.namespace !== pidNamespace()) return 'elsewhere';
    const seen = see(id.pid);
    if (seen === null || seen.zombie) return 'dead';
    return id.start === null || id.start === seen.start ? 'alive' : 'dead';
  },

  async end(id, graceMs) {
    if (id.pid === process.pid || realProcesses.look(id) === 'elsewhere') return false;
    const left = () => (realProcesses.look(id) === 'alive' ? [id.pid] : []);
    return endAll(left, graceMs);
  },

  async endGroup(pgid, graceMs) {
    // 0 and 1 would reach our own group and everybody.
    if (!Number.isSafeInteger(pgid) || pgid <= 1 || pgid === ownGroup()) return false;
    const left = () => (send(-pgid, 0) ? membersOf(new Set([pgid])) : []);
    return endAll(left, graceMs, () => [-pgid]);
  },

  present: pidsNow,

  findRun: (run, root, others = new Set()) =>
    carriers([`PAWL_RUN=${run}`, `PAWL_ROOT=${root}`], others).filter((pid) => pid !== process.pid),

  async endRun(run, root, graceMs, others) {
    // Remembered, since a group may outlive the only member that carried the variables.
    const groups = new Set<number>();
    const left = () => {
      const found = realProcesses.findRun(run, root, others).flatMap((pid) => see(pid) ?? []);
      for (const { group } of found) if (group > 1 && group !== ownGroup()) groups.add(group);
      const alone = found.filter(({ zombie }) => !zombie).map(({ pid }) => pid);
      return [...new Set([...alone, ...membersOf(groups)])];
    };
    return endAll(left, graceMs);
  },
};

/** Ends what `left` lists until it lists nothing; it is asked again before each signal. */
async function endAll(left: () => number[], graceMs: number, targets = (pids: number[]) => pids): Promise<boolean> {
  const signal = (pids: number[], name: NodeJS.Signals) => {
    if (pids.length > 0) for (const pid of targets(pids)) send(pid, name);
  };
  const first = left();
  if (first.length === 0) return true;
  signal(first, 'SIGTERM');
  if (await until(() => left().length === 0, graceMs)) return true;
  return until(() => {
    const pids = left();
    signal(pids, 'SIGKILL');
    return pids.length === 0;
  }, KILL_MS);
}

/** @returns false when there is nobody to send it to. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (codeOf(error) === 'ESRCH') return false;
    // Another user's: it counts as left, so that nobody believes it has ended.
    if (codeOf(error) === 'EPERM') return true;
    throw error;
  }
}

async function until(ready: () => boolean, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  while (!ready()) {
    if (performance.now() > end) return false;
    await sleep(POLL_MS);
  }
  return true;
}

function membersOf(groups: Set<number>): number[] {
  if (groups.size === 0) return [];
  return seeAll()
    .filter(({ group, zombie, pid }) => groups.has(group) && !zombie && pid !== process.pid)
    .map(({ pid }) => pid);
}

const ownGroup = () => see(process.pid)?.group;

function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    // Where there are no namespaces all processes share this one.
    return 'pid';
  }
}
