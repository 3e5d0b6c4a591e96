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
      else if (report.did !== 'running') await next.wait();
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
  if (stop === null) return null;
  if (stop.pauses) return 'paused';
  if (stop.name === 'exhausted') return until === 'never' ? null : 'exhausted';
  return until === 'stopped' ? 'stopped' : null;
}

interface Pacer {
  /** Resolves when the next tick is due, or the signal aborts. */
  wait(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * One fire a minute in UTC, where no hour is skipped or repeated; a tick is due when `everyMs` has passed on the boot clock
 * since the last. So any number of minutes works, and a sleep gives exactly one catch-up.
 */
async function pacer(everyMs: number, { clock }: Machine, signal: AbortSignal): Promise<Pacer> {
  if (everyMs === 0) return { wait: async () => {}, stop: async () => {} };
  const { schedule } = await import('node-cron');
  let last = clock.uptime();
  let due = () => {};
  const task = schedule(
    '* * * * *',
    () => {
      // A minute's slack: fires are a minute apart, and never exactly.
      if ((clock.uptime() - last) * 1000 >= everyMs - 30_000) due();
    },
    { timezone: 'UTC' },
  );
  return {
    wait: () =>
      new Promise<void>((resolve) => {
        const go = () => {
          signal.removeEventListener('abort', go);
          last = clock.uptime();
          resolve();
        };
        due = go;
        signal.addEventListener('abort', go, { once: true });
        if (signal.aborted) go();
      }),
    stop: async () => void (await task.destroy()),
  };
}
