import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from '../core/model.ts';
import type { Workspace } from '../store/workspace.ts';
import { type Machine, realMachine } from './machine.ts';
import { type TickReport, tick } from './tick.ts';
import { runningClaim, waitForBatch } from './wait.ts';

export interface RunOptions {
  workspace: Workspace;
  machine?: Machine;
  /** Between two ticks that claim; 0 = at once. Milliseconds of the boot clock. */
  everyMs: number;
  /** When to end by itself: nothing left, any stop, or never. */
  until: 'exhausted' | 'stopped' | 'never';
  signal: AbortSignal;
  /** A tick has ended. */
  ticked(report: TickReport): void;
  /** So many runs of a batch are over. */
  progress(claim: Claim, done: number): void;
}

export type RunEnd = 'exhausted' | 'stopped' | 'paused' | 'signal';

/** How long to wait before looking again while somebody else holds the lock, or a batch of another machine runs. */
const BUSY_MS = 200;
/** Between two looks of a run without a pause, while there is nothing to start. */
const REST_MS = 15_000;

/**
 * Ticks while the process lives, and waits for each batch: after a crash, starting it again waits for the batch that ran on,
 * files it, and goes on with the rest.
 */
export async function run(options: RunOptions): Promise<RunEnd> {
  const { workspace, machine = realMachine, until, signal } = options;
  const next = await pacer(options.everyMs, machine, signal);
  try {
    for (;;) {
      const report = await tick({ workspace, machine, signal });
      options.ticked(report);
      const claim = report.launched ?? (report.did === 'running' ? runningClaim(machine, workspace) : null);
      if (claim !== null) await finish(options, machine, claim);
      if (signal.aborted) return 'signal';
      const end = ending(report, until);
      if (end !== null) return end;
      if (report.did === 'busy' || (report.did === 'running' && claim === null)) await sleep(BUSY_MS);
      // A batch that was already running is followed at once by what this tick came for.
      else if (report.did !== 'running') await (rests(report) ? next.rest() : next.wait());
      if (signal.aborted) return 'signal';
    }
  } finally {
    await next.stop();
  }
}

async function finish(options: RunOptions, machine: Machine, claim: Claim): Promise<void> {
  const { workspace, signal, progress, ticked } = options;
  await waitForBatch(machine, workspace, claim, signal, (done) => progress(claim, done));
  ticked(await tick({ workspace, machine, collectOnly: true }));
}

function ending({ did, plan }: TickReport, until: RunOptions['until']): RunEnd | null {
  if (did === 'paused') return until === 'never' ? null : 'paused';
  const stop = plan?.stop ?? null;
  // A cap that was reached with the last item is no reason to wait for tomorrow.
  if (plan?.exhausted === true && stop?.pauses !== true && plan.claim === null && until !== 'never') return 'exhausted';
  if (stop === null) return null;
  if (stop.pauses) return 'paused';
  if (stop.name === 'exhausted') return until === 'never' ? null : 'exhausted';
  return until === 'stopped' ? 'stopped' : null;
}

/** There is nothing to start now, so asking again at once would only keep the machine warm. */
const rests = ({ did, plan }: TickReport): boolean => did === 'idle' || did === 'paused' || plan?.stop != null;

interface Pacer {
  /** Resolves when the next tick is due, or the signal aborts. */
  wait(): Promise<void>;
  /** The same, but never at once. */
  rest(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * One fire a minute in UTC, where no hour is skipped or repeated; a tick is due when `everyMs` has passed on the boot clock
 * since the last. So any number of minutes works, and a sleep gives exactly one catch-up.
 */
async function pacer(everyMs: number, { clock }: Machine, signal: AbortSignal): Promise<Pacer> {
  if (everyMs === 0) {
    const rest = () => sleep(REST_MS, undefined, { signal }).catch(() => {});
    return { wait: async () => {}, rest, stop: async () => {} };
  }
  const { schedule } = await import('node-cron');
  // It takes the milliseconds off the time in local time, which is an hour back in the hour that comes twice in autumn: it would
  // fire in none of it, and never rest. In UTC the outcome is the same in every other hour.
  Date.prototype.setMilliseconds = Date.prototype.setUTCMilliseconds;
  let last = clock.uptime();
  let due = () => {};
  const task = schedule(
    '* * * * *',
    () => {
      // A minute's slack: fires are a minute apart, and never exactly.
      if ((clock.uptime() - last) * 1000 >= everyMs - 30_000) due();
    },
    // Minutes that went by asleep are no matter: it would print a line for each.
    { timezone: 'UTC', suppressMissedWarning: true },
  );
  const wait = () =>
    new Promise<void>((resolve) => {
      const go = () => {
        signal.removeEventListener('abort', go);
        last = clock.uptime();
        resolve();
      };
      due = go;
      signal.addEventListener('abort', go, { once: true });
      if (signal.aborted) go();
    });
  return {
    wait,
    rest: wait,
    stop: async () => void (await task.destroy()),
  };
}
