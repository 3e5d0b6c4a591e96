import type { Flight, Learning, State } from '../core/model.ts';

/** The keys of state.md in the order they are written, each with its value as it stands after the colon. Lists are told by their entries. */
export const STATE_KEYS = [
  'paused',
  'pause_reason',
  'tick',
  'cursor',
  'done_count',
  'today',
  'waiting_until',
  'in_flight',
  'queued_learnings',
] as const;

type StateKey = (typeof STATE_KEYS)[number];

export const TODAY_KEYS = ['date', 'count', 'errors_in_a_row'] as const;

/** What is written for each key: one text for a value, one a line for the entries of a list. The same values print the same text. */
export function printValues(state: State): Record<StateKey, string | string[]> {
  const today = printToday(state.today);
  return {
    paused: String(state.paused),
    pause_reason: nullOr(state.pauseReason, quoted),
    tick: String(state.tick),
    cursor: String(state.cursor),
    done_count: String(state.doneCount),
    today: `{ ${TODAY_KEYS.map((key) => `${key}: ${today[key]}`).join(', ')} }`,
    waiting_until: state.waitingUntil ?? 'null',
    in_flight: state.inFlight.map(flightLine),
    queued_learnings: state.queuedLearnings.map(learningLine),
  };
}

export const printToday = (today: State['today']): Record<(typeof TODAY_KEYS)[number], string> => ({
  date: today.date === '' ? 'null' : today.date,
  count: String(today.count),
  errors_in_a_row: String(today.errorsInARow),
});

/** True when both hold the same values, and so print the same. */
export const sameState = (left: State, right: State): boolean =>
  JSON.stringify(printValues(left)) === JSON.stringify(printValues(right));

function flightLine({ batch, run, item, since, until, host }: Flight): string {
  return `{ batch: ${id(batch)}, run: ${id(run)}, item: ${word(item)}, since: ${since}, until: ${until}, host: ${word(host)} }`;
}

function learningLine({ id, tick, target, level, rule, veto }: Learning): string {
  const start = `{ id: ${word(id)}, tick: ${tick}, target: ${nullOr(target, word)}, level: ${level}, rule: ${quoted(rule)}`;
  return veto ? `${start}, veto: true }` : `${start} }`;
}

const id = (n: number) => String(n).padStart(4, '0');
const nullOr = (value: string | null, print: (value: string) => string) => (value === null ? 'null' : print(value));

// Words that mean something else to this or an older YAML are quoted, whatever reads the file next.
const BARE = /^[A-Za-z_](?:[\w./+@-]|:(?=[\w./+@-]))*$/;
const MEANT = /^(?:null|true|false|yes|no|on|off|y|n)$/i;
const word = (value: string) => (BARE.test(value) && !MEANT.test(value) ? value : quoted(value));

/** JSON's quoting, plus what JSON leaves as it is and a text file should not hold. */
function quoted(value: string): string {
  return JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
