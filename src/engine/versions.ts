import { account } from '../core/account.ts';
import { learningId } from '../core/block.ts';
import { type ChangedLine, diffLines } from '../core/line-diff.ts';
import type { OutcomeLine } from '../core/model.ts';
import type { Rule } from '../core/rule.ts';
import { activeOf, type Bad, type Blocks, OWNED, type Owned, sameLines, type Version } from '../core/version.ts';
import { PawlError } from '../errors.ts';
import type { Disk } from '../store/disk.ts';
import { lineReader } from '../store/lines.ts';
import { readVersions } from '../store/versions.ts';
import type { Workspace } from '../store/workspace.ts';
import { readLedger, readLoop } from './observe.ts';
import { lookAtOwned } from './owned.ts';

/** Attempts that were charged to a version: those that ended with a mark, and failures that are the item's own. */
interface Runs {
  done: number;
  failed: number;
}

/** A version as `pawl versions --json` prints it. */
export interface Row {
  n: number;
  /** `good`: something was done under it; `unproven`: nothing was yet; both were replaced by a later one. */
  status: 'active' | 'good' | 'unproven' | 'bad';
  bad: Bad | null;
  by: Version['by'];
  day: string;
  tick: number;
  parent: number;
  cause: string;
  /** What came in and went out, by learning. */
  applied: { id: string; rule: string }[];
  retired: { id: string; rule: string }[];
  runs: Runs;
}

export interface Versions {
  v: 1;
  active: number;
  /** Newest first; [] = there are none, and the text as it came is version 0. */
  versions: Row[];
  /** Files whose rules a person changed since: the next tick makes a version of that. */
  edited: Owned[];
}

/** All versions with what became of them. Looks, changes nothing. */
export function listVersions(disk: Disk, workspace: Workspace): Versions {
  const versions = readVersions(disk, workspace, true);
  const active = activeOf(versions);
  const rules = readLedger(disk, workspace);
  const runs = versions.length === 0 ? new Map<number, Runs>() : runsByVersion(disk, workspace);
  const rows = versions.map((version) => rowOf(version, rules, runs.get(version.n), version === active)).reverse();
  const now = blocksNow(disk, workspace);
  const edited = active === null ? [] : OWNED.filter((file) => !sameLines(active.blocks[file], now[file]));
  return { v: 1, active: active?.n ?? 0, versions: rows, edited };
}

const blocksNow = (disk: Disk, workspace: Workspace): Blocks =>
  lookAtOwned(disk, workspace, readLoop(disk, workspace).sections).blocks;

function rowOf(version: Version, rules: readonly Rule[], counted: Runs | undefined, isActive: boolean): Row {
  const { n, bad, by, day, tick, parent, cause, applied, retired } = version;
  const runs = counted ?? { done: 0, failed: 0 };
  const named = (id: string) => ({ id, rule: rules.find((rule) => rule.id === id)?.rule ?? '' });
  const status = bad !== null ? 'bad' : isActive ? 'active' : runs.done > 0 ? 'good' : 'unproven';
  return {
    ...{ n, status, bad, by, day, tick, parent, cause, runs },
    ...{ applied: applied.map(named), retired: retired.map((id) => named(learningId(id))) },
  };
}

const CHUNK = 1 << 20;
/** Units: bytes; a line of ours is far shorter. */
const LONGEST_LINE = 1 << 20;

/** Reads outcomes.jsonl once, whole; a line written twice counts once. */
function runsByVersion(disk: Disk, workspace: Workspace): Map<number, Runs> {
  const seen = new Set<number>();
  const found = new Map<number, Runs>();
  const lines = lineReader(LONGEST_LINE, ({ text }) => {
    const line = readLine(text);
    if (line === null || seen.has(line.run)) return;
    seen.add(line.run);
    const runs = found.get(line.version) ?? { done: 0, failed: 0 };
    const { streak } = account(line.outcome, line.class);
    if (streak === 'reset') runs.done += 1;
    if (streak === 'add') runs.failed += 1;
    found.set(line.version, runs);
  });
  const path = workspace.outcomes();
  for (let at = 0; ; ) {
    const chunk = disk.readAt(path, at, CHUNK);
    if (chunk === null || chunk.length === 0) break;
    lines.push(chunk);
    at += chunk.length;
  }
  lines.end();
  return found;
}

/** @returns null for a release, and for what a crash has torn. */
function readLine(text: string): Exclude<OutcomeLine, { release: string }> | null {
  try {
    const line = JSON.parse(text) as OutcomeLine | null;
    return line !== null && 'run' in line && Number.isSafeInteger(line.run) ? line : null;
  } catch {
    return null;
  }
}

/** What differs between the blocks of two versions, as `pawl diff --json` prints it. */
export interface Diff {
  v: 1;
  from: number;
  to: number;
  /** Only files that differ. */
  files: { file: Owned; lines: ChangedLine[] }[];
}

/**
 * Compares two versions; without `from` the active one with its parent, without `to` version `from` with its parent.
 *
 * @throws PawlError `E_USAGE` when there is no such version. 0 is always there.
 */
export function diffVersions(disk: Disk, workspace: Workspace, from: number | null, to: number | null): Diff {
  const versions = readVersions(disk, workspace, true);
  const newer = findVersion(versions, to ?? from ?? activeOf(versions)?.n ?? 0);
  const older = to !== null && from !== null ? findVersion(versions, from) : findVersion(versions, newer?.parent ?? 0);
  const empty = blocksNow(disk, workspace);
  const files = OWNED.map((file) => ({
    file,
    lines: diffLines((older?.blocks ?? empty)[file], (newer?.blocks ?? empty)[file]),
  }));
  return { v: 1, from: older?.n ?? 0, to: newer?.n ?? 0, files: files.filter(({ lines }) => lines.length > 0) };
}

/** @returns null for version 0 while it is only the text as it is. @throws PawlError `E_USAGE`. */
export function findVersion(versions: readonly Version[], n: number): Version | null {
  const found = versions.find((version) => version.n === n);
  if (found !== undefined) return found;
  if (n === 0) return null;
  throw new PawlError('E_USAGE', `there is no version ${n}; \`pawl versions\` lists them`);
}
