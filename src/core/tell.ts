import type { Captured } from './capture.ts';
import { changeHeadline } from './change-lines.ts';
import type { Collected } from './collect.ts';
import { claimedLine, countOutcomes, finishedLine, learningLines, printEntry, stopLine } from './entry.ts';
import type { Claim, State } from './model.ts';
import type { Refined } from './refined.ts';
import type { Rollback } from './rollback.ts';
import type { Rule } from './rule.ts';
import type { Choice } from './slice.ts';
import { quoted } from './text.ts';
import type { Plan, ReviewLine, World } from './world.ts';

/** What one tick decided, as far as it is told. */
export interface Told {
  collected: Collected;
  refined: Refined;
  takenBack: Rollback | null;
  /** Lines on what changes of the procedure. */
  changes: string[];
  captured: Captured;
  claim: Claim | null;
  stop: Plan['stop'];
  state: State;
}

/** The day's entry; null = nothing happened that is worth telling. */
export function writeEntry(world: World, told: Told): string | null {
  const { collected, refined, takenBack, changes, captured, claim, stop, state } = told;
  const entered = stop !== null && enters(world, stop.name) ? stop : null;
  const lines = [
    ...answerLines(world),
    ...collected.finished
      .filter(({ outcome }) => outcome !== 'released')
      .map((each) => finishedLine(each, world.procedure.tries)),
    ...releasedLines(collected),
    ...(collected.stalled ? ['nothing was started, twice in a row: supervisor.log in .jez/batches says why'] : []),
    ...changes,
    ...learningLines(captured, world.tick + 1),
    ...(claim === null ? [] : [claimedLine(claim.runs.map(({ item }) => item))]),
    ...(world.light ? lightLines(world) : []),
    ...(entered === null ? [] : [stopLine(entered)]),
  ];
  if (lines.length === 0) return null;
  const headline =
    countOutcomes(collected.finished) ||
    (answerLines(world).length > 0 ? 'answered' : '') ||
    (changes.length > 0 ? changeHeadline(refined, takenBack) : '') ||
    (claim !== null ? `${claim.runs.length} claimed` : (entered?.name ?? 'first tick, everything is in order'));
  const { tick, time, procedure } = world;
  const head = { tick, time, version: refined.version, today: state.today.count, cap: procedure.caps.itemsPerDay };
  const streak = state.today.errorsInARow;
  return printEntry({ ...head, streak }, headline, [...lines, ...refusalLines(world, refined)]);
}

/** Said only beside something else: it lasts until a person mends it. */
function refusalLines({ refusal, procedure }: World, { queue }: Refined): string[] {
  if (refusal === null || queue.length === 0 || procedure.learn.mode === 'off') return [];
  return [`nothing that was learned is applied: ${quoted(refusal)}`];
}

/** Boxes that a person ticked in review.md, as far as they still mean something. */
function answerLines({ answers, journal }: World): string[] {
  return answers
    .filter(({ run, item }) => journal.trails[item]?.lastRun === run)
    .map(({ item }) => `given back ${quoted(item)}: you ticked its box in review.md`);
}

/** A pause can give back a whole slice at once: one line for each reason. */
function releasedLines({ finished }: Collected): string[] {
  const released = finished.filter(({ outcome }) => outcome === 'released');
  return [...new Set(released.map(({ message }) => message))].map((message) => {
    const items = released.filter((each) => each.message === message).map(({ result }) => quoted(result.item, 120));
    return `released ${items.length}, ${message}: ${items.join(', ')}`;
  });
}

/** A stop is told when it begins, not while it lasts; a cap begins anew each day. */
function enters({ lastStop, day }: World, name: string): boolean {
  if (lastStop === null || lastStop.name !== name) return true;
  return (name === 'daily-cap' || name === 'budget') && lastStop.day !== day;
}

function lightLines({ fresh, complete, procedure }: World): string[] {
  const next = fresh.map(({ id }) => quoted(id, 120));
  const much = complete ? `${next.length} to do` : `${next.length} and more to do`;
  return [
    `checked state.md, loop.md and contract.md; nothing is started in the first tick`,
    next.length === 0 ? 'nothing to do' : `${much}, beginning with ${next.slice(0, 5).join(', ')}`,
    `limits: ${procedure.slice} a tick, ${procedure.caps.itemsPerDay} a day, pause after ${procedure.pauseAfterErrors} errors in a row`,
  ];
}

/** As it stands in a key: an id that is no whole text must not end the tick. */
const inKey = (id: string) => encodeURI(id.replace(/\p{Surrogate}/gu, '\ufffd'));

const sentence = (text: string) => (/[.?!…]$/.test(text) ? text : `${text}.`);

/** What needs a person, one line each. */
export function reviewLines({ waiting }: Choice, { refused, procedure }: World, { rules }: Captured): ReviewLine[] {
  return [
    ...waiting.map(({ item, run, why }) => ({
      key: `retry ${run} ${inKey(item)}`,
      text: `${sentence(`${quoted(item)} ${quoted(why)}`)} Tick this box to try it again`,
    })),
    ...refused.map(({ id, refused: why }) => ({
      key: `refused ${inKey(id)}`,
      text: `${sentence(quoted(why ?? id))} Not worked on until it is mended`,
    })),
    ...rules.filter((rule) => isCandidate(rule, procedure.learn.mode)).map(candidateLine),
  ];
}

/** Held, and worth a person's look: it was seen twice, only a person may let it in, or nothing comes in by itself. */
const isCandidate = ({ state, items, why }: Rule, mode: string): boolean =>
  state === 'held' && (items.length > 1 || why !== '' || mode === 'manual');

function candidateLine({ id, rule, items, why }: Rule): ReviewLine {
  const seen = `seen on ${items.length === 1 ? '1 item' : `${items.length} items`}${why === '' ? '' : `; held, ${why}`}`;
  return { key: `approve ${id}`, text: `${id}, ${seen}: "${quoted(rule)}" Tick this box to make it a rule` };
}
