import { printContract } from './contract.ts';
import { later } from './day.ts';
import type { Claim, Item } from './model.ts';
import type { Journal } from './trail.ts';
import type { Blocks } from './version.ts';
import type { World } from './world.ts';

/** Counters as they stand when a batch is claimed. */
export interface Counters {
  done: number;
  cursor: number;
  streak: number;
}

/** The claim of these items: everything their supervisor may go by, as it is now. */
export function makeClaim(
  world: World,
  items: readonly Item[],
  journal: Journal,
  counters: Counters,
  { version, blocks }: { version: number; blocks: Blocks },
): Claim {
  const { procedure, tally } = world;
  const { executor, workspace, source, concurrency, caps, pauseAfterErrors, check, shadow } = procedure;
  const rounds = Math.ceil(items.length / Math.max(1, concurrency));
  return {
    v: 1,
    batch: world.nextBatch,
    tick: world.tick,
    generation: world.generation,
    day: world.day,
    at: { time: world.now, boot: world.boot.id, uptime: world.boot.uptime },
    version,
    launcher: world.self,
    streak: counters.streak,
    before: { ...tally, done: counters.done, cursor: counters.cursor },
    until: later(world.now, rounds * caps.minutesPerItem + 5),
    runs: items.map(({ id }, index) => ({
      run: world.nextRun + index,
      item: id,
      attempt: (journal.trails[id]?.tries ?? 0) + 1,
      prior: journal.trails[id]?.lastRun ?? null,
    })),
    settings: { executor, workspace, source, concurrency, caps, pauseAfterErrors, check, shadow },
    contract: { version, text: printContract(world.contract, blocks) },
  };
}
