import type { Rule } from '../core/rule.ts';
import { PawlError } from '../errors.ts';
import type { Disk } from '../store/disk.ts';
import { changeState } from '../store/state-file.ts';
import type { Workspace } from '../store/workspace.ts';
import { entryOf, fileOf, idOf, type Known, lineOf, madeBy, putRule, readKnown, standsIn, unknown } from './ledger.ts';

/** What a person's word on a learning came to. */
export interface Answer {
  id: string;
  rule: string;
  /** What it was before. */
  was: Rule['state'];
  /** False when there was nothing left to do. */
  changed: boolean;
  /** What happens next, or why nothing does. */
  next: string;
}

/**
 * Turns a learning down: one that is queued by `veto: true` on its line, all others in rules.yaml. To be called under the lock.
 *
 * @throws PawlError `E_USAGE` when there is no such learning, or it is a person's own line.
 */
export async function veto(disk: Disk, workspace: Workspace, given: string, now: Date): Promise<Answer> {
  const known = readKnown(disk, workspace, now);
  const id = idOf(given);
  const rule = entryOf(known, id);
  if (rule === undefined) throw unknown(known, id, ['held', 'applied', 'queued']);
  if (lineOf(known, id) !== undefined) return vetoLine(disk, workspace, known, rule);
  const { state } = rule;
  const file = standsIn(known, id);
  if (state === 'kept')
    throw new PawlError('E_USAGE', `${id} is your own line: delete it in ${file ?? fileOf(rule.level)}`);
  const answer = (changed: boolean, next: string): Answer => ({ id, rule: rule.rule, was: state, changed, next });
  if (state === 'vetoed') return answer(false, file === null ? 'it is never applied' : takenOut(known, file));
  if (state === 'refused' || state === 'reverted') return answer(false, 'it does not come back by itself');
  const made = state === 'queued' ? madeBy(known, rule)?.n : rule.version;
  if (made === undefined) return answer(false, 'its line in state.md is gone: the next tick takes note of that');
  putRule(disk, workspace, { ...vetoedBy(known, rule), version: made });
  return answer(true, state === 'held' ? 'it is never applied' : takenOut(known, file ?? fileOf(rule.level)));
}

/** The tick that takes the line out records the veto and tells it. */
async function vetoLine(disk: Disk, workspace: Workspace, known: Known, rule: Rule): Promise<Answer> {
  const { id } = rule;
  const line = lineOf(known, id);
  const text = line?.rule ?? rule.rule;
  const next = 'the next tick takes its line out of state.md, and it is never applied';
  const made = line === undefined ? undefined : madeBy(known, line);
  // A killed tick has made a rule of it: then its line in state.md says nothing any more.
  const isDone = made === undefined || rule.state === 'vetoed';
  if (line?.veto === true && isDone) return { id, rule: text, was: 'queued', changed: false, next };
  await changeState(disk, workspace, (state) => ({
    ...state,
    queuedLearnings: state.queuedLearnings.map((each) => (each.id === id ? { ...each, veto: true } : each)),
  }));
  if (!isDone) putRule(disk, workspace, { ...vetoedBy(known, rule), version: made.n });
  return { id, rule: text, was: 'queued', changed: true, next };
}

const vetoedBy = ({ state, day }: Known, rule: Rule): Rule => {
  return { ...rule, state: 'vetoed', why: 'pawl veto', tick: state.tick, day };
};

function takenOut({ owned }: Known, file: string): string {
  const out = `takes its line out of ${file}, as a version of its own`;
  return owned.refusal === null ? `the next tick ${out}` : `a tick ${out}, once this is mended: ${owned.refusal}`;
}
