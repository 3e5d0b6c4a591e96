import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { State } from '../../src/core/model.ts';
import { parseState, printState } from '../../src/formats/state.ts';
import { printValues, STATE_KEYS } from '../../src/formats/state-lines.ts';
import { bytes, FULL, FULL_STATE, nextOf, states } from './states.ts';

const parse = (text: string) => parseState(bytes(text), 'state.md');
const print = (text: string, change: Partial<State>) =>
  printState(bytes(text), { ...parse(text), ...change }, 'state.md').toString();

test('only what differs is touched', () => {
  const next = print(FULL, {
    cursor: 127,
    today: { date: '2026-06-10', count: 0, errorsInARow: 0 },
    inFlight: [],
    queuedLearnings: FULL_STATE.queuedLearnings.slice(1),
  });
  expect(next).toBe(
    FULL.replace('cursor: 126  ', 'cursor: 127  ')
      .replace('2026-06-09, count: 12', '2026-06-10, count: 0')
      .replace(/in_flight: {2}( +#.*\n).*\n/, 'in_flight: []  $1')
      .replace(/ {2}- \{ id: L7.*\n/, ''),
  );
});

test('a list that is emptied and filled again is the same text', () => {
  const emptied = print(FULL, { inFlight: [], queuedLearnings: [] });
  expect(print(emptied, FULL_STATE)).toBe(FULL);
});

test('one line per flight and per learning, as the design shows them', () => {
  const next = print('paused: false\n', FULL_STATE);
  const lines = FULL.split('\n').filter((line) => line.startsWith('  - '));
  expect(next.split('\n').filter((line) => line.startsWith('  - '))).toEqual(lines);
});

test('a veto is written at the end of its line, in its place', () => {
  const [first, second] = FULL_STATE.queuedLearnings as [State['queuedLearnings'][0], State['queuedLearnings'][0]];
  const next = print(FULL, { queuedLearnings: [{ ...first, veto: true }, second] });
  expect(next).toBe(FULL.replace('retry-after seconds." }', 'retry-after seconds.", veto: true }'));
});

describe('unusual forms that people write are kept or become one line an entry', () => {
  test.for<[string, string, Partial<State>, string]>([
    [
      'today as lines',
      'paused: false\ntoday:\n  count: 3 # c\n  mine: 1\n',
      { cursor: 1 },
      'today:\n  date: null\n  errors_in_a_row: 0\n  count: 3 # c\n  mine: 1\n',
    ],
    [
      'today with a key of theirs',
      'paused: false\ntoday: {mine: 1}\n',
      { cursor: 1 },
      'today: { date: null, count: 0, errors_in_a_row: 0,mine: 1}\n',
    ],
    ['a key left empty', 'paused: false\ncursor:   # here\n', { cursor: 5 }, 'cursor: 5   # here\n'],
    ['no newline at the end', 'paused: false\ncursor: 1', { cursor: 5 }, 'cursor: 5\ndone_count: 0\n'],
    [
      'a folded reason',
      'pause_reason: >- # why\n  a\n  b\npaused: true\n',
      { pauseReason: null },
      'pause_reason: null # why\n',
    ],
    [
      'a list without indentation',
      'paused: false\nqueued_learnings:\n- {id: L1, tick: 1, rule: x}\n# end\n',
      {
        queuedLearnings: [
          { id: 'L1', tick: 1, target: null, level: 1, rule: 'x', veto: false },
          { id: 'L2', tick: 2, target: null, level: 1, rule: 'y', veto: false },
        ],
      },
      'queued_learnings:\n- {id: L1, tick: 1, rule: x}\n- { id: L2, tick: 2, target: null, level: 1, rule: "y" }\n# end\n',
    ],
    [
      'a list in brackets',
      'paused: false\nqueued_learnings: [ {id: L1, tick: 1, rule: x, mine: 007}, # keep\n  {id: L2, tick: 1,\n    rule: y} ] # end\n',
      { queuedLearnings: [{ id: 'L1', tick: 1, target: null, level: 1, rule: 'x', veto: false }] },
      'queued_learnings: # end\n  # keep\n  - {id: L1, tick: 1, rule: x, mine: 007}\n',
    ],
    [
      'an entry over several lines',
      'paused: false\nqueued_learnings:\n  - id: L1\n    tick: 1\n    # mine\n    rule: x\n  # end\ncursor: 4\n',
      { queuedLearnings: [] },
      'queued_learnings: []\n  # end\ncursor: 4\n',
    ],
  ])('%s', ([, text, change, wanted]) => {
    const next = print(text, change);
    expect(next).toContain(wanted);
    expect(parse(next)).toEqual({ ...parse(text), ...change });
  });
});

test('a bug in printing is not passed off as a slip of a person', () => {
  expect(() => print(FULL, { cursor: Number.NaN })).toThrow(expect.objectContaining({ name: 'Error' }));
  expect(() => print(FULL, { waitingUntil: 'soon' })).toThrow(/nothing was written/);
});

/** A state file as people leave it: other orders, forms, comments on and between the lines, keys of their own. */
const files = fc
  .record({
    state: states,
    order: fc.shuffledSubarray([...STATE_KEYS.slice(1), 'mine', 'block', 'other'], { minLength: 4 }),
    comments: fc.array(fc.nat(3), { minLength: 30, maxLength: 30 }),
    fenced: fc.boolean(),
    crlf: fc.boolean(),
    mark: fc.boolean(),
    notes: fc.constantFrom('', 'Notes\n', 'No newline at the end', '\n---\npaused: true\n'),
    indent: fc.constantFrom('  - ', '- ', '    -   '),
  })
  .chain((file) => nextOf(file.state).map((next) => ({ ...file, next })));

type Shape = typeof files extends fc.Arbitrary<infer T> ? T : never;

const THEIRS: Record<string, string> = {
  mine: 'mine: 0017',
  block: 'block: |\n  # no comment\n   text',
  other: 'other: { big: 12345678901234567890, list: [1, "two"] }',
};

function layOut({ state, order, comments, indent, ...form }: Shape): string {
  let used = 0;
  const tail = () => (comments[used++ % 30] === 0 ? `   # c${used}.` : '');
  const between = () => (comments[used++ % 30] === 0 ? [` # c${used}.`] : []);
  const values = printValues(state);
  const lines = ['paused', ...order].flatMap((key) => {
    const value = values[key as keyof typeof values];
    if (value === undefined) return [...between(), ...(THEIRS[key] ?? '').split('\n')];
    if (typeof value === 'string') return [...between(), `${key}: ${value}${tail()}`];
    if (value.length === 0) return [`${key}: []${tail()}`];
    return [...between(), `${key}:${tail()}`, ...value.flatMap((entry) => [...between(), indent + entry])];
  });
  const yaml = `${lines.join('\n')}\n`;
  const text = form.fenced ? `---\n${yaml}---\n${form.notes}` : yaml;
  return (form.mark ? '\ufeff' : '') + (form.crlf ? text.replaceAll('\n', '\r\n') : text);
}

property.prop([files], { numRuns: 2000 })(
  'case D5, A12: comments, unknown keys, form and notes stay, and a second save changes nothing',
  (file) => {
    const text = layOut(file);
    const bare = text.replace('\ufeff', '');
    const before = bytes(text);
    expect(printState(before, parseState(before, 'state.md'), 'state.md').equals(before)).toBe(true);

    const printed = printState(before, file.next, 'state.md');
    expect(parseState(printed, 'state.md')).toEqual(file.next);
    expect(printState(printed, file.next, 'state.md').equals(printed)).toBe(true);

    const out = printed.toString().replace('\ufeff', '');
    const all = (from: string) => from.match(/# c\d+\./g) ?? [];
    expect(all(out)).toEqual(all(text));
    const eol = file.crlf ? '\r\n' : '\n';
    for (const key of file.order) if (THEIRS[key]) expect(out).toContain(THEIRS[key].replaceAll('\n', eol));
    expect(printed[0] === 0xef).toBe(file.mark);
    if (file.crlf) expect(out.replaceAll('\r\n', '')).not.toContain('\n');
    else expect(out).not.toContain('\r');
    if (file.fenced) expect(out.endsWith(bare.slice(bare.indexOf(`${eol}---${eol}`)))).toBe(true);
    const keys = (from: string) => from.match(/^[a-z_]+(?=:)/gm)?.filter((key) => bare.includes(key));
    expect(keys(out)?.filter((key) => [...file.order, 'paused'].includes(key))).toEqual(keys(bare));
  },
);
