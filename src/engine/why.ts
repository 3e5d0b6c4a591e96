import { readRule, ruleId } from '../core/block.ts';
import type { Rule } from '../core/rule.ts';
import { OWNED, type Owned, type Version } from '../core/version.ts';
import { PawlError } from '../errors.ts';
import { localTime } from '../formats/zone.ts';
import type { Disk } from '../store/disk.ts';
import { number, type Workspace } from '../store/workspace.ts';
import { type Listed, listedOf } from './learnings.ts';
import { entryOf, idOf, type Known, lineOf, readKnown, standsIn, unknown } from './ledger.ts';
import { entriesOf } from './log.ts';
import { findVersion } from './versions.ts';

/** Where a rule came from, as `pawl why R-012 --json` prints it. */
export interface Origin extends Omit<Listed, 'state' | 'due' | 'version' | 'approved'> {
  v: 1;
  /** `R-012` */
  ruleId: string;
  /** null: rules.yaml does not know it, so a person wrote the line. */
  state: Rule['state'] | null;
  /** The tick that queued it, and when; null as far as nobody knows. */
  queued: { tick: number | null; at: string | null };
  /** The version it came in with, or null. */
  version: Pick<Version, 'n' | 'parent' | 'by' | 'tick' | 'day'> | null;
  /** How to take it back, or how to get it. */
  undo: string;
}

/** @throws PawlError `E_USAGE` when nothing of that name was ever learned or written. */
export function originOf(disk: Disk, workspace: Workspace, given: string, now: Date): Origin {
  const known = readKnown(disk, workspace, now, true);
  const id = idOf(given);
  const rule = entryOf(known, id);
  const listed = listedOf(known, id);
  if (rule === undefined || listed === null) return writtenBy(known, id);
  const { approved: _, due: __, version: n, ...rest } = listed;
  // What was turned down before it was ever applied has no version.
  const version = known.versions.find((each) => each.n === n && n > 0);
  return {
    ...{ v: 1, ...rest, ruleId: ruleId(id), file: standsIn(known, id) ?? listed.file },
    queued: queuedBy(disk, workspace, known, rule),
    version: version === undefined ? null : about(version),
    undo: undoOf(listed, version),
  };
}

const about = ({ n, parent, by, tick, day }: Version) => ({ n, parent, by, tick, day });

/** A line of the loop's form that the ledger does not know. */
function writtenBy(known: Known, id: string): Origin {
  const name = ruleId(id);
  const textIn = (blocks: Record<Owned, string[]>) =>
    OWNED.flatMap((file) => blocks[file].map((line) => ({ file, read: readRule(line) }))).find(
      ({ read }) => read?.id === name,
    );
  const first = known.versions.find(({ blocks }) => textIn(blocks) !== undefined);
  const found = textIn(known.owned.blocks) ?? (first === undefined ? undefined : textIn(first.blocks));
  if (found?.read == null) throw unknown(known, id, ['held', 'applied', 'kept', 'vetoed', 'refused', 'reverted']);
  const isThere = standsIn(known, id) !== null;
  return {
    ...{
      v: 1,
      id,
      ruleId: name,
      state: null,
      rule: found.read.text,
      target: null,
      file: found.file,
      items: [],
      runs: [],
    },
    ...{ queued: { tick: null, at: null }, version: first === undefined ? null : about(first) },
    why: whoWrote(first),
    undo: isThere ? `delete its line in ${found.file}` : 'its line is not there any more',
  };
}

function whoWrote(first: Version | undefined): string {
  if (first === undefined) return 'a person wrote it; the next tick makes a version of that';
  if (first.n === 0) return 'it was in the text as it came, version 0';
  if (first.by === 'human') return `a person wrote it; it is there since version ${first.n}`;
  return `the loop brought it in with version ${first.n}; rules.yaml knows nothing of it any more`;
}

/** The reflection of that day says which tick it was. */
function queuedBy(disk: Disk, workspace: Workspace, known: Known, { id, at }: Rule): Origin['queued'] {
  const line = lineOf(known, id);
  if (line !== undefined || at === '') return { tick: line?.tick ?? null, at: at || null };
  const { day } = localTime(new Date(at), known.procedure.timezone);
  const told = entriesOf(disk, workspace, day).findLast(({ lines }) =>
    lines.some((each) => each.startsWith(`queued ${id} for tick `)),
  );
  return { tick: told?.tick ?? null, at };
}

function undoOf({ id, state, file }: Listed, version: Version | undefined): string {
  if (state === 'applied') {
    const all = version === undefined ? '' : `, or all since: pawl rollback ${version.parent}`;
    return `this rule alone: pawl veto ${id}${all}`;
  }
  if (state === 'kept') return `delete its line in ${file}`;
  if (state === 'queued') return `pawl veto ${id}`;
  if (state === 'held') return `it is no rule; for it: pawl approve ${id}, against it: pawl veto ${id}`;
  return `it is no rule; to have it: pawl approve ${id}`;
}

/** `why.md` of a version; for version 0 before there are any, its one sentence. @throws PawlError `E_USAGE`. */
export function whyVersion(
  disk: Disk,
  workspace: Workspace,
  n: number,
  now: Date,
): { version: Version | null; text: string } {
  const version = findVersion(readKnown(disk, workspace, now, true).versions, n);
  if (version === null) return { version, text: '# Version 0\n\n- the text as it came; nothing was learned yet\n' };
  const path = workspace.path('versions', number(n), 'why.md');
  const text = disk.read(path)?.toString('utf8');
  if (text === undefined) throw new PawlError('E_FORMAT', 'this file is gone', { at: path });
  return { version, text };
}
