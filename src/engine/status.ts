import type { Standing } from '../core/liveness.ts';
import { type LoopState, loopState } from '../core/loop-state.ts';
import type { Instant, Procedure } from '../core/model.ts';
import { plan as decide } from '../core/plan.ts';
import { countOn } from '../core/tally.ts';
import { type Journal, parked } from '../core/trail.ts';
import { readReview } from '../formats/review.ts';
import { isWritten } from '../formats/settings.ts';
import type { Source } from '../sources/source.ts';
import type { Workspace } from '../store/workspace.ts';
import { type Entry, lastEntries } from './log.ts';
import { type Machine, realMachine } from './machine.ts';
import { observe } from './observe.ts';
import { standingOf } from './reap.ts';

/** How a loop stands: what `pawl status --json` prints, v1. */
export interface Status {
  v: 1;
  root: string;
  state: LoopState['name'];
  why: string;
  version: number;
  inFlight: { batch: number; run: number; item: string; since: Instant; until: Instant; standing: Standing }[];
  today: { day: string; count: number };
  errorsInARow: number;
  /** `total` null = the source can't say. */
  items: { done: number; total: number | null };
  learnings: { id: string; rule: string; tick: number; veto: boolean }[];
  /** Open boxes in review.md that still matter. */
  waitingForYou: number;
  /** The newest entry of the reflections. */
  last: Pick<Entry, 'day' | 'time' | 'tick' | 'headline'> | null;
  /** Since the clock last fired; null = it never did. */
  heartbeatAgeS: number | null;
  /** What proves that an item is done; null = nothing does, so it is unchecked. */
  check: string[] | null;
  limits: Pick<Procedure, 'slice' | 'concurrency' | 'tries' | 'caps' | 'pauseAfterErrors'>;
  /** Names of caps that loop.md leaves out. */
  defaults: string[];
}

const CAPS = ['items_per_day', 'usd_per_day', 'tokens_per_day', 'minutes_per_item'];

/** Looks without changing anything but `.jez/cache`. @throws PawlError when state.md or loop.md can't be read. */
export async function readStatus(workspace: Workspace, machine: Machine = realMachine): Promise<Status> {
  const { disk, clock } = machine;
  const { world, source } = await observe({ machine, workspace, disk, generation: 0, keep: () => {} });
  const { state, procedure, journal } = world;
  const batches = world.running.map((claim) => ({ claim, standing: standingOf(machine, workspace, claim) }));
  const standings = batches.map(({ standing }) => standing);
  const { name, why } = loopState(world, decide(world), pausedBy(machine, workspace, state), standings);
  const beat = disk.stat(workspace.heartbeat())?.mtimeNs;
  const loop = disk.read(workspace.loop())?.toString('utf8') ?? '';
  const { slice, concurrency, tries, caps, pauseAfterErrors } = procedure;
  return {
    ...{ v: 1, root: workspace.root, state: name, why, version: world.version },
    inFlight: batches.flatMap(({ claim: { batch, runs, at, until }, standing }) =>
      runs.map(({ run, item }) => ({ batch, run, item, since: at.time, until, standing })),
    ),
    today: { day: world.day, count: countOn(world.tally, world.day) },
    errorsInARow: state.today.errorsInARow,
    items: await source.count(),
    learnings: state.queuedLearnings.map(({ id, rule, tick, veto }) => ({ id, rule, tick, veto })),
    waitingForYou: await openBoxes(disk.read(workspace.review())?.toString('utf8') ?? '', journal, procedure, source),
    last:
      lastEntries(disk, workspace, 1).map(({ day, time, tick, headline }) => ({ day, time, tick, headline }))[0] ??
      null,
    heartbeatAgeS: beat === undefined ? null : Math.round((clock.now().getTime() - Number(beat / 1_000_000n)) / 1000),
    check: procedure.check,
    limits: { slice, concurrency, tries, caps, pauseAfterErrors },
    defaults: CAPS.filter((cap) => !isWritten(loop, '.jez/loop.md', `caps.${cap}`)),
  };
}

function pausedBy(
  { disk }: Machine,
  workspace: Workspace,
  state: { paused: boolean; pauseReason: string | null },
): string | null {
  if (state.paused) return state.pauseReason ?? '`paused: true` in state.md';
  return disk.stat(workspace.pause()) === null ? null : 'there is a file .jez/PAUSE';
}

/** A box about an item that was released, done or mended meanwhile is open in the file and nothing to anybody. */
async function openBoxes(text: string, journal: Journal, procedure: Procedure, source: Source): Promise<number> {
  let open = 0;
  for (const { key, ticked } of readReview(text)) {
    if (ticked) continue;
    const [, kind = '', run, id = ''] = /^(retry (\d+)|refused) (.+)$/.exec(key) ?? [];
    const item = decoded(id);
    if (kind === '' || item === null) open += 1;
    else if (kind === 'refused') open += (await source.read(item))?.refused ? 1 : 0;
    else {
      const trail = journal.trails[item];
      const isLast = trail?.lastRun === Number(run);
      open += isLast && parked(trail, procedure.tries, procedure.sideEffects) !== null ? 1 : 0;
    }
  }
  return open;
}

/** Null for a key that a slip of the pen has broken. */
function decoded(id: string): string | null {
  try {
    return decodeURI(id);
  } catch {
    return null;
  }
}
