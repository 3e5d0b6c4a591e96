import type { Ending, Exit, Outcome } from '../core/job.ts';
import type { ErrorClass } from '../core/model.ts';
import type { InvalidEvent, ResultEvent } from './protocol.ts';

/** Exit codes with a meaning of their own, as in sysexits.h: EX_TEMPFAIL and EX_CONFIG. */
const TRY_LATER = 75;
const MISCONFIGURED = 78;

/**
 * What a worker's program came to.
 *
 * Only exit 0 with exactly one usable result is a finished run: no text proves anything, whatever it promises.
 * `said` is the last thing the program printed, kept as the reason when it gave none. Learnings are the caller's to add.
 */
export function judge(
  exit: Exit,
  results: readonly (ResultEvent | InvalidEvent)[],
  why: Ending,
  said = '',
): Omit<Outcome, 'learnings'> {
  switch (why) {
    case 'stopped':
      return { ...NOTHING_KNOWN, outcome: 'released', summary: 'stopped before it was finished' };
    case 'could-not-start':
      return failed('infra', 'the program could not start', said);
    case 'timed-out':
      return { ...failed('item', 'ended at its time limit', said), outcome: 'timed-out' };
    case 'silent':
      return { ...failed('item', 'ended because it printed nothing for too long', said), outcome: 'timed-out' };
    case 'output-limit':
      return failed('item', 'ended because it printed too much', said);
    case 'ended':
      return ended(exit, results, said);
  }
}

function ended({ code, signal }: Exit, results: readonly (ResultEvent | InvalidEvent)[], said: string) {
  if (code === TRY_LATER) return failed('infra', `try later (exit ${TRY_LATER})`, reported(results) ?? said);
  if (code === MISCONFIGURED) return failed('auth', `misconfigured (exit ${MISCONFIGURED})`, reported(results) ?? said);
  if (code !== 0)
    return failed('item', code === null ? `ended by ${signal}` : `exit ${code}`, reported(results) ?? said);
  const [result, second] = results;
  if (result === undefined) return failed('item', 'exit 0 without a result', said);
  if (second !== undefined) return failed('item', `exit 0 with ${results.length} results instead of one`, '');
  return result.type === 'invalid' ? failed('item', 'the result breaks the protocol', result.why) : finished(result);
}

function finished({ type: _, ...result }: ResultEvent): Omit<Outcome, 'learnings'> {
  if (result.outcome !== 'failed') return result;
  const { class: kind, message, ...more } = result.error ?? { class: 'item' as const, message: '' };
  const reason = message || result.summary || 'the worker reported a failure and gave no reason';
  return { ...result, error: { class: kind, message: reason, ...more } };
}

/** What the only result of a program that failed all the same gives as its reason. */
function reported(results: readonly (ResultEvent | InvalidEvent)[]): string | null {
  const [result] = results;
  if (result?.type !== 'result') return null;
  return result.error?.message || result.summary || null;
}

const NOTHING_KNOWN = { error: null, fields: {}, surprises: [], unsure: [], usage: {} };

function failed(kind: ErrorClass, what: string, said: string): Omit<Outcome, 'learnings'> {
  const message = said.trim() === '' ? what : `${what}: ${said.trim()}`;
  return { ...NOTHING_KNOWN, outcome: 'failed', summary: message, error: { class: kind, message } };
}
