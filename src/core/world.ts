import type { EndedBatch } from './collect.ts';
import type { ContractParts } from './contract.ts';
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
import type { Rule } from './rule.ts';
import type { Tally } from './tally.ts';
import type { Journal } from './trail.ts';
import type { Bad, Blocks, Version } from './version.ts';

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
  /** The active version; 0 = the text as it came. */
  version: number;
  /** The newest versions with a manifest, in order, down to the one before the active one. [] = there are none yet. */
  versions: Version[];
  /** The loop's own lines, as the files hold them now. */
  blocks: Blocks;
  /** False when the markers around them are broken: then nobody can say which lines are there. */
  readable: boolean;
  /** Why nothing may be changed of the procedure, or null: no Boundary, broken markers. */
  refusal: string | null;
  state: State;
  procedure: Procedure;
  contract: ContractParts;
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
  /** Unmarked items that were passed over since they have run in shadow. */
  inShadow: number;
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
  /** Boxes people ticked in review.md: items to try again, learnings to approve. */
  answers: { run: number; item: string }[];
  approvals: string[];
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
  /** What changes of the procedure, in words. */
  changes: string[];
  /** Steps 3 and 4: versions to make, in order, or one to take back; and the blocks that the files should hold then. */
  versions: Version[];
  takeBack: { n: number; bad: Bad }[];
  blocks: Blocks;
  version: number;
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
  /** It takes a number, though nothing may be told of it: a learning waits for so many ticks. */
  counts: boolean;
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
