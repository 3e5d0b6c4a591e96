import { describe, expect, test } from 'vitest';
import { printContract } from '../../src/core/contract.ts';
import { blockLines } from '../../src/formats/block.ts';
import { contractParts } from '../../src/formats/contract.ts';
import { parseLoop } from '../../src/formats/loop.ts';

const known = { sources: ['folder', 'table'], executors: ['command', 'replay'] };
const parse = (text: string) => parseLoop(Buffer.from(text), 'loop.md', known);
const START = `cohort: Every page
done_when: every page carries a date
source: { kind: folder, path: "docs/**/*.md", mark: { field: checked } }
`;
/** Three lines of settings that have to be there, then `more` from line 5 on. */
const withSettings = (more: string) => parse(`---\n${START}${more}\n---\n`);

test('a short loop.md gets safe defaults', () => {
  expect(withSettings('').procedure).toEqual({
    cohort: 'Every page',
    doneWhen: 'every page carries a date',
    source: {
      ...{ kind: 'folder', path: 'docs/**/*.md', mark: { field: 'checked', value: null, todo: [] }, write: [] },
      ...{ id: null, to: null, run: [], env: [] },
    },
    workspace: { kind: 'scratch', copyIn: ['{path}'], outputs: [] },
    executor: { kind: 'command', run: [], env: [], silenceMinutes: null },
    check: null,
    slice: 5,
    concurrency: 2,
    tries: 3,
    reruns: 2,
    caps: { itemsPerDay: 20, usdPerDay: null, tokensPerDay: null, minutesPerItem: 30 },
    pauseAfterErrors: 3,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    window: { ticks: 1, hours: 0 },
    learn: { mode: 'on', sightings: 1, perDay: 5 },
    sideEffects: 'none',
    shadow: false,
  });
});

test('every setting of the design is read', () => {
  const { procedure, unknown } = parse(`---
cohort: Leads
done_when: all rows carry a mark
source: { kind: table, path: leads.csv, id: email, mark: { column: status, value: done, todo: [todo, open] }, write: [company, size] }
workspace: { kind: scratch, copy_in: ["{path}", README.md], outputs: ["docs/**/*.md"] }
executor: { kind: command, run: [node, .jez/workers/docs-sweep.mjs], env: [API_KEY], silence_minutes: 5 }
check: [npm, test]
slice: 8
concurrency: 1
tries: 4
reruns: 0
caps: { items_per_day: 40, usd_per_day: 2.50, tokens_per_day: 1000000, minutes_per_item: 10 }
pause_after_errors: 5
timezone: Europe/London
window: { ticks: 2, hours: 12 }
learn: { mode: manual, sightings: 3, per_day: 0 }
then: idle
side_effects: external
shadow: false
tune: {}
patch: null
notify: []
---
body
`);
  expect(unknown).toEqual([]);
  expect(procedure).toEqual({
    cohort: 'Leads',
    doneWhen: 'all rows carry a mark',
    source: {
      kind: 'table',
      path: 'leads.csv',
      mark: { field: 'status', value: 'done', todo: ['todo', 'open'] },
      write: ['company', 'size'],
      ...{ id: 'email', to: null, run: [], env: [] },
    },
    workspace: { kind: 'scratch', copyIn: ['{path}', 'README.md'], outputs: ['docs/**/*.md'] },
    executor: { kind: 'command', run: ['node', '.jez/workers/docs-sweep.mjs'], env: ['API_KEY'], silenceMinutes: 5 },
    check: ['npm', 'test'],
    slice: 8,
    concurrency: 1,
    tries: 4,
    reruns: 0,
    caps: { itemsPerDay: 40, usdPerDay: 2.5, tokensPerDay: 1_000_000, minutesPerItem: 10 },
    pauseAfterErrors: 5,
    timezone: 'Europe/London',
    window: { ticks: 2, hours: 12 },
    learn: { mode: 'manual', sightings: 3, perDay: 0 },
    sideEffects: 'external',
    shadow: false,
  });
});

describe('A60, case D5: caps', () => {
  test('0 is none, left out or left empty is the default and never unlimited', () => {
    expect(withSettings('caps: { items_per_day: 0, usd_per_day: 0 }').procedure.caps).toMatchObject({
      itemsPerDay: 0,
      usdPerDay: 0,
    });
    expect(withSettings('caps:').procedure.caps.itemsPerDay).toBe(20);
    expect(withSettings('caps: { items_per_day: null }').procedure.caps.itemsPerDay).toBe(20);
  });
  test.for(['-1', '1e3', '"ten"', 'ten', '1.5', '0x10', '1_000', '.inf', '[]', 'true', '99999999999999999999'])(
    '%s is refused',
    (value) => {
      expect(() => withSettings(`caps: { items_per_day: ${value} }`)).toThrow(
        expect.objectContaining({
          code: 'E_FORMAT',
          at: 'loop.md:5:24',
          message: expect.stringMatching(/^loop\.md:5:24: caps\.items_per_day should be a whole number, got /),
        }),
      );
    },
  );
});

describe('refused with its place', () => {
  test.for<[string, string, RegExp]>([
    ['slice: 0', 'loop.md:5:8', /1 or more, got 0/],
    ['concurrency: 0', 'loop.md:5:14', /1 or more/],
    ['caps: 5', 'loop.md:5:7', /caps should be a map/],
    ['caps: { usd_per_day: "5" }', 'loop.md:5:22', /amount/],
    ['timezone: Europe/Lond', 'loop.md:5:11', /time zone such as Europe\/London, got "Europe\/Lond"/],
    ['check: npm test', 'loop.md:5:8', /a program and its arguments/],
    ['check: []', 'loop.md:5:8', /a program and its arguments/],
    ['learn: { mode: true }', 'loop.md:5:16', /one of on, manual, off, got true/],
    ['executor: { kind: claude }', 'loop.md:5:19', /one of command, replay, got "claude"/],
    ['executor: { kind: command }', 'loop.md:5:11', /executor\.run should be/],
    ['executor: { run: node x.mjs }', 'loop.md:5:18', /a program and its arguments/],
    ['side_effects: some', 'loop.md:5:15', /one of none, external/],
    ['workspace: { kind: worktree }', 'loop.md:5:20', /not in this version/],
    ['then: { fresh: { after_days: 90 } }', 'loop.md:5:7', /not in this version/],
    ['patch: { on: true }', 'loop.md:5:8', /not in this version/],
    ['tune: { slice: [3, 10] }', 'loop.md:5:7', /not in this version/],
    ['notify: [[mail]]', 'loop.md:5:9', /not in this version/],
    ['notify: {}', 'loop.md:5:9', /not in this version/],
  ])('%s', ([line, at, message]) => {
    expect(() => withSettings(line)).toThrow(expect.objectContaining({ code: 'E_FORMAT', at }));
    expect(() => withSettings(line)).toThrow(message);
  });

  test.for<[string, string]>([
    [START.replace(/cohort.*\n/, ''), 'loop.md:2:1: cohort should be text, got nothing'],
    [START.replace(/done_when.*\n/, ''), 'loop.md:2:1: done_when should be text, got nothing'],
    [START.replace(/source.*\n/, ''), 'loop.md:2:1: source should be a map'],
    [START.replace('kind: folder, ', ''), 'loop.md:4:9: source.kind should be one of folder, table, got nothing'],
    [START.replace('folder', 'github'), 'loop.md:4:17: source.kind should be one of folder, table, got "github"'],
    [START.replace('field: checked', 'field: s, todo: [a]'), 'source.mark.value should be the word that means done'],
    [START.replace('field: checked', 'field: s, value: a, todo: [a]'), 'source.mark.todo should be words other than a'],
    [START.replace('field: checked', 'field: s, column: s'), 'source.mark.column should be left out'],
    ['', 'loop.md:2:1: cohort should be text, got nothing'],
  ])('%#', ([settings, message]) => {
    expect(() => parse(`---\n${settings}---\n`)).toThrow(message);
  });

  test('without front matter, it says what init does', () => {
    expect(() => parse('# My loop\n')).toThrow(/^loop\.md:1:1: .*`pawl init` puts them above the text/);
    expect(() => parse(`---js\n${START}---\n`)).toThrow(/pawl init/);
    expect(() => parse(`---\n${START}`)).toThrow(/should be closed/);
  });
});

test('unknown keys are kept and told, wherever they are', () => {
  const { unknown } = withSettings('mine: 1\ncaps: { per_hour: 3 }\nexecutor: { run: [x], cwd: y }');
  expect(unknown).toEqual([
    { key: 'mine', at: 'loop.md:5:1' },
    { key: 'caps.per_hour', at: 'loop.md:6:9' },
    { key: 'executor.cwd', at: 'loop.md:7:23' },
  ]);
});

const BODY = `# Docs sweep
Hello.

## Procedure
1. Read it. <!-- not
## Boundary
for agents -->
\`\`\`
## no heading
\`\`\`
### Details
2. Write it.

## Boundary ##
Only docs/.

## Notes
For people.

## Cohort
Every page.

## done when
All dated.

<!-- pawl:rules:start -->
- [R-012] Wait on 429.
<!-- pawl:rules:end -->
`;

test('sections are told apart at their headings, comments and code aside', () => {
  const { sections, body } = parse(`---\n${START}---\n${BODY}`);
  expect(body).toBe(BODY);
  expect(sections.map(({ title }) => title)).toEqual([
    'Docs sweep',
    'Procedure',
    'Boundary',
    'Notes',
    'Cohort',
    'done when',
  ]);
  expect(sections[2]?.text).toBe('Only docs/.');
});

const TOLD = `Do the work, narrate nothing.

## Cohort

Every page.

## Done when

All dated.

## Boundary

Only docs/.

## Procedure

1. Read it. 
\`\`\`
## no heading
\`\`\`
### Details
2. Write it.

- [R-012] Wait on 429.
`;

const contractText = (contract: string, body: string) =>
  printContract(contractParts(contract, body), { 'contract.md': blockLines(contract), 'loop.md': blockLines(body) });

test('an agent is told contract.md, then the four sections, then what was learned, without comments', () => {
  const contract = '<!-- for people -->\nDo the work, narrate nothing.\n';
  expect(contractText(contract, BODY)).toBe(TOLD);
  expect(contractText(contract.replaceAll('\n', '\r\n'), BODY.replaceAll('\n', '\r\n'))).toBe(TOLD);
  expect(contractText('', 'just text')).toBe('\n');
});

test('a comment that is never closed hides nothing, and many of them do not hang', () => {
  expect(contractText('', '## Boundary\n<!-- Only docs/.\n')).toContain('Only docs/.');
  const cpu = process.cpuUsage();
  contractText('', `## Procedure\n${'<!--'.repeat(60_000)}`);
  expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(500);
});
