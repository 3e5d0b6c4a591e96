import { learningId } from './block.ts';
import { queuedLine, runName } from './entry.ts';
import type { Refined } from './refined.ts';
import type { Rollback } from './rollback.ts';
import type { Rule } from './rule.ts';
import { quoted } from './text.ts';

/** What changed of the procedure, each with the command that takes it back. */
export function changeLines(refined: Refined, takenBack: Rollback | null, nextTick: number): string[] {
  const { edited, conflicts, applied, retired, vetoed, refused, approved } = refined;
  return [
    ...(takenBack === null ? [] : [takenBackLine(takenBack)]),
    ...(edited === null ? [] : [`${yoursLine(edited.version)}: you changed ${edited.files.join(' and ')}`]),
    ...conflicts.map(({ version, ids }) => conflictLine(version, ids)),
    ...applied.map(({ learning, version, undo }) => appliedLine(learning, version, undo)),
    ...retired.map(
      ({ rule, text, version }) =>
        `took out ${rule} as version ${version}, it was vetoed: "${quoted(text)}" (undo: pawl approve ${learningId(rule)})`,
    ),
    ...vetoed.map(({ id, rule, how }) => vetoedLine(id, rule, how)),
    ...refused.map(({ id, rule, why }) => refusedLine(id, rule, why)),
    ...approved.map(({ id, rule }) => `queued ${id} for tick ${nextTick}, you ticked its box: "${quoted(rule)}"`),
  ];
}

export const appliedLine = ({ id, rule }: { id: string; rule: string }, version: number, undo: number): string =>
  `applied ${id} as version ${version}: "${quoted(rule)}" (undo: pawl rollback ${undo})`;

const vetoedLine = (id: string, rule: string, how: string): string =>
  `vetoed ${id}, ${quoted(how)}: "${quoted(rule)}" (undo: pawl approve ${id})`;

const refusedLine = (id: string, rule: string, why: string): string =>
  `refused ${id}, ${quoted(why)}: "${quoted(rule)}"`;

/** What a tick that was killed had entered in rules.yaml and not told. */
export function enteredLine({ id, state, rule, why }: Rule, nextTick: number): string[] {
  if (state === 'vetoed') return [vetoedLine(id, rule, why)];
  if (state === 'refused') return [refusedLine(id, rule, why)];
  if (state === 'queued') return [queuedLine({ id, rule }, nextTick)];
  return [];
}

export const yoursLine = (version: number): string => `version ${version} is yours`;

export function conflictLine(version: number, ids: readonly string[]): string {
  const back = ids.length === 0 ? '' : `; ${ids.join(', ')} goes back to the queue`;
  return `version ${version} met your edit of the same lines: yours stays${back}`;
}

export function takenBackLine({ from, bad, ids }: Pick<Rollback, 'from' | 'bad' | 'ids'>): string {
  const lost = ids.length === 0 ? '' : `; ${ids.join(', ')} will not be learned again`;
  const why =
    bad.cause === 'person' ? 'you asked for it' : `runs ${bad.runs.map(runName).join(', ')} failed in a row under it`;
  return `took version ${from.n} back to version ${bad.to}: ${why}${lost}`;
}

export function changeHeadline({ applied, vetoed, edited, retired }: Refined, takenBack: Rollback | null): string {
  if (takenBack !== null) return `version ${takenBack.from.n} taken back`;
  const parts = [
    applied.length > 0 ? `${applied.length} applied` : '',
    vetoed.length > 0 ? `${vetoed.length} vetoed` : '',
    retired.length > 0 ? `${retired.length} taken out` : '',
    edited === null ? '' : 'rules changed by a person',
  ].filter((part) => part !== '');
  return parts.join(', ') || 'learnings looked at';
}
