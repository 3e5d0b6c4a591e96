import { describe, expect, test } from 'vitest';
import { misplacedKeys, newState, parseState, printState } from '../../src/formats/state.ts';
import { readStateFast } from '../../src/formats/state-fast.ts';
import { bytes, FULL, FULL_STATE, MINIMAL } from './states.ts';

const parse = (text: string) => parseState(bytes(text), 'state.md');
const refusal = (text: string | Uint8Array) => {
  try {
    parseState(typeof text === 'string' ? bytes(text) : text, 'state.md');
  } catch (error) {
    return error as { code: string; at: string; message: string };
  }
  throw new Error('was not refused');
};

test('A8: the file of document 003 reads as it says, and printing the same values changes no byte', () => {
  const state = parse(MINIMAL);
  expect(state).toEqual({
    paused: false,
    pauseReason: null,
    tick: 0,
    cursor: 0,
    doneCount: 0,
    today: { date: '2026-06-09', count: 0, errorsInARow: 0 },
    waitingUntil: null,
    inFlight: [],
    queuedLearnings: [],
  });
  expect(printState(bytes(MINIMAL), state, 'state.md').toString()).toBe(MINIMAL);
});

test('A8: a full file reads the same by the fast reader and by the YAML reader', () => {
  expect(readStateFast(FULL)).toEqual(FULL_STATE);
  const crlf = FULL.replaceAll('\n', '\r\n');
  expect(readStateFast(crlf)).toBeNull();
  expect(parse(crlf)).toEqual(FULL_STATE);
});

test('A13: bare YAML gets its missing keys on the first write and stays bare', () => {
  const next = { ...parse(MINIMAL), tick: 1, waitingUntil: '2026-06-09T10:00:00Z' };
  expect(printState(bytes(MINIMAL), next, 'state.md').toString()).toBe(`paused: false
pause_reason: null
tick: 1
cursor: 0
done_count: 0
today: { date: 2026-06-09, count: 0, errors_in_a_row: 0 }
waiting_until: 2026-06-09T10:00:00Z
in_flight: []
queued_learnings: []
`);
});

test('A13: all keys but paused may be missing, and a key left empty is as good as missing', () => {
  expect(parse('paused: true')).toEqual({
    ...parse(MINIMAL),
    paused: true,
    today: { date: '', count: 0, errorsInARow: 0 },
  });
  const text = 'paused: false\ncursor:\ntoday:\nqueued_learnings:   # all deleted\n';
  expect(parse(text).queuedLearnings).toEqual([]);
});

test('A13: a code fence around the YAML is front matter too', () => {
  const text = `\`\`\`yaml\n${MINIMAL}\`\`\`\nNotes\n`;
  expect(parse(text)).toEqual(parse(MINIMAL));
  const next = printState(bytes(text), { ...parse(text), cursor: 7 }, 'state.md').toString();
  expect(next).toContain('cursor: 7\n');
  expect(next.endsWith('```\nNotes\n')).toBe(true);
});

describe('case D7: only a literal true or false is heeded', () => {
  test.for(['no', 'on', 'YES', '"false"', "'true'", 'False', 'TRUE', 'off', '0', '[]', '{}'])('paused: %s', (value) => {
    expect(refusal(`cursor: 3\npaused: ${value}\n`)).toMatchObject({ code: 'E_FORMAT', at: 'state.md:2:9' });
    expect(refusal(`paused: ${value}\n`).message).toMatch(/paused should be true or false, got /);
  });
  test.for(['paused: null', 'paused:', 'cursor: 0'])('%s', (text) => {
    expect(refusal(`---\n${text}\n---\n`)).toMatchObject({
      code: 'E_FORMAT',
      at: expect.stringMatching(/^state.md:2:/),
    });
  });
});

describe('refused with its place', () => {
  test.for<[string, string, string]>([
    ['case D8: a tab', 'paused: false\ntoday:\n\tdate: 2026-06-09\n', 'state.md:3:1'],
    [
      'A14: conflict markers',
      '---\npaused: false\n<<<<<<< HEAD\ncursor: 1\n=======\ncursor: 2\n>>>>>>> x\n---\n',
      'state.md:3:1',
    ],
    ['A14: conflict markers in the notes', '---\npaused: false\n---\n<<<<<<< HEAD\n', 'state.md:4:1'],
    ['a word for a number', '---\npaused: false\ncursor: seven\n---\n', 'state.md:3:9'],
    ['a negative number', 'paused: false\ncursor: -1\n', 'state.md:2:9'],
    ['a power', 'paused: false\ntick: 1e3\n', 'state.md:2:7'],
    ['a number too large', 'paused: false\ntick: 9007199254740993\n', 'state.md:2:7'],
    ['a moment without a zone', 'paused: false\nwaiting_until: 2026-06-09T10:00:00\n', 'state.md:2:16'],
    ['no such month', 'paused: false\ntoday: { date: 2026-13-01 }\n', 'state.md:2:16'],
    ['today is no map', 'paused: false\ntoday: 5\n', 'state.md:2:8'],
    ['a list of words', 'paused: false\nin_flight: [a]\n', 'state.md:2:13'],
    ['no list', 'paused: false\nin_flight: a\n', 'state.md:2:12'],
    [
      'a level nobody can ask for',
      'paused: false\nqueued_learnings:\n  - { id: L1, tick: 1, level: 2, rule: x }\n',
      'state.md:3:31',
    ],
    ['a learning without a rule', 'paused: false\nqueued_learnings:\n  - { id: L1, tick: 1 }\n', 'state.md:3:5'],
    ['a key twice', 'paused: true\npaused: false\n', 'state.md:2:1'],
    ['all in one map', '{ paused: false }\n', 'state.md:1:3'],
    ['a question mark', '? paused\n: false\n', 'state.md:1:3'],
    ['case D4: the start of an alias bomb', 'paused: false\na: &a [x]\nb: &b [*a, *a]\n', 'state.md:2:7'],
    ['a second document', 'paused: false\n---\npaused: false\n', 'state.md:2:1'],
    ['an open front matter', '---\npaused: false\n', 'state.md:1:1'],
    ['a list', '- paused\n', 'state.md:1:1'],
    ['another text', 'Hello there\n', 'state.md:1:1'],
    ['nothing', '', 'state.md:1:1'],
    ['nothing but a comment', '# paused: false\n', 'state.md:1:1'],
    ['NULs', '\0'.repeat(300), 'state.md:1:1'],
    ['NULs behind the notes', `${FULL}\0\0`, 'state.md:16:1'],
    ['a lone carriage return', 'paused: false\rcursor: 1\n', 'state.md:1:14'],
  ])('%s', ([, text, at]) => {
    expect(refusal(text)).toMatchObject({ code: 'E_FORMAT', at });
    expect(refusal(text).message.startsWith(`${at}: `)).toBe(true);
  });

  test('bytes that are not UTF-8', () => {
    expect(refusal(Buffer.concat([bytes('paused: false\n# ä'), Buffer.of(0xff, 0x41)]))).toMatchObject({
      at: 'state.md:2:4',
    });
    expect(refusal(Buffer.concat([bytes('paused: false # '), Buffer.of(0xc3)])).code).toBe('E_FORMAT');
  });

  test('more than 256 KB', () => {
    expect(refusal(`${MINIMAL}# ${'x'.repeat(256 * 1024)}`).message).toMatch(/at most 262144 bytes/);
  });

  test('case D2: the same error every time, and nothing shared between two readings', () => {
    const broken = '---\npaused: [\n---\n';
    expect(refusal(broken).message).toBe(refusal(broken).message);
    const first = parse(FULL);
    first.today.count = 99;
    first.queuedLearnings.length = 0;
    expect(parse(FULL)).toEqual(FULL_STATE);
  });
});

test('case C5: cut at any byte, front matter is refused unless it is whole', () => {
  for (const file of [bytes(FULL), bytes(`\ufeff${FULL.replaceAll('\n', '\r\n')}`)]) {
    const whole = file.indexOf('\n---') + 4;
    for (let length = 0; length < file.length; length++) {
      const torn = file.subarray(0, length);
      if (length < whole) expect(refusal(torn), `${length} bytes`).toMatchObject({ code: 'E_FORMAT' });
      // Cut inside the end of a line, `\r` without `\n` is refused as well.
      else if (torn.at(-1) !== 13) expect(parseState(torn, 'state.md'), `${length} bytes`).toEqual(FULL_STATE);
    }
  }
});

test('an id keeps its digits: a number of YAML is never one', () => {
  const text = `paused: false
in_flight:
  - { batch: 0017, run: 0o10, item: 0042, since: 2026-06-09T08:15:00Z, until: 2026-06-09T08:15:00Z, host: 007 }
`;
  expect(refusal(text)).toMatchObject({ at: 'state.md:3:25' });
  expect(parse(text.replace('0o10', '0089')).inFlight[0]).toMatchObject({
    batch: 17,
    run: 89,
    item: '0042',
    host: '007',
  });
});

test('A84: the starter text is in the own form of the loop', () => {
  const text = newState({ day: '2026-06-09' });
  expect(readStateFast(text)).toEqual({ ...parse(MINIMAL), today: { date: '2026-06-09', count: 0, errorsInARow: 0 } });
  expect(readStateFast(printState(bytes(text), FULL_STATE, 'state.md').toString())).toEqual(FULL_STATE);
});

test('settings that a person wrote into state.md are found, with the place they belong', () => {
  const text = `---
paused: false
items_per_day: 40
today: { date: 2026-06-09, usd_limit: 3 }
Slice: 2
queued_learnings:
  - { id: L1, tick: 1, rule: x, limit: 2 }
---
`;
  expect(misplacedKeys(bytes(text), 'state.md')).toEqual([
    { key: 'items_per_day', at: 'state.md:3:1', belongs: 'caps.items_per_day' },
    { key: 'today.usd_limit', at: 'state.md:4:28', belongs: 'caps.usd_per_day' },
    { key: 'Slice', at: 'state.md:5:1', belongs: 'slice' },
  ]);
  expect(misplacedKeys(bytes(FULL), 'state.md')).toEqual([]);
});
