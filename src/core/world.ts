import type { Rule } from './capture.ts';
import type { EndedBatch } from './collect.ts';
import type {
  Claim,
  Day,
  FiledBatch,
  Instant,
  Item,
  Learning,
  OutcomeLine,
  Procedure,
  ProcessId,
  State,
} from './model.ts';
import type { Tally } from './tally.ts';
import type { Journal } from './trail.ts';

/** Everything one tick may look at, gathered before anything is decided. */
export interface World {
  now: Instant;
  /** The day it counts under, and the time on the wall, in the loop's zone. */
  day: Day;
  time: string;
  nextMidnight: Instant;
  boot: { id: string; uptime: number };
  self: ProcessId;
  generation: number;
  /** This tick's number. */
  tick: number;
  /** The first tick of a loop validates everything and does no work. */
  light: boolean;
  /** The second half of `tick --wait`: files, claims nothing. */
  collectOnly: boolean;
  version: number;
  state: State;
  procedure: Procedure;
  contract: string;
  /** Batches without filed.json, oldest first; all have ended. */
  ended: EndedBatch[];
  /** Batches that a worker of ours still works on (only a dry run sees any). */
  running: Claim[];
  /** What has been dispatched, the newest batch included. */
  tally: Tally;
  journal: Journal;
  /** Unmarked items nobody has tried, in source order, at most a slice. */
  fresh: Item[];
  /** Unmarked items with a past, met on the way. */
  others: Item[];
  /** Items that can't be worked on as they stand. */
  refused: Item[];
  /** The pass over the backlog reached its end: there is nothing else. */
  complete: boolean;
  nextBatch: number;
  nextRun: number;
  rules: Rule[];
  nextLearning: number;
  /** The last batch that was filed ended with nothing started. */
  stalled: boolean;
  /** The stop the loop was in after its last tick that did something. */
  lastStop: StopMark | null;
  /** Boxes people ticked in review.md. */
  answers: { run: number; item: string }[];
}

export interface StopMark {
  name: string;
  day: Day;
}

/** Why and until when the next ticks need not look. */
export interface Seal {
  why: 'exhausted' | 'capped';
  until: Instant;
}

/** What one tick decided; the engine performs it in the order of DESIGN 7.2. */
export interface Plan {
  tick: number;
  day: Day;
  /** Steps 5 and 6, in batch and item order. */
  file: Filing[];
  /** Step 7. */
  outcomes: OutcomeLine[];
  /** Step 8. */
  claim: Claim | null;
  /** Step 9: the state as it should be, and what changed of what people own. */
  state: State;
  queued: Learning[];
  /** Step 10. */
  rules: Rule[];
  review: ReviewLine[];
  /** Steps 11 to 14: null = a no-op, of which nothing is told. */
  entry: string | null;
  /** Batches that are spent after this tick, with the number of runs that cost nothing. */
  spent: Pick<FiledBatch, 'batch' | 'runs' | 'free' | 'stalled'>[];
  stop: { name: string; reason: string; pauses: boolean } | null;
  seal: Seal | null;
  /** Nothing could be taken, whatever stop is named: the backlog was read to its end. */
  exhausted: boolean;
}

export interface Filing {
  run: number;
  item: string;
  writes: string[];
}

/** A line of review.md; `key` is what it is known by. */
export interface ReviewLine {
  key: string;
  text: string;
}
