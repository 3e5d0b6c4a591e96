import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import type { State } from '../../src/core/model.ts';
import { editState } from '../../src/formats/state-edit.ts';
import { editOwnForm } from '../../src/formats/state-edit-own.ts';
import { readStateFast } from '../../src/formats/state-fast.ts';
import { printValues, STATE_KEYS } from '../../src/formats/state-lines.ts';
import { readNodes } from '../../src/formats/yaml.ts';
import { FULL, FULL_STATE, nextOf, states } from './states.ts';

/** A state.md as the program writes it, with a comment where one may stand. */
function written(state: State, comment: string): string {
  const values = printValues(state);
  const lines = STATE_KEYS.flatMap((key) => {
    const value = values[key];
    if (typeof value === 'string') return [`${key}: ${value}${comment}`];
    return value.length === 0 ? [`${key}: []${comment}`] : [`${key}:${comment}`, ...value.map((each) => `  - ${each}`)];
  });
  return `${lines.join('\n')}\n`;
}

function byYaml(yaml: string, now: State, next: State): string {
  const map = readNodes({ file: 'state.md', text: yaml, from: 0, to: yaml.length });
  if (map === null) throw new Error('no YAML');
  return editState(yaml, map, now, next);
}

const pairs = states.chain((now) => fc.tuple(fc.constant(now), nextOf(now)));

property.prop([pairs, fc.constantFrom('', '   # why', ' ')], { numRuns: 300 })(
  'the quick way writes the very bytes that the way through YAML writes',
  ([now, next], comment) => {
    const yaml = written(now, comment);
    const read = readStateFast(yaml);
    if (read === null) return;
    expect(editOwnForm(yaml, read, next)).toBe(byYaml(yaml, read, next));
    expect(editOwnForm(`---\n${yaml}---\nNotes.\n`, read, next)).toBe(`---\n${byYaml(yaml, read, next)}---\nNotes.\n`);
  },
);

test('the documented file, edited, is still told without YAML', () => {
  expect(editOwnForm(FULL, FULL_STATE, { ...FULL_STATE, tick: 42, inFlight: [] })).not.toBeNull();
});

test.for([
  ['a key that is missing', FULL.replace(/waiting_until.*\n/, '')],
  ['a value in other words', FULL.replace('tick: 41', 'tick:  41')],
  ['an entry in other words', FULL.replace('{ batch: 0017', '{  batch: 0017')],
  ['a comment between entries', FULL.replace('  - { id: L8', '  # mine\n  - { id: L8')],
  ['no line end at the end', 'paused: false\ntick: 41'],
])('%s is left to the way through YAML', ([, text]) => {
  const now = readStateFast(text as string) as State;
  const next = { ...now, tick: 42, waitingUntil: null, inFlight: [], queuedLearnings: [] };
  expect(editOwnForm(text as string, now, next)).toBeNull();
});
