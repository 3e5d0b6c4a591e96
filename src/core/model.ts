/** The nouns of the loop. Plain data only: everything here can be written to a file and read back. */

import type { SourceSpec } from './source-spec.ts';

export type { MarkSpec, SourceSpec } from './source-spec.ts';

/** A day in the loop's own time zone, `YYYY-MM-DD`. */
export type Day = string;

/** A moment, ISO 8601 in UTC, e.g. `2026-06-09T08:15:00.000Z`. */
export type Instant = string;

/** One thing to do, as its source describes it. */
export interface Item {
  /** Stable: for a file its path from the root, with `/`. */
  id: string;
  title: string;
  /** Path from the root when the item is a file, else null. */
  path: string | null;
  /** Text and front matter; only filled in by `Source.read`, empty while a source is only listed. */
  body: string;
  fields: Record<string, unknown>;
  /** The durable sign on the item, as written there; null = not done. */
  mark: string | null;
  /** Why the item can't be worked on as it stands (`docs/a.md:2: ...`), or null. */
  refused: string | null;
}

/** One attempt at one item that has been claimed, as `in_flight` shows it. */
export interface Flight {
  batch: number;
  run: number;
  item: string;
  since: Instant;
  until: Instant;
  host: string;
}

/** Something a run learned, waiting in state.md so that a person can veto it. */
export interface Learning {
  /** `L7`. */
  id: string;
  /** The tick that queued it. */
  tick: number;
  /** The signature it is meant to prevent, or null. */
  target: string | null;
  /** 1 = contract.md (how agents behave), 1.5 = loop.md (how items are done). */
  level: 1 | 1.5;
  rule: string;
  /** A person wrote `veto: true` on its line. */
  veto: boolean;
}

/** What state.md holds. People own `paused` and may delete a learning; the loop owns the rest. */
export interface State {
  paused: boolean;
  pauseReason: string | null;
  tick: number;
  cursor: number;
  doneCount: number;
  today: { date: Day; count: number; errorsInARow: number };
  waitingUntil: Instant | null;
  inFlight: Flight[];
  queuedLearnings: Learning[];
}

export interface ExecutorSpec {
  kind: string;
  run: string[];
  /** Names of environment variables the worker may see. */
  env: string[];
  /** A worker that prints nothing for this long is ended; null = only the wall clock counts. */
  silenceMinutes: number | null;
}

/** The settings a person writes in the front matter of loop.md, defaults filled in. */
export interface Procedure {
  cohort: string;
  doneWhen: string;
  source: SourceSpec;
  workspace: { kind: 'scratch'; copyIn: string[]; outputs: string[] };
  executor: ExecutorSpec;
  check: string[] | null;
  slice: number;
  concurrency: number;
  tries: number;
  reruns: number;
  caps: { itemsPerDay: number; usdPerDay: number | null; tokensPerDay: number | null; minutesPerItem: number };
  pauseAfterErrors: number;
  /** IANA zone. */
  timezone: string;
  window: { ticks: number; hours: number };
  learn: { mode: 'on' | 'manual' | 'off'; sightings: number; perDay: number };
  sideEffects: 'none' | 'external';
  /** Nothing is filed or marked: what runs make stays in their folders. */
  shadow: boolean;
}

/** A process, so that a pid used again is never taken for it. */
export interface ProcessId {
  pid: number;
  /** Field 22 of /proc/PID/stat, or what the platform offers instead; null when unknown. */
  start: string | null;
  boot: string;
  /** The pid namespace. */
  namespace: string;
  host: string;
}

/** Counters as they stood before a batch. */
export interface Before {
  day: Day;
  /** Items dispatched on `day`. */
  count: number;
  /** Dispatches by quarter hour of the boot clock: at most twice the cap in any 24 h of uptime, whatever the wall clock says. */
  uptime: { boot: string; buckets: Record<string, number> };
  done: number;
  cursor: number;
}

/** `batches/NNNN/claim.json`: the commit point of a claim and the ticket of its executor. */
export interface Claim {
  v: 1;
  batch: number;
  tick: number;
  generation: number;
  day: Day;
  /** `uptime` in seconds of the boot clock. */
  at: { time: Instant; boot: string; uptime: number };
  version: number;
  launcher: ProcessId;
  /** Failures in a row when the claim was made: the supervisor and the filing tick count on from here. */
  streak: number;
  /** The counters without this batch: judging it again after a crash counts it once. */
  before: Before;
  until: Instant;
  /** `prior` = the run of the item's last attempt, whose notes this one starts from. */
  runs: { run: number; item: string; attempt: number; prior: number | null }[];
  /** The settings of loop.md as they were, so that an edit meanwhile can't change a running batch. */
  settings: Pick<
    Procedure,
    'executor' | 'workspace' | 'source' | 'concurrency' | 'caps' | 'pauseAfterErrors' | 'check' | 'shadow'
  >;
  contract: { version: number; text: string };
}

/** `batches/NNNN/filed.json`: spent. From here on a missing mark means "do it again". */
export interface FiledBatch {
  v: 1;
  batch: number;
  tick: number;
  runs: number[];
  /** Runs that cost nothing: released, or refused by a limit. */
  free: number;
  /** Nobody started any of them, and no pause was the reason. */
  stalled: boolean;
}

/** `batches/NNNN/owner.json`. */
export type Owner = ProcessId | { reaped: true };

/** `batches/NNNN/alive.json`, beaten every 5 s, not synced. */
export interface Alive {
  /** Seconds of the boot clock. */
  uptime: number;
  beat: number;
  /** Leaders of the process groups of running workers, by run. */
  groups: Record<string, ProcessId>;
  /** True when the supervisor itself says its time is over. */
  spent: boolean;
}

export type ErrorClass = 'item' | 'infra' | 'tool' | 'limit' | 'auth' | 'boundary';

/** How one dispatch ended: the rows of the accounting table. */
export type OutcomeName =
  | 'done'
  | 'nothing'
  | 'needs-human'
  | 'failed'
  | 'timed-out'
  | 'lost'
  | 'released'
  | 'superseded';

export interface Failure {
  class: ErrorClass;
  message: string;
  /** For class `limit`: when to try again, if the other side said. */
  retryAt?: Instant;
}

/** `runs/NNNN-<item>/base.json`: what the run started from. */
export interface Base {
  /** sha256 by path from the root; null = there was no such file. */
  files: Record<string, string | null>;
  fields: Record<string, unknown>;
}

/** `runs/NNNN-<item>/result.json`, made exclusively; the first stands. */
export interface Result {
  v: 1;
  run: number;
  item: string;
  attempt: number;
  version: number;
  outcome: OutcomeName;
  summary: string;
  error: Failure | null;
  fields: Record<string, unknown>;
  /** Outputs taken into the run folder, by path from the root. */
  outputs: Record<string, { sha256: string; size: number }>;
  learnings: { rule: string; target: string | null; level: 1 | 1.5 }[];
  surprises: string[];
  unsure: string[];
  usage: Record<string, number>;
  startedAt: Instant | null;
  endedAt: Instant;
  /** `supervisor` handed it over, `reaper` wrote it for a run nobody finished. */
  by: 'supervisor' | 'reaper';
}

/** One line of outcomes.jsonl, key = run; or a person's release of a parked item. */
export type OutcomeLine =
  | {
      v: 1;
      run: number;
      item: string;
      attempt: number;
      version: number;
      tick: number;
      day: Day;
      outcome: OutcomeName;
      class: ErrorClass | null;
      message: string;
      ms: number | null;
      usage: Record<string, number>;
      /** It succeeded in shadow: the item has no mark from it. */
      shadow?: true;
    }
  | { v: 1; release: string; afterRun: number; at: Instant; by: string };
