import { toLearning } from '../core/capture.ts';
import { badText, type Rule, ruleText } from '../core/rule.ts';
import { quoted } from '../core/text.ts';
import type { Owned } from '../core/version.ts';
import { PawlError } from '../errors.ts';
import type { Disk } from '../store/disk.ts';
import { changeState } from '../store/state-file.ts';
import { highestVersionTick } from '../store/versions.ts';
import type { Workspace } from '../store/workspace.ts';
import { blocked } from './learnings.ts';
import { entryOf, fileOf, idOf, type Known, lineOf, putRule, readKnown, standsIn, unknown } from './ledger.ts';
import type { Answer } from './veto.ts';

interface Approved extends Answer {
  file: Owned;
}

/**
 * Asks for a learning, whatever became of it before: it is queued, and waits for no window. To be called under the lock.
 *
 * state.md is written first: what only rules.yaml knew as queued would count as struck out by a person. Killed between the two, the same
 * command finishes.
 * @param to the file it is meant for; null = as it was learned.
 * @throws PawlError `E_USAGE` when there is no such learning, `E_REFUSED` when `learn.mode` is off or its text can't be a rule.
 */
export async function approve(
  disk: Disk,
  workspace: Workspace,
  given: string,
  to: Owned | null,
  now: Date,
): Promise<Approved> {
  const known = readKnown(disk, workspace, now);
  const id = idOf(given);
  const rule = entryOf(known, id);
  if (rule === undefined) throw unknown(known, id, ['held', 'vetoed', 'refused', 'reverted']);
  if (known.procedure.learn.mode === 'off')
    throw new PawlError('E_REFUSED', 'nothing is learned here: learn.mode is off', { at: '.jez/loop.md' });
  const inFile = standsIn(known, id);
  if (lineOf(known, id) !== undefined) return queue(disk, workspace, known, rule, to);
  if (rule.state === 'applied' || rule.state === 'kept')
    return { ...answer(rule, inFile ?? fileOf(rule.level)), next: 'it is a rule already' };
  if (inFile !== null && rule.state === 'vetoed') return keepLine(disk, workspace, known, rule, inFile);
  return queue(disk, workspace, known, rule, to);
}

const answer = ({ id, rule, state }: Rule, file: Owned) => ({ id, rule, was: state, changed: false, file });

/** Its line was to be taken out by the next tick: now it stays. */
function keepLine(disk: Disk, workspace: Workspace, { state, day }: Known, rule: Rule, file: Owned): Approved {
  putRule(disk, workspace, { ...rule, state: 'applied', why: '', approved: true, tick: state.tick, day });
  return { ...answer(rule, file), changed: true, next: `its line in ${file} stays` };
}

async function queue(
  disk: Disk,
  workspace: Workspace,
  known: Known,
  before: Rule,
  to: Owned | null,
): Promise<Approved> {
  const { id } = before;
  const line = lineOf(known, id);
  const text = ruleText(line?.rule ?? before.rule);
  const bad = badText(text);
  if (bad !== null) throw new PawlError('E_REFUSED', `${id} can't be a rule: ${bad}: "${quoted(text, 60)}"`);
  const level = to === null ? (line?.level ?? before.level) : to === 'loop.md' ? 1.5 : 1;
  const file = fileOf(level);
  const next = whenTaken(known);
  if (line !== undefined && !line.veto && line.level === level && before.state === 'queued' && before.approved)
    return { ...answer({ ...before, rule: text }, file), next };

  const rule: Rule = { ...before, rule: text, level };
  const fresh = toLearning(rule, Math.max(known.state.tick, highestVersionTick(disk, workspace)));
  await changeState(disk, workspace, (state) => ({
    ...state,
    queuedLearnings: state.queuedLearnings.some((each) => each.id === id)
      ? state.queuedLearnings.map((each) => (each.id === id ? { ...each, level, veto: false } : each))
      : [...state.queuedLearnings, fresh],
  }));
  const at = before.state === 'queued' && before.at !== '' ? before.at : known.now.toISOString();
  putRule(disk, workspace, {
    ...rule,
    ...{ state: 'queued', approved: true, at, why: '', tick: line?.tick ?? fresh.tick, day: known.day },
  });
  return { ...answer({ ...before, rule: text }, file), changed: true, next };
}

function whenTaken(known: Known): string {
  const why = blocked(known);
  return why === null ? 'the next tick makes it a rule' : `a tick makes it a rule, but not yet: ${why}`;
}
