import type { ErrorClass, Failure, Item, OutcomeName } from './model.ts';

/** One attempt, as the worker is told about it. Units: milliseconds, absolute paths. */
export interface Job {
  run: number;
  attempt: number;
  /** The same for every attempt at an item: for work that has effects elsewhere. */
  key: string;
  root: string;
  item: Item;
  contract: { version: number; text: string };
  scratch: string;
  notes: string;
  limits: { checkpointAt: number; returnBy: number; wallMs: number; silenceMs: number | null };
  /** What the attempt before left behind, or null on the first. */
  prior: {
    run: number;
    notes: string;
    error: { class: ErrorClass; message: string } | null;
    check: string | null;
    message: string | null;
  } | null;
}

/** What a worker's attempt came to. Failing is a value, not an exception. */
export interface Outcome {
  outcome: Extract<OutcomeName, 'done' | 'nothing' | 'needs-human' | 'failed' | 'timed-out' | 'released'>;
  summary: string;
  error: Failure | null;
  fields: Record<string, unknown>;
  learnings: { rule: string; target: string | null; level: 1 | 1.5 }[];
  surprises: string[];
  unsure: string[];
  usage: Record<string, number>;
}

/** Why a worker's program is over; `ended` = of its own accord, which says nothing about how well. */
export type Ending = 'ended' | 'timed-out' | 'silent' | 'output-limit' | 'stopped' | 'could-not-start';

/** How a program left: one of the two is null. */
export interface Exit {
  code: number | null;
  signal: string | null;
}
