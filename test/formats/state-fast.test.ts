import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { State } from '../../src/core/model.ts';
import { newState, parseState, printState } from '../../src/formats/state.ts';
import { pausedLine, readStateFast } from '../../src/formats/state-fast.ts';
import { bytes, FULL, FULL_STATE, MINIMAL, states } from './states.ts';

/** The same text, read by YAML only: with a byte-order mark the fast reader steps aside. */
const slow = (text: string): State => parseState(bytes(`\ufeff${text}`), 'state.md');

property.prop([states], { numRuns: 500 })('what the loop prints itself, the fast reader reads', (state) => {
  const text = printState(bytes(newState({ day: '2026-06-09' })), state, 'state.md').toString();
  const fast = readStateFast(text);
  // A control character in a text is escaped, and only YAML reads that.
  if (!text.includes('\\u')) expect(fast).toEqual(state);
  expect(slow(text)).toEqual(state);
});

const bits = fc.oneof(
  fc.constantFrom(
    ...' :,{}[]"#\\\n-0tx\'',
    '\r\n',
    ' # ',
    ': ',
    '---',
    'null',
    'true',
    '~',
    '\t',
    '\u2028',
    '\\u0041',
    '\\x41',
    '\\/',
    '|',
    '>-\n  ',
    '&a ',
    '- ',
  ),
  fc.string({ maxLength: 3 }),
);
const edits = fc.array(fc.tuple(fc.nat(), fc.nat(4), bits), { minLength: 1, maxLength: 3 });
const starts = fc.constantFrom(FULL, MINIMAL, FULL.slice(4, FULL.indexOf('\n---') + 1), 'paused: true\n');

property.prop([starts, edits], { numRuns: 6000 })(
  'whenever the fast reader gives something, YAML gives the same',
  (start, changes) => {
    let text = start;
    for (const [at, cut, put] of changes) {
      const from = at % (text.length + 1);
      text = text.slice(0, from) + put + text.slice(from + cut);
    }
    fc.pre(!/\p{Surrogate}/u.test(text));
    const fast = readStateFast(text);
    if (fast !== null) expect(slow(text)).toEqual(fast);
  },
);

test('keys in any order, comments and quotes are its own form', () => {
  const text = `# a comment
queued_learnings:

    # between
  - { rule: "a\\tb # c", id: L1, tick: 3, veto: true }   # mine
today: { count: 2, date: 2026-06-09 } # so
paused: true
pause_reason: "errors: 3"
`;
  expect(readStateFast(text)).toMatchObject({
    paused: true,
    pauseReason: 'errors: 3',
    today: { date: '2026-06-09', count: 2, errorsInARow: 0 },
    queuedLearnings: [{ id: 'L1', tick: 3, target: null, level: 1, rule: 'a\tb # c', veto: true }],
  });
});

test('what is not its own form is left to YAML', () => {
  for (const text of [
    '',
    'cursor: 1\n',
    'paused: false\nmine: 1\n',
    'paused: yes\n',
    'paused: false\npaused: false\n',
    'paused: false# x\n',
    'paused: false\ncursor: 1\n  2\n',
    'paused: false\ntoday:\n  count: 1\n',
    "paused: true\npause_reason: 'x'\n",
    'paused: false\nin_flight: []\n  - { batch: 1 }\n',
    `${MINIMAL}<<<<<<< HEAD\n`,
    `---\n${MINIMAL}`,
    `---\n${MINIMAL}---x\n`,
    'paused: false\n'.repeat(10_000),
  ])
    expect(readStateFast(text), text.slice(0, 60)).toBeNull();
});

test('no text makes it slow', () => {
  const long = 80_000;
  for (const text of [
    `paused: true\npause_reason: "${'\\'.repeat(long)}`,
    `paused: true\npause_reason: ${'a:'.repeat(long / 2)}`,
    `paused: true${' '.repeat(long)}x`,
    `paused: true\ntoday: {${' '.repeat(long)}`,
    `paused: true\ntoday: { ${'a: 1, '.repeat(long / 6)}`,
    '\n'.repeat(long),
    `${' '.repeat(long)}x`,
    'paused: true #'.repeat(long / 14),
  ]) {
    const start = process.cpuUsage();
    readStateFast(text);
    pausedLine(text);
    const { user } = process.cpuUsage(start);
    expect(user / 1000, text.slice(0, 30)).toBeLessThan(200);
  }
});

describe('A28: paused: true is seen, whatever else is broken', () => {
  test('in each form', () => {
    for (const text of [
      'paused: true',
      'paused: true   # by hand\r\ncursor: {{{\r\n',
      '---\npaused: true\ncursor: [\n---\npaused: false\n',
      '---\ntoday: "\npaused:  true\n',
      '\ufeff---\r\npaused: true\r\n---\r\n',
    ])
      expect(pausedLine(text), text).toBe(true);
  });
  test('and nothing else is', () => {
    for (const text of [
      'paused: false',
      'paused: yes',
      'paused: "true"',
      'paused: true#x',
      'paused: true x',
      ' paused: true',
      '# paused: true',
      'paused: true\npaused: true',
      '<<<<<<< a\npaused: false\n=======\npaused: true\n>>>>>>> b\n',
      'paused: true\n"paused": false\n',
      '---\ncursor: 1\n---\npaused: true\n',
      '',
    ])
      expect(pausedLine(text), text).toBeNull();
  });
});

test('FULL is read without YAML', () => {
  expect(readStateFast(FULL)).toEqual(FULL_STATE);
});
