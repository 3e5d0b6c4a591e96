import { account } from './account.ts';
import type { Before, Claim, Day, Result } from './model.ts';

const BUCKET_S = 900;
const DAY_S = 86_400;

/** The counter behind the caps: what has been dispatched, by day and by the boot clock. */
export type Tally = Pick<Before, 'day' | 'count' | 'uptime'>;

export const emptyTally: Tally = { day: '', count: 0, uptime: { boot: '', buckets: {} } };

/** @returns how many of `results` cost nothing: the run never started, or the other side refused it. */
export function free(results: readonly Result[]): number {
  return results.filter(({ outcome, error }) => !account(outcome, error?.class ?? null).counted).length;
}

/** @returns the tally with `claim` in it, of which `cheap` runs cost nothing. */
export function withBatch(claim: Claim, cheap: number): Tally {
  const { before } = claim;
  const spent = claim.runs.length - cheap;
  const bucket = String(Math.floor(claim.at.uptime / BUCKET_S));
  const buckets = before.uptime.boot === claim.at.boot ? recent(before.uptime.buckets, claim.at.uptime) : {};
  return {
    day: claim.day,
    count: (claim.day === before.day ? before.count : 0) + spent,
    uptime: { boot: claim.at.boot, buckets: { ...buckets, [bucket]: (buckets[bucket] ?? 0) + spent } },
  };
}

/** @returns what has been dispatched on `day`. */
export const countOn = (tally: Tally, day: Day): number => (tally.day === day ? tally.count : 0);

/** @returns how many items may still be dispatched under `cap`; never below 0. */
export function room(tally: Tally, cap: number, at: { day: Day; boot: string; uptime: number }): number {
  const lastDay = tally.uptime.boot === at.boot ? Object.values(recent(tally.uptime.buckets, at.uptime)) : [];
  const inUptime = lastDay.reduce((sum, n) => sum + n, 0);
  return Math.max(0, Math.min(cap - countOn(tally, at.day), 2 * cap - inUptime));
}

/** A bucket counts until its youngest dispatch is 24 h old. */
function recent(buckets: Record<string, number>, uptime: number): Record<string, number> {
  return Object.fromEntries(Object.entries(buckets).filter(([key]) => (Number(key) + 1) * BUCKET_S > uptime - DAY_S));
}
