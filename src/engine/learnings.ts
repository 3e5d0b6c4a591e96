import type { Instant, Learning, Procedure } from '../core/model.ts';
import { isClosed, type Rule } from '../core/rule.ts';
import type { Owned } from '../core/version.ts';
import { localTime } from '../formats/zone.ts';
import type { Disk } from '../store/disk.ts';
import type { Workspace } from '../store/workspace.ts';
import { entryOf, fileOf, type Known, lineOf, readKnown } from './ledger.ts';

/** One learning, as `pawl learnings --json` prints it. */
export interface Listed {
  id: string;
  state: Rule['state'];
  rule: string;
  /** The signature it is meant to prevent, or null. */
  target: string | null;
  file: Owned;
  items: string[];
  runs: number[];
  /** The version it came in with, or 0. */
  version: number;
  approved: boolean;
  /** Queued: when it is applied at the earliest; null = not by itself. */
  due: Due | null;
  /** In words: when it is applied, or why it is not. */
  why: string;
}

interface Due {
  tick: number;
  at: Instant | null;
}

export interface Learnings {
  v: 1;
  mode: Procedure['learn']['mode'];
  /** Why nothing that is queued is applied at all, or null. */
  blocked: string | null;
  learnings: Listed[];
  /** Those that are left out: applied, kept, vetoed, refused, reverted. */
  more: number;
}

const ORDER: Rule['state'][] = ['queued', 'held', 'applied', 'kept', 'vetoed', 'refused', 'reverted'];

/** What waits in state.md and what is held; `all` = and all that was decided. Looks, changes nothing. */
export function readLearnings(disk: Disk, workspace: Workspace, now: Date, all: boolean): Learnings {
  const known = readKnown(disk, workspace, now);
  const ids = new Set([...known.state.queuedLearnings, ...known.rules].map(({ id }) => id));
  const listed = [...ids].flatMap((id) => listedOf(known, id) ?? []).sort(byState);
  const learnings = all ? listed : listed.filter(({ state }) => state === 'queued' || state === 'held');
  const { mode } = known.procedure.learn;
  return { v: 1, mode, blocked: blocked(known), learnings, more: listed.length - learnings.length };
}

const byState = (left: Listed, right: Listed): number =>
  ORDER.indexOf(left.state) - ORDER.indexOf(right.state) || Number(left.id.slice(1)) - Number(right.id.slice(1));

/** Why no tick applies anything now, or null. */
export function blocked({ owned, paused }: Known): string | null {
  if (owned.refusal !== null) return owned.refusal;
  return paused ? 'the loop is paused; go on with: pawl resume' : null;
}

/** @returns null when nothing is known of it. */
export function listedOf(known: Known, id: string): Listed | null {
  const line = lineOf(known, id);
  const rule = entryOf(known, id);
  if (rule === undefined) return null;
  const { due, why } = line === undefined ? { due: null, why: standing(known, rule) } : whenApplied(known, line, rule);
  const { items, runs, version, approved, key } = rule;
  return {
    ...{ id, state: line === undefined ? rule.state : 'queued', rule: line?.rule ?? rule.rule },
    ...{ target: key.startsWith('text:') ? null : key, file: fileOf(line?.level ?? rule.level) },
    ...{ items, runs, version, approved, due, why },
  };
}

/** The window as refine keeps it, in words. */
function whenApplied(known: Known, line: Learning, rule: Rule | undefined): { due: Due | null; why: string } {
  const { window, learn, timezone } = known.procedure;
  const never = (why: string) => ({ due: null, why });
  if (line.veto) return never('vetoed: the next tick takes it out');
  if (rule !== undefined && isClosed(rule)) return never(`${rule.state} in rules.yaml: the next tick takes it out`);
  if (learn.mode === 'off') return never('never: learn.mode is off');
  const next = Math.max(known.state.tick, line.tick) + 1;
  if (rule?.approved === true) return { due: { tick: next, at: null }, why: `in tick ${next}: you approved it` };
  if (learn.mode === 'manual') return never(`when you approve it: pawl approve ${line.id}`);
  const tick = Math.max(next, line.tick + window.ticks);
  if (window.hours === 0) return { due: { tick, at: null }, why: `in tick ${tick}` };
  const since = Date.parse(rule?.at ?? '');
  if (!Number.isFinite(since))
    return { due: { tick, at: null }, why: `in tick ${tick} or later, ${window.hours} h after a tick has seen it` };
  const at = new Date(since + window.hours * 3_600_000);
  if (at <= known.now) return { due: { tick, at: at.toISOString() }, why: `in tick ${tick}` };
  const { day, time } = localTime(at, timezone);
  return { due: { tick, at: at.toISOString() }, why: `in tick ${tick} or later, from ${day} ${time} on` };
}

/** What became of one that is not in the queue. */
function standing(known: Known, { id, state, why, items, version }: Rule): string {
  if (state === 'queued') return 'its line in state.md is gone: the next tick takes note of that';
  if (state === 'held') return heldWhy(known, items.length, why);
  if (state === 'applied') return `since version ${version}; against it: pawl veto ${id}`;
  if (state === 'kept') return `your own line${version > 0 ? ` since version ${version}` : ''}`;
  return `${why === '' ? '' : `${why}; `}back with: pawl approve ${id}`;
}

function heldWhy({ procedure: { learn } }: Known, seen: number, why: string): string {
  const count = `seen on ${seen} of ${learn.sightings} items`;
  if (why !== '') return `${count}; for you to read: ${why}`;
  if (learn.mode === 'off') return `${count}; learn.mode is off`;
  if (learn.mode === 'manual') return `${count}; learn.mode is manual`;
  return seen < learn.sightings ? count : `${count}; the queue or the day was full`;
}
