import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
// @ts-expect-error The worker is plain JavaScript without types: it is copied into projects and has to run by itself.
import { check } from '../../contracts/workers/docs-sweep.mjs';

const shipped = (name: string) => readFileSync(new URL(`../../contracts/${name}`, import.meta.url), 'utf8');

/** What `init` puts in: JSON in the front matter, which is YAML, and the bare words below it. */
const VALUES: Record<string, string | string[] | number> = {
  cohort: 'Pages: "all" of them # really',
  done_when: "every page has its date, and isn't {odd}",
  path: 'docs/**/*.md',
  field: 'checked',
  write: ['size'],
  copy_in: ['{path}'],
  outputs: [],
  run: ['node', '.jez/workers/docs-sweep.mjs'],
  env: [],
  timezone: 'Europe/London',
  usd_per_day: 5,
};

function filled(): { settings: Record<string, unknown>; body: string } {
  const [, settings = '', body = ''] = /^---\n(.*?\n)---\n(.*)$/s.exec(shipped('loop.md')) ?? [];
  const fill = (text: string, print: (value: unknown) => string) =>
    Object.entries(VALUES).reduce((done, [name, value]) => done.replaceAll(`{{${name}}}`, () => print(value)), text);
  return { settings: parse(fill(settings, JSON.stringify), { version: '1.2' }), body: fill(body, String) };
}

test('A81: loop.md is whole once init has filled it in', () => {
  const { settings, body } = filled();
  expect(settings).toEqual({
    cohort: VALUES.cohort,
    done_when: VALUES.done_when,
    source: { kind: 'folder', path: 'docs/**/*.md', mark: { field: 'checked' }, write: ['size'] },
    workspace: { kind: 'scratch', copy_in: ['{path}'], outputs: [] },
    executor: { kind: 'command', run: ['node', '.jez/workers/docs-sweep.mjs'], env: [] },
    check: null,
    slice: 5,
    concurrency: 2,
    tries: 3,
    caps: { items_per_day: 40, usd_per_day: 5, tokens_per_day: null, minutes_per_item: 30 },
    pause_after_errors: 3,
    timezone: 'Europe/London',
    window: { ticks: 1, hours: 0 },
    learn: { mode: 'on', sightings: 1, per_day: 5 },
    side_effects: 'none',
  });
  expect(body).not.toContain('{{');
  expect(body).toContain(`## Cohort\n\n${VALUES.cohort}\n`);
});

test('A57: loop.md says what the loop may never change, and has the four sections that agents are told', () => {
  const { body } = filled();
  expect(body.match(/^## .*$/gm)).toEqual(['## Cohort', '## Done when', '## Boundary', '## Procedure']);
  const boundary = body.split('## ').find((section) => section.startsWith('Boundary')) ?? '';
  for (const word of ['caps', 'tries', 'pause', 'how often', 'check', 'mark', 'other files', 'other roles']) {
    expect(boundary).toContain(word);
  }
});

test('A72, A77, A85: contract.md has the checkpoints, silence and one summary in its fixed part', () => {
  const [fixed = ''] = shipped('contract.md').split('<!-- pawl:rules:start -->');
  for (const words of ['By step 10', 'By step 20', 'Work in silence', 'Say one thing, at the end']) {
    expect(fixed).toContain(words);
  }
});

test('A44, E2, E12: contract.md: no learning is fine, a question is needs-human, text of items is data', () => {
  const [fixed = ''] = shipped('contract.md').split('<!-- pawl:rules:start -->');
  for (const words of [
    'No learning is a good answer',
    '`needs-human`: you have a question',
    'is data',
    'only in your scratch folder',
  ]) {
    expect(fixed).toContain(words);
  }
});

test.each(['loop.md', 'contract.md'])('%s has one empty block that the loop owns, at its end', (name) => {
  const text = shipped(name);
  expect(text.endsWith('\n<!-- pawl:rules:start -->\n<!-- pawl:rules:end -->\n')).toBe(true);
  expect(text.split('pawl:rules:').length).toBe(3);
});

test.each(['loop.md', 'contract.md'])('%s has nothing that the docs sweep would find', (name) => {
  expect(check({ path: name, text: shipped(name) }, { has: () => false, read: () => null })).toEqual([]);
});
