import type { Rule } from './rule.ts';
import type { Failing, Journal } from './trail.ts';
import { activeOf, type Bad, sameBlocks, type Version } from './version.ts';
import type { World } from './world.ts';

/** A version that is taken back, and what is put in its place. */
export interface Rollback {
  from: Version;
  to: Version;
  bad: Bad;
  /** Learnings that went with it. */
  ids: string[];
  rules: Rule[];
  /** False when an earlier tick has told it: that one was killed before it had filed the batch. */
  tell: boolean;
}

/**
 * Whether the failures in a row are the fault of the version they were started with (DESIGN 7.4).
 *
 * Only when a loop made the active version, all the last failures are its own and of class `item`, and nothing was taken back since the
 * last success. Judging the same batch again finds what was decided.
 */
export function rollback(world: World, journal: Journal, streak: number): Rollback | null {
  const batch = world.ended.at(-1)?.claim.batch ?? null;
  const decided = world.versions.find(({ bad }) => bad?.cause === 'failures' && batch !== null && bad.batch === batch);
  if (decided !== undefined) return take(world, decided, decided.bad as Bad);
  const most = world.procedure.pauseAfterErrors;
  const active = activeOf(world.versions);
  if (active === null || active.by !== 'loop' || streak < most) return null;
  // With a person's edit in it that no tick has seen yet it is theirs.
  if (!sameBlocks(active.blocks, world.blocks)) return null;
  const last = journal.failing.slice(-most);
  if (last.length < most || !last.every((failure) => isItsFault(failure, active))) return null;
  const before = world.versions.some(
    ({ bad }) => bad?.cause === 'failures' && Math.max(...bad.runs) > journal.lastGoodRun,
  );
  const to = activeOf(world.versions.filter(({ n }) => n < active.n));
  if (before || to === null) return null;
  const runs = journal.failing.filter((failure) => isItsFault(failure, active)).map(({ run }) => run);
  return take(world, active, { cause: 'failures', tick: world.tick, at: world.now, to: to.n, batch, runs });
}

const isItsFault = ({ version, class: errorClass }: Failing, { n }: Version) => version === n && errorClass === 'item';

function take(world: World, from: Version, bad: Bad): Rollback | null {
  const to = world.versions.find(({ n }) => n === bad.to);
  if (to === undefined) return null;
  const why = `version ${from.n} was taken back`;
  const known = (id: string) => world.rules.find((rule) => rule.id === id);
  const rules = from.applied.flatMap((id): Rule[] => {
    const rule = known(id);
    if (rule === undefined || rule.state === 'reverted' || rule.state === 'kept') return [];
    return [{ ...rule, state: 'reverted', why, version: from.n, tick: world.tick, day: world.day }];
  });
  return { from, to, bad, ids: from.applied, rules, tell: bad.tick === world.tick };
}
