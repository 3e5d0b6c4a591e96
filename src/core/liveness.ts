import type { Alive, Claim, Owner } from './model.ts';

/** A claim nobody took up is given this long while its launcher lives. Seconds of the boot clock. */
const TAKE_UP_S = 60;
/** Without a process to look at, silence for this long past `until` means dead. */
const ELSEWHERE_SILENCE_S = 600;

export type Looks = 'alive' | 'dead' | 'elsewhere';

export interface BatchFacts {
  claim: Claim;
  owner: Owner | null;
  alive: Alive | null;
  /** Seconds since alive.json last changed, by this machine's clock. */
  silentS: number;
  launcher: Looks;
  /** How the owner's process looks; null without an owner or when it is `reaped`. */
  ownerLooks: Looks | null;
  boot: string;
  uptime: number;
  pastUntil: boolean;
}

/**
 * How a batch without filed.json stands.
 *
 * - `running`: leave it alone.
 * - `unowned`: nobody took it up: make owner.json {reaped} and release its runs.
 * - `reaped`: somebody made it so already: release what has no result.
 * - `dead`: the owner is gone: reap.
 * - `overdue`: the owner lives past its time: watch alive.json, then end it.
 * - `unreachable`: an owner on another machine that fell silent: its started items are parked.
 */
export type Standing = 'running' | 'unowned' | 'reaped' | 'dead' | 'overdue' | 'unreachable';

export const isReaped = (owner: Owner): owner is { reaped: true } => 'reaped' in owner;

export function standing(facts: BatchFacts): Standing {
  const { owner, claim } = facts;
  if (owner === null) {
    const young = claim.at.boot === facts.boot && facts.uptime - claim.at.uptime < TAKE_UP_S;
    if (facts.launcher === 'elsewhere') return facts.pastUntil ? 'unowned' : 'running';
    return facts.launcher === 'alive' && young ? 'running' : 'unowned';
  }
  if (isReaped(owner)) return 'reaped';
  if (facts.ownerLooks === 'dead') return 'dead';
  if (facts.ownerLooks === 'elsewhere')
    return facts.pastUntil && facts.silentS >= ELSEWHERE_SILENCE_S ? 'unreachable' : 'running';
  if (facts.alive?.spent === true) return 'overdue';
  return facts.pastUntil ? 'overdue' : 'running';
}
