import { rulesIn } from '../core/block.ts';
import type { EndedBatch } from '../core/collect.ts';
import { monotoneDay, nextMidnight } from '../core/day.ts';
import type { Claim, Day, Item, Procedure, State } from '../core/model.ts';
import type { Rule } from '../core/rule.ts';
import type { Tally } from '../core/tally.ts';
import { emptyTally, free, withBatch } from '../core/tally.ts';
import type { Journal } from '../core/trail.ts';
import { activeOf, type Blocks, OWNED } from '../core/version.ts';
import type { StopMark, World } from '../core/world.ts';
import { PawlError } from '../errors.ts';
import { executorNames } from '../executors/index.ts';
import { contractParts } from '../formats/contract.ts';
import { parseLoop } from '../formats/loop.ts';
import { readAnswers, readApprovals } from '../formats/review.ts';
import { parseRules } from '../formats/rules.ts';
import { localTime } from '../formats/zone.ts';
import { openSource, sourceNames } from '../sources/index.ts';
import type { Source } from '../sources/source.ts';
import { type Batches, readBatches } from '../store/batches.ts';
import type { Disk } from '../store/disk.ts';
import { readJournal } from '../store/journal.ts';
import { readState } from '../store/state-file.ts';
import { readTick, tickNumbers } from '../store/ticks.ts';
import { highestVersionTick, readVersions } from '../store/versions.ts';
import type { Workspace } from '../store/workspace.ts';
import type { Machine } from './machine.ts';
import { lookAtOwned } from './owned.ts';
import { readResult } from './results.ts';
import { sightBatch } from './sight.ts';

/** How many refused items are shown to a person at once. */
const REFUSED_MOST = 20;

export interface Observed {
  world: World;
  source: Source;
  /** Keeps what was read of outcomes.jsonl, so that the next tick reads on from there. */
  saveJournal(): void;
}

export interface ObserveOptions {
  machine: Machine;
  workspace: Workspace;
  /** The fenced disk of a tick, or the plain one of a dry run. */
  disk: Disk;
  generation: number;
  collectOnly?: boolean;
  /** Set when this tick has begun already and observes again. */
  tick?: number;
  keep(path: string): void;
}

let lastLoop: { bytes: Buffer; parsed: ReturnType<typeof parseLoop> } | null = null;

/** Reads loop.md; the same bytes are parsed once. @throws PawlError `E_FORMAT` with file:line:column. */
export function readLoop(disk: Disk, workspace: Workspace): ReturnType<typeof parseLoop> {
  const bytes = disk.read(workspace.loop());
  if (bytes === null)
    throw new PawlError('E_FORMAT', 'there is no loop.md; `pawl init` makes one', { at: '.jez/loop.md' });
  if (lastLoop === null || !lastLoop.bytes.equals(bytes))
    lastLoop = { bytes, parsed: parseLoop(bytes, '.jez/loop.md', { sources: sourceNames, executors: executorNames }) };
  return lastLoop.parsed;
}

/** Files to World: everything one tick may look at. */
export async function observe(options: ObserveOptions): Promise<Observed> {
  const { machine, workspace, disk, generation, collectOnly = false, keep } = options;
  const { clock } = machine;
  const state = readState(disk, workspace);
  const { procedure, sections, body } = readLoop(disk, workspace);
  const source = await openSource({ disk, workspace, procedure, keep });
  const batches = readBatches(disk, workspace);
  const { journal, save } = readJournal(disk, workspace);

  const now = clock.now();
  const local = localTime(now, procedure.timezone);
  const tally = tallyOf(disk, workspace, batches, state, local.day);
  const day = monotoneDay(local.day, tally.day);
  const isOver = (claim: Claim) => claim.runs.every((run) => readResult(disk, workspace, run) !== null);
  const ended: EndedBatch[] = [];
  for (const claim of batches.open.filter(isOver)) ended.push(await sightBatch(disk, workspace, source, claim, day));
  const busy = new Set(batches.open.flatMap(({ runs }) => runs.map(({ item }) => item)));
  const ticks = tickNumbers(disk, workspace);
  const highest = Math.max(
    state.tick,
    ticks.at(-1) ?? 0,
    batches.newest?.tick ?? 0,
    highestVersionTick(disk, workspace),
  );
  const rules = readLedger(disk, workspace);
  const versions = readVersions(disk, workspace);
  const owned = lookAtOwned(disk, workspace, sections);
  const review = disk.read(workspace.review())?.toString('utf8') ?? '';

  const world: World = {
    now: now.toISOString(),
    day,
    time: local.time,
    nextMidnight: nextMidnight(now, (at) => localTime(at, procedure.timezone).day),
    boot: { id: clock.bootId(), uptime: clock.uptime() },
    self: machine.processes.self(),
    generation,
    tick: options.tick ?? highest + 1,
    light: options.tick === undefined ? highest === 0 : false,
    collectOnly,
    version: activeOf(versions)?.n ?? 0,
    versions,
    blocks: owned.blocks,
    readable: owned.broken === null,
    refusal: owned.refusal,
    state,
    procedure,
    contract: contractParts(owned.texts['contract.md'], body),
    ended,
    running: batches.open.filter((claim) => !isOver(claim)),
    tally,
    journal,
    ...(collectOnly ? nothing : await candidates(source, procedure, journal, busy, hint(disk, workspace))),
    nextBatch: batches.highest + 1,
    nextRun: Math.max(journal.lastRun, lastRun(batches), highestRunFolder(disk, workspace, journal, batches)) + 1,
    rules,
    nextLearning: nextLearning(rules, state, owned.blocks),
    stalled: batches.lastFiled?.stalled ?? false,
    lastStop: lastStop(disk, workspace, ticks, options.tick),
    answers: readAnswers(review),
    approvals: readApprovals(review),
  };
  return { world, source, saveJournal: save };
}

/** Numbers are shared by learnings and the rules they become, and never given twice. */
function nextLearning(rules: readonly Rule[], { queuedLearnings }: State, blocks: Blocks): number {
  const ids = [...rules, ...queuedLearnings, ...OWNED.flatMap((file) => rulesIn(blocks[file]))].map(({ id }) => id);
  return 1 + Math.max(0, ...ids.map((id) => Number(/\d+$/.exec(id)?.[0] ?? 0)));
}

const nothing = { fresh: [], others: [], refused: [], inShadow: 0, complete: false };

/** Reads on until a slice is full or one pass is over, past items that were tried, are parked, or belong to a batch. */
async function candidates(
  source: Source,
  procedure: Procedure,
  journal: Journal,
  busy: ReadonlySet<string>,
  after?: string,
) {
  const found = { fresh: [] as Item[], others: [] as Item[], refused: [] as Item[], inShadow: 0, complete: true };
  for await (const item of source.pending(after)) {
    if (item.refused !== null) {
      if (found.refused.length < REFUSED_MOST) found.refused.push(item);
    } else if (procedure.shadow && item.id in journal.shadowed) found.inShadow += 1;
    else if (item.id in journal.trails || busy.has(item.id)) found.others.push(item);
    else found.fresh.push(item);
    if (found.fresh.length < Math.max(1, procedure.slice)) continue;
    found.complete = false;
    break;
  }
  return found;
}

/** Where the last slice ended: only a hint of where to look first. */
function hint(disk: Disk, workspace: Workspace): string | undefined {
  return disk.read(workspace.cache('after'))?.toString('utf8') || undefined;
}

function tallyOf(disk: Disk, workspace: Workspace, batches: Batches, state: State, local: Day): Tally {
  const { newest, newestFiled } = batches;
  if (newest !== null) {
    const results = () => newest.runs.flatMap((run) => readResult(disk, workspace, run) ?? []);
    return withBatch(newest, newestFiled?.free ?? free(results()));
  }
  // batches/ is gone or new: state.md's number is what is left, for today only.
  const { date, count } = state.today;
  return date === local ? { ...emptyTally, day: date, count } : emptyTally;
}

const lastRun = ({ newest }: Batches): number => Math.max(0, ...(newest?.runs ?? []).map(({ run }) => run));

/** runs/ is only listed when neither a claim nor outcomes.jsonl knows the last number: it may hold a hundred thousand names. */
function highestRunFolder(disk: Disk, workspace: Workspace, journal: Journal, { newest }: Batches): number {
  if (journal.lastRun > 0 && newest !== null) return 0;
  const numbers = disk.list(workspace.path('runs')).map((name) => Number.parseInt(name, 10));
  return numbers.reduce((most, n) => (n > most ? n : most), 0);
}

/** What became of each learning. @throws PawlError `E_FORMAT`. */
export function readLedger(disk: Disk, workspace: Workspace): Rule[] {
  return parseRules(disk.read(workspace.rules())?.toString('utf8') ?? '', '.jez/rules.yaml');
}

/** The stop in which the last tick that did something left the loop. */
function lastStop(
  disk: Disk,
  workspace: Workspace,
  ticks: readonly number[],
  own: number | undefined,
): StopMark | null {
  const last = ticks.filter((tick) => tick !== own).at(-1);
  return last === undefined ? null : (readTick(disk, workspace, last)?.stop ?? null);
}
