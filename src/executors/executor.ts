import type { Job, Outcome } from '../core/job.ts';
import type { Claim, ExecutorSpec } from '../core/model.ts';

export type { Job, Outcome };

/** What a worker may use while it runs. */
export interface Seat {
  /** Aborts when the attempt has to end now: SIGTERM to the group, 10 s, SIGKILL. */
  signal: AbortSignal;
  /** Names the process group of the worker, so that a reaper can end it; null = it has ended. */
  group(pid: number | null): void;
  /** Notes so far; replaces what was there. */
  checkpoint(notes: string): void;
  /** One line for transcript.jsonl. */
  log(entry: Record<string, unknown>): void;
}

/**
 * Does attempts on this machine, inside the detached supervisor.
 *
 * Promises, checked for every kind by `test/conformance/executors.test.ts`:
 * - It does not reject: what goes wrong comes back as an outcome.
 * - It settles soon after `signal` aborts, and its whole process group is gone then.
 */
export type Worker = (spec: ExecutorSpec, job: Job, seat: Seat) => Promise<Outcome>;

export interface Probe {
  ok: boolean;
  /** What was found, or what is missing. */
  what: string;
  fix: string | null;
}

/** The batch an executor works on: its claim is on disk before `start`. */
export interface Ticket {
  root: string;
  claim: Claim;
}

export type Poll = { state: 'running' | 'ended' | 'lost' };

/**
 * Does the work of a batch.
 *
 * - `start` may be called again with the same ticket and changes nothing then.
 * - `poll` is how a later tick learns how it stands.
 */
export interface Executor {
  probe(spec: ExecutorSpec, root: string): Promise<Probe>;
  start(ticket: Ticket): Promise<void>;
  poll(ticket: Ticket): Promise<Poll>;
  stop(ticket: Ticket, why: string): Promise<void>;
}

/** A line of the registry: local kinds have a worker and share one supervisor. */
export interface ExecutorKind {
  worker: Worker;
  probe: Executor['probe'];
}
