import { learningId, rulesIn } from '../core/block.ts';
import type { Day, Learning, Procedure, State } from '../core/model.ts';
import { unheard } from '../core/refined.ts';
import type { Rule } from '../core/rule.ts';
import { quoted } from '../core/text.ts';
import { OWNED, type Owned, type Version } from '../core/version.ts';
import { PawlError } from '../errors.ts';
import { printRules } from '../formats/rules.ts';
import { localTime } from '../formats/zone.ts';
import type { Disk } from '../store/disk.ts';
import { readState } from '../store/state-file.ts';
import { readVersions } from '../store/versions.ts';
import type { Workspace } from '../store/workspace.ts';
import { rewrite } from '../store/write.ts';
import { readLedger, readLoop } from './observe.ts';
import { lookAtOwned, type OwnedNow } from './owned.ts';

/** All that is known of what was learned, at one moment. */
export interface Known {
  now: Date;
  day: Day;
  state: State;
  procedure: Procedure;
  rules: Rule[];
  /** The newest, or all when they were asked for. */
  versions: Version[];
  owned: OwnedNow;
  /** `paused: true` in state.md, or the file PAUSE. */
  paused: boolean;
}

/** @throws PawlError `E_FORMAT` when state.md, loop.md, rules.yaml or a version can't be read. */
export function readKnown(disk: Disk, workspace: Workspace, now: Date, all = false): Known {
  const state = readState(disk, workspace);
  const { procedure, sections } = readLoop(disk, workspace);
  return {
    ...{ now, day: localTime(now, procedure.timezone).day, state, procedure },
    rules: readLedger(disk, workspace),
    versions: readVersions(disk, workspace, all),
    owned: lookAtOwned(disk, workspace, sections),
    paused: state.paused || disk.stat(workspace.pause()) !== null,
  };
}

/** `L7`, from `L7` or `R-007`. @throws PawlError `E_USAGE`. */
export function idOf(given: string): string {
  const digits = /^(?:L|R-)0*(\d{1,9})$/i.exec(given)?.[1];
  if (digits === undefined)
    throw new PawlError('E_USAGE', `a learning is named like L7 or R-007, got ${quoted(given, 40)}`);
  return `L${digits}`;
}

export const lineOf = ({ state }: Known, id: string): Learning | undefined =>
  state.queuedLearnings.find((learning) => learning.id === id);

/** Its entry, or what its line in state.md says while there is none yet. */
export function entryOf(known: Known, id: string): Rule | undefined {
  const line = lineOf(known, id);
  return known.rules.find((rule) => rule.id === id) ?? (line === undefined ? undefined : unheard(known, line));
}

/** The file in whose block its line stands now, or null. */
export const standsIn = ({ owned }: Known, id: string): Owned | null =>
  OWNED.find((file) => rulesIn(owned.blocks[file]).some((rule) => learningId(rule.id) === id)) ?? null;

/** The version that has it already, of a tick that was killed before it had cleared the queue. */
export const madeBy = ({ versions }: Known, { id, tick }: Pick<Rule, 'id' | 'tick'>): Version | undefined =>
  versions.findLast((each) => each.applied.includes(id) && each.tick > tick && each.bad === null);

export const fileOf = (level: Rule['level']): Owned => (level === 1.5 ? 'loop.md' : 'contract.md');

const NAMED_MOST = 8;

/** @param states of those that are worth naming. */
export function unknown(known: Known, id: string, states: readonly Rule['state'][]): PawlError {
  const file = standsIn(known, id);
  if (file !== null) return new PawlError('E_USAGE', `${id} is a line of ${file} that no run learned: change it there`);
  const queued = known.state.queuedLearnings.map((learning) => learning.id);
  const others = known.rules.filter(({ state }) => states.includes(state)).map((rule) => rule.id);
  const ids = [...new Set([...queued, ...others])];
  const more = ids.length > NAMED_MOST ? ` and ${ids.length - NAMED_MOST} more` : '';
  const named = ids.length === 0 ? '' : `; there is ${ids.slice(0, NAMED_MOST).join(', ')}${more}`;
  return new PawlError('E_USAGE', `there is no learning ${id}${named}; \`pawl learnings --all\` lists them`);
}

/** Writes one entry of rules.yaml over whatever the file says at that moment; all others stay. @throws PawlError `E_BUSY`. */
export const putRule = (disk: Disk, workspace: Workspace, rule: Rule): void =>
  rewrite(disk, workspace.rules(), (text) => printRules(text, [rule], '.jez/rules.yaml'));
