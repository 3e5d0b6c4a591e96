import type { Item, Procedure } from './model.ts';
import { type Journal, parked } from './trail.ts';

export interface Choice {
  /** Items that could be taken, those nobody tried first, then those with fewer tries. */
  ready: Item[];
  /** Unmarked items that wait for a person, with the reason. */
  waiting: { item: string; run: number; why: string }[];
}

/** Sorts what the pass over the backlog met. `gone` are items that this tick marks. */
export function choose(
  fresh: readonly Item[],
  others: readonly Item[],
  journal: Journal,
  gone: ReadonlySet<string>,
  { tries, sideEffects }: Pick<Procedure, 'tries' | 'sideEffects'>,
): Choice {
  const open = others.filter(({ id }) => !gone.has(id));
  const why = (id: string) => parked(journal.trails[id], tries, sideEffects);
  const again = open
    .filter(({ id }) => why(id) === null)
    .map((item) => ({ item, trail: journal.trails[item.id] }))
    .sort((a, b) => (a.trail?.tries ?? 0) - (b.trail?.tries ?? 0) || (a.trail?.lastRun ?? 0) - (b.trail?.lastRun ?? 0));
  return {
    ready: [...fresh.filter(({ id }) => !gone.has(id)), ...again.map(({ item }) => item)],
    waiting: open.flatMap(({ id }) => {
      const reason = why(id);
      return reason === null ? [] : [{ item: id, run: journal.trails[id]?.lastRun ?? 0, why: reason }];
    }),
  };
}

/** @returns how many items one tick may take. */
export function sliceSize(
  procedure: Procedure,
  journal: Journal,
  room: number,
  spend: readonly { spent: number; cap: number; dearest: number }[],
): number {
  // After a usage limit one item finds out whether it is over.
  if (journal.lastClass === 'limit') return Math.min(1, room);
  const affordable = spend.map(({ spent, cap, dearest }) =>
    // Nobody has reported a price yet: one item tells it.
    dearest > 0 ? Math.floor((cap - spent) / dearest) : journal.lastRun === 0 ? 1 : Number.POSITIVE_INFINITY,
  );
  return Math.max(0, Math.min(procedure.slice, room, ...affordable));
}
