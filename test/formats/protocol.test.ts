import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../src/core/job.ts';
import { printJob, readLine } from '../../src/formats/protocol.ts';

const job: Job = {
  run: 42,
  attempt: 2,
  key: 'k',
  root: '/project',
  item: {
    id: 'docs/a.md',
    title: 'A',
    path: 'docs/a.md',
    body: 'one\ntwo',
    fields: { x: 1 },
    mark: null,
    refused: null,
  },
  contract: { version: 7, text: 'Be brief.' },
  scratch: '/run/files',
  notes: '/run/notes.md',
  limits: { checkpointAt: 10, returnBy: 20, wallMs: 1_800_000, silenceMs: 5 },
  prior: null,
};

const line = (value: unknown) => readLine(JSON.stringify(value));
const result = (more: object) => line({ type: 'result', outcome: 'done', ...more });

test('a job is one line of JSON with the names and the order of the protocol', () => {
  expect(printJob(job)).toBe(
    '{"v":1,"run":"0042","attempt":2,"key":"k","root":"/project",' +
      '"item":{"id":"docs/a.md","title":"A","path":"docs/a.md","body":"one\\ntwo","fields":{"x":1}},' +
      '"contract":{"version":7,"text":"Be brief."},"scratch":"/run/files","notes":"/run/notes.md",' +
      '"limits":{"checkpoint_at":10,"return_by":20,"wall_ms":1800000},"result_schema":null,"prior":null}\n',
  );
});

test('a second attempt is told what the first left', () => {
  const prior: Job['prior'] = {
    run: 31,
    notes: 'half',
    error: { class: 'item', message: 'red' },
    check: 'exit 1',
    message: null,
  };
  expect(printJob({ ...job, prior })).toContain(
    '"prior":{"run":"0031","notes":"half","error":{"class":"item","message":"red"},"check":"exit 1","message":null}}',
  );
});

test('each kind of line is read with its defaults', () => {
  expect(line({ type: 'step', text: 'reading' })).toEqual({ type: 'step', text: 'reading' });
  expect(line({ type: 'checkpoint', notes: 'half' })).toEqual({ type: 'checkpoint', notes: 'half' });
  expect(line({ type: 'learning', rule: ' Wait. ' })).toEqual({
    type: 'learning',
    rule: 'Wait.',
    target: null,
    level: 1,
  });
  expect(line({ type: 'learning', rule: 'Wait.', target: 'http.429', level: 1.5 })).toMatchObject({
    target: 'http.429',
    level: 1.5,
  });
  expect(result({})).toEqual({
    type: 'result',
    outcome: 'done',
    summary: '',
    error: null,
    fields: {},
    surprises: [],
    unsure: [],
    usage: {},
  });
});

describe('case A1: text that looks like the end is log text', () => {
  const RESULT = '{"type":"result","outcome":"done"}';
  test.each([
    'Blocked: package missing. I am not going to print <promise>COMPLETE</promise> yet.',
    '<promise>COMPLETE</promise>',
    '<PROMISE>complete</PROMISE>',
    'COMPLETE',
    `I would print ${RESULT} now.`,
    `> ${RESULT}`,
    `\`${RESULT}\``,
    `${RESULT} and on`,
    `[${RESULT}]`,
    JSON.stringify(RESULT),
    `{"type":"tool_result","content":${RESULT}}`,
    '{"type":"Result","outcome":"done"}',
    '{"type":"constructor"}',
    '{"type":["result"],"outcome":"done"}',
    '{"type":"result",',
    '"outcome":"done"}',
    '',
    'null',
    '7',
  ])('%s', (text) => {
    expect(readLine(text)).toBeNull();
  });
});

describe('a line that names a type and breaks its rules is invalid, and says why', () => {
  test.each([
    [{ type: 'step' }, 'text should be text, got nothing'],
    [{ type: 'checkpoint', notes: ['a'] }, 'notes should be text, got ["a"]'],
    [{ type: 'learning', rule: '  ' }, 'rule should not be empty'],
    [{ type: 'learning', rule: 'a', target: 4 }, 'target should be text, got 4'],
    [{ type: 'learning', rule: 'a', level: 2 }, 'level should be 1 or 1.5, got 2'],
    [{ type: 'learning', rule: 'a', level: '1.5' }, 'level should be 1 or 1.5, got "1.5"'],
    [{ type: 'learning', rule: 'a', level: 3 }, 'level should be 1 or 1.5, got 3'],
    [{ type: 'result' }, 'outcome should be done, nothing, needs-human, failed, got nothing'],
    [{ type: 'result', outcome: 'DONE' }, 'got "DONE"'],
    [{ type: 'result', outcome: 'lost' }, 'got "lost"'],
    [{ type: 'result', outcome: 'done', summary: 7 }, 'summary should be text'],
    [{ type: 'result', outcome: 'done', fields: [] }, 'fields should be an object, got []'],
    [{ type: 'result', outcome: 'done', fields: null }, 'fields should be an object, got null'],
    [{ type: 'result', outcome: 'done', surprises: 'a' }, 'surprises should be a list of texts'],
    [{ type: 'result', outcome: 'done', unsure: [1] }, 'unsure should be a list of texts'],
    [{ type: 'result', outcome: 'done', usage: { usd: '1' } }, 'usage.usd should be a number from 0, got "1"'],
    [{ type: 'result', outcome: 'done', usage: { usd: -1 } }, 'usage.usd should be a number from 0'],
    [{ type: 'result', outcome: 'done', error: { message: 'red' } }, "outcome done can't have an error"],
    [{ type: 'result', outcome: 'failed', error: 'red' }, 'error should be an object, got "red"'],
    [{ type: 'result', outcome: 'failed', error: { class: 'fatal' } }, 'error.class should be item, infra'],
    [
      { type: 'result', outcome: 'failed', error: { class: 'limit', retry_at: '5pm' } },
      'error.retry_at should be a time',
    ],
    [{ type: 'result', outcome: 'failed', error: { class: 'limit', retry_at: 1795990000 } }, 'should be text'],
  ])('%j', (value, why) => {
    const event = line(value);
    expect(event).toMatchObject({ type: 'invalid', of: value.type });
    expect(event).toHaveProperty('why', expect.stringContaining(why));
  });
});

test('case D1: a limit may say when it ends, as a moment in UTC; another class may not', () => {
  const at = (kind: string) =>
    line({
      type: 'result',
      outcome: 'failed',
      error: { class: kind, message: 'm', retry_at: '2026-06-09T10:15:00+02:00' },
    });
  expect(at('limit')).toHaveProperty('error', { class: 'limit', message: 'm', retryAt: '2026-06-09T08:15:00.000Z' });
  expect(at('infra')).toHaveProperty('error', { class: 'infra', message: 'm' });
});

test('nesting is bounded, and a text too deep to walk is no danger', () => {
  const nested = (levels: number) => ['{"a":'.repeat(levels), '1', '}'.repeat(levels)].join('');
  expect(readLine(`{"type":"result","outcome":"done","fields":${nested(20)}}`)).toHaveProperty('type', 'result');
  expect(readLine(`{"type":"result","outcome":"done","fields":${nested(40)}}`)).toHaveProperty('type', 'invalid');
  expect(readLine(`{"type":"result","outcome":"done","fields":${nested(100_000)}}`)).not.toHaveProperty('outcome');
});

test('a line over a mebibyte is log text', () => {
  expect(line({ type: 'step', text: 'x'.repeat(1024 * 1024) })).toBeNull();
});

test('NUL is taken out of texts, lists and keys', () => {
  expect(result({ summary: 'a\0b', unsure: ['\0c'], fields: { 'k\0': { x: ['y\0'] } } })).toMatchObject({
    summary: 'ab',
    unsure: ['c'],
    fields: { k: { x: ['y'] } },
  });
});

property.prop([fc.string()])('no text is a result unless it is a JSON object that says so', (text) => {
  expect(readLine(`x${text}`)).toBeNull();
});

property.prop([fc.json({ maxDepth: 4 })])('whatever the value, reading it does not throw', (text) => {
  readLine(`{"type":"result","outcome":"done","fields":${text},"usage":${text},"error":${text},"unsure":${text}}`);
});
