import { capture } from './capture.ts';
import { changeLines } from './change-lines.ts';
import { type Counters, makeClaim } from './claim.ts';
import { type Collected, collect, isStalled, outcomeLine } from './collect.ts';
import { later } from './day.ts';
import type { Claim, OutcomeLine, State } from './model.ts';
import { refine, waitsForTicks } from './refine.ts';
import { type Refined, unheard, untouched } from './refined.ts';
import { type Rollback, rollback } from './rollback.ts';
import type { Rule } from './rule.ts';
import { type Choice, choose, sliceSize } from './slice.ts';
import { stops } from './stops/index.ts';
import type { StopView } from './stops/stop.ts';
import { countOn, free, room } from './tally.ts';
import { reviewLines, writeEntry } from './tell.ts';
import { foldLine, type Journal } from './trail.ts';
import type { Plan, Seal, World } from './world.ts';

/** Minutes to wait after 1, 2, 3 and more batches in a row that met an outage. */
const OUTAGE_WAIT = [15, 30, 60];
/** Without a word from the other side a usage limit is tried again after this. */
const LIMIT_WAIT = 15;
const LONGEST_WAIT_DAYS = 8;

/**
 * Decides one tick: collect what ended, capture what was learned, check the stops, take a slice.
 *
 * Pure: the same world always gives the same plan, so a dry run is this function alone. It looks at what is, never at what
 * happened, so a missed or doubled fire is harmless and recovery is not a special path.
 */
export function plan(seen: World): Plan {
  const world: World = { ...seen, rules: [...seen.rules, ...unrecorded(seen)] };
  const resumed = world.state.pauseReason !== null;
  const judged = collectAll(world, resumed);
  const lines = outcomeLines(world, judged);
  const journal = foldAll(world.journal, lines);
  const takenBack = judged.pause === null ? rollback(world, journal, judged.streak) : null;
  const collected = takenBack === null ? judged : { ...judged, streak: 0 };
  const refined = takenBack === null ? refine(world) : restored(world, takenBack);
  const choice = choose(world.fresh, world.others, journal, markedItems(collected), world.procedure);
  const captured = capture(collected.finished, merged(world.rules, refined.rules), {
    tick: world.tick,
    day: world.day,
    now: world.now,
    queue: refined.queue,
    learn: world.procedure.learn,
    nextId: world.nextLearning,
  });
  const waitingUntil = waitUntil(world, collected, journal);
  const view = stopView(world, collected, choice, journal, waitingUntil);
  const stop = world.light || world.running.length > 0 ? null : firstStop(view, world.collectOnly);
  const items = takes(world, stop)
    ? choice.ready.slice(0, sliceSize(world.procedure, journal, view.room, view.spend))
    : [];
  const counters = countersOf(world, collected);
  const claim = items.length === 0 ? null : makeClaim(world, items, journal, counters, refined);
  const queue = [...refined.queue, ...captured.queued];
  const state = nextState(world, counters, claim, queue, stop, waitingUntil);
  const changes = changeLines(refined, takenBack?.tell === true ? takenBack : null, world.tick + 1);
  const told = { collected, refined, takenBack, changes, captured, claim, stop, state };
  const entry = writeEntry(world, told);
  const acts = collected.finished.length > 0 || claim !== null || refined.versions.length > 0;
  return {
    tick: world.tick,
    day: world.day,
    changes,
    versions: refined.versions,
    takeBack: takenBack === null ? [] : [{ n: takenBack.from.n, bad: takenBack.bad }],
    blocks: refined.blocks,
    version: refined.version,
    file: collected.finished
      .filter(({ verdict }) => verdict.kind === 'file')
      .map(({ result, verdict }) => ({ run: result.run, item: result.item, writes: verdict.writes })),
    outcomes: lines,
    claim,
    state,
    queued: captured.queued,
    rules: merged(unrecorded(seen), merged(refined.rules, captured.rules)),
    review: reviewLines(choice, world, captured),
    entry,
    counts: entry !== null || waitsForTicks(queue, world),
    spent: world.ended.map((ended) => ({
      batch: ended.claim.batch,
      runs: ended.claim.runs.map(({ run }) => run),
      free: free(ended.sightings.map(({ result }) => result)),
      stalled: isStalled(ended),
    })),
    stop,
    seal: acts || queue.length > 0 || world.light || world.collectOnly ? null : sealFor(world, stop),
    exhausted: world.complete && !world.collectOnly && choice.ready.length === 0,
  };
}

/** A tick that takes a version back changes nothing else of its procedure: what is queued is applied to what holds. */
function restored(world: World, { to, rules }: Rollback): Refined {
  return { ...untouched(world), version: to.n, blocks: to.blocks, rules };
}

/** Later entries take the place of earlier ones of the same id. */
const merged = (before: readonly Rule[], after: readonly Rule[]): Rule[] => [
  ...before.filter(({ id }) => !after.some((rule) => rule.id === id)),
  ...after,
];

function countersOf(world: World, { marked, streak }: Collected): Counters {
  const before = world.ended.at(-1)?.claim.before;
  return {
    done: (before?.done ?? world.state.doneCount) + marked,
    cursor: (before?.cursor ?? world.state.cursor) + marked,
    streak,
  };
}

/** Counts only the newest batch: the claim that follows an unfiled batch has counted that one already. */
function collectAll(world: World, resumed: boolean): Collected {
  const newest = world.ended.at(-1);
  const older = collect(world.ended.slice(0, -1), 0);
  if (newest === undefined) return { ...older, streak: resumed ? 0 : world.state.today.errorsInARow };
  const known = newest.claim.runs.every(({ run }) => world.journal.recent.includes(run));
  const judged = collect([newest], resumed ? 0 : newest.claim.streak, world.stalled);
  return {
    ...judged,
    finished: [...older.finished, ...judged.finished],
    // A person has seen these failures and resumed: they are not counted against the loop again.
    streak: resumed && known ? 0 : judged.streak,
    pause: resumed && known ? null : judged.pause,
  };
}

/** Lines that outcomes.jsonl does not have yet, and the releases that people ticked. */
function outcomeLines(world: World, collected: Collected): OutcomeLine[] {
  const recorded = new Set(world.journal.recent);
  const finished = collected.finished
    .filter(({ result, outcome }) => !recorded.has(result.run) && outcome !== 'released')
    .map((each) => outcomeLine(each, world.tick, world.day));
  const releases = world.answers
    .filter(({ run, item }) => world.journal.trails[item]?.lastRun === run)
    .map(({ run, item }): OutcomeLine => ({ v: 1, release: item, afterRun: run, at: world.now, by: 'review.md' }));
  return [...releases, ...finished];
}

function foldAll(before: Journal, lines: readonly OutcomeLine[]): Journal {
  if (lines.length === 0) return before;
  const journal = {
    ...before,
    trails: { ...before.trails },
    shadowed: { ...before.shadowed },
    recent: [...before.recent],
  };
  for (const line of lines) foldLine(journal, line);
  return journal;
}

const markedItems = ({ finished }: Collected): ReadonlySet<string> =>
  new Set(
    finished
      .filter(({ outcome, verdict }) => outcome === 'done' || outcome === 'nothing' || verdict.kind === 'orphan')
      .map(({ result }) => result.item),
  );

function waitUntil(world: World, { limit, infra }: Collected, journal: Journal): string | null {
  const furthest = later(world.now, LONGEST_WAIT_DAYS * 24 * 60);
  if (limit !== null) {
    const until = limit.until !== null && limit.until > world.now ? limit.until : later(world.now, LIMIT_WAIT);
    return until < furthest ? until : furthest;
  }
  if (infra) return later(world.now, OUTAGE_WAIT[Math.min(journal.infraInARow, OUTAGE_WAIT.length) - 1] ?? LIMIT_WAIT);
  return world.state.waitingUntil !== null && world.state.waitingUntil > world.now ? world.state.waitingUntil : null;
}

function stopView(
  world: World,
  collected: Collected,
  choice: Choice,
  journal: Journal,
  waiting: string | null,
): StopView {
  const { caps, pauseAfterErrors } = world.procedure;
  const spentToday = journal.spent.day === world.day ? journal.spent : { usd: 0, tokens: 0 };
  return {
    streak: collected.streak,
    pauseAfterErrors,
    pause: collected.pause,
    waiting,
    room: room(world.tally, caps.itemsPerDay, { day: world.day, boot: world.boot.id, uptime: world.boot.uptime }),
    itemsPerDay: caps.itemsPerDay,
    spend: (['usd', 'tokens'] as const).flatMap((name) => {
      const cap = name === 'usd' ? caps.usdPerDay : caps.tokensPerDay;
      return cap === null ? [] : [{ name, spent: spentToday[name], cap, dearest: journal.dearest[name] }];
    }),
    ready: choice.ready.length,
    waitingForPerson: choice.waiting.length + world.refused.length,
    inShadow: world.inShadow,
  };
}

/** A tick that only files looks at no items, so it can only say that a person has to look. */
function firstStop(view: StopView, collectOnly: boolean): Plan['stop'] {
  for (const { name, pauses, check } of stops.filter((stop) => stop.pauses || !collectOnly)) {
    const reason = check(view);
    if (reason !== null) return { name, reason, pauses };
  }
  return null;
}

const takes = (world: World, stop: Plan['stop']): boolean =>
  stop === null && !world.light && !world.collectOnly && world.running.length === 0;

function nextState(
  world: World,
  counters: Counters,
  claim: Claim | null,
  queuedLearnings: State['queuedLearnings'],
  stop: Plan['stop'],
  waitingUntil: string | null,
): State {
  const { state } = world;
  const pauses = stop?.pauses === true;
  return {
    paused: state.paused || pauses,
    pauseReason: pauses ? `tick ${world.tick}: ${stop.reason}` : state.paused ? state.pauseReason : null,
    tick: world.tick,
    cursor: counters.cursor,
    doneCount: counters.done,
    today: {
      date: world.day,
      count: countOn(world.tally, world.day) + (claim?.runs.length ?? 0),
      errorsInARow: counters.streak,
    },
    waitingUntil,
    inFlight: [...world.running, ...(claim === null ? [] : [claim])].flatMap(flights),
    queuedLearnings,
  };
}

const flights = ({ batch, runs, at, until, launcher }: Claim) =>
  runs.map(({ run, item }) => ({ batch, run, item, since: at.time, until, host: launcher.host }));

/** Learnings in state.md that rules.yaml has not heard of: a tick was killed between the two writes. */
const unrecorded = (world: World): Rule[] =>
  world.state.queuedLearnings
    .filter(({ id }) => !world.rules.some((rule) => rule.id === id))
    .map((learning) => ({ ...unheard(world, learning), at: world.now }));

function sealFor(world: World, stop: Plan['stop']): Seal | null {
  if (stop === null || stop.pauses || stop.name === 'waiting') return null;
  const hour = later(world.now, 60);
  const until = hour < world.nextMidnight ? hour : world.nextMidnight;
  return { why: stop.name === 'exhausted' ? 'exhausted' : 'capped', until };
}
