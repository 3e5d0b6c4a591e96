import { account } from './account.ts';
import { judgeFiling, type Sighting, type Verdict } from './filing.ts';
import type { Claim, Day, ErrorClass, Instant, OutcomeLine, OutcomeName, Result } from './model.ts';
import { quoted } from './text.ts';

/** A batch that has ended and is not filed yet, its runs in item order. */
export interface EndedBatch {
  claim: Claim;
  sightings: Sighting[];
}

/** One finished run with what it comes to once filed. */
export interface Finished {
  batch: number;
  result: Result;
  verdict: Verdict;
  outcome: OutcomeName;
  class: ErrorClass | null;
  message: string;
  /** Fields in which a person's value stayed. */
  kept: string[];
  late: boolean;
}

export interface Collected {
  finished: Finished[];
  /** Failures in a row after the last of them. */
  streak: number;
  /** Why the loop has to stop for a person at once, or null. */
  pause: string | null;
  /** A usage limit was hit: until when, as far as known. */
  limit: { until: Instant | null } | null;
  /** An infra or tool failure is among them. */
  infra: boolean;
  /** Items that get their mark now or had it from us already. */
  marked: number;
  /** Once may be a crash; twice in a row the supervisor itself is broken: then it counts as a failure of ours. */
  stalled: boolean;
}

/** Nobody started any of its runs, and no pause or stop was the reason. */
export const isStalled = ({ sightings }: EndedBatch): boolean =>
  sightings.length > 0 && sightings.every(({ result }) => result.outcome === 'released' && result.by === 'reaper');

/**
 * Judges every result of the ended batches, in batch and item order; recovery is this same path.
 *
 * @param stalled the batch before these ended with nothing started, and nobody had asked for that
 */
export function collect(batches: readonly EndedBatch[], streakBefore: number, stalled = false): Collected {
  const collected: Collected = {
    finished: [],
    streak: streakBefore,
    pause: null,
    limit: null,
    infra: false,
    marked: 0,
    stalled: false,
  };
  for (const batch of batches) {
    const { claim, sightings } = batch;
    let broken = false;
    if (stalled && isStalled(batch)) {
      collected.streak += 1;
      collected.stalled = true;
      collected.infra = true;
    }
    for (const sighting of sightings) {
      const one = judge(claim, sighting);
      const counts = account(one.outcome, one.class);
      collected.finished.push(one);
      if (counts.marks && one.verdict.kind !== 'shadow') collected.marked += 1;
      if (counts.streak === 'reset') collected.streak = 0;
      if (counts.streak === 'add') collected.streak += 1;
      if (counts.streak === 'add-once-a-batch' && !broken) {
        collected.streak += 1;
        broken = true;
      }
      if (counts.pauses) collected.pause ??= `${one.class}: ${one.message}`;
      if (one.class === 'limit') collected.limit = { until: latest(collected.limit?.until, one.result.error?.retryAt) };
      if (one.class === 'infra' || one.class === 'tool') collected.infra = true;
    }
  }
  return collected;
}

function judge({ batch, settings }: Claim, sighting: Sighting): Finished {
  const { result } = sighting;
  const verdict = judgeFiling(sighting, settings.shadow);
  const kept = sighting.item?.kept ?? [];
  const as = (outcome: OutcomeName, message: string): Finished => ({
    batch,
    result,
    verdict,
    outcome,
    class: outcome === result.outcome ? (result.error?.class ?? null) : null,
    message: quoted(message),
    kept,
    late: sighting.late,
  });
  if (verdict.kind === 'superseded') return as('superseded', 'an output was changed by somebody while it ran');
  if (verdict.kind === 'orphan')
    return as('superseded', 'orphan: the item is gone, what was made stays in the run folder');
  if (verdict.kind === 'lost') return as('lost', 'what the run handed over is missing or was changed');
  return as(result.outcome, result.error?.message ?? result.summary);
}

const latest = (left: Instant | null | undefined, right: Instant | undefined): Instant | null =>
  right === undefined ? (left ?? null) : left && left > right ? left : right;

/** The line of outcomes.jsonl that a finished run leaves. */
export function outcomeLine(
  { result, verdict, outcome, class: errorClass, message }: Finished,
  tick: number,
  day: Day,
): OutcomeLine {
  const started = result.startedAt === null ? null : Date.parse(result.startedAt);
  return {
    v: 1,
    run: result.run,
    item: result.item,
    attempt: result.attempt,
    version: result.version,
    tick,
    day,
    outcome,
    class: errorClass,
    message,
    ms: started === null ? null : Math.max(0, Date.parse(result.endedAt) - started),
    usage: result.usage,
    ...(verdict.kind === 'shadow' ? { shadow: true } : {}),
  };
}
