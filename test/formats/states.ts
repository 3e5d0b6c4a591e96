import { fc } from '@fast-check/vitest';
import type { Flight, Learning, State } from '../../src/core/model.ts';

export const bytes = (text: string) => Buffer.from(text);

/** Document 003's own minimal file. */
export const MINIMAL = `paused: false
cursor: 0
done_count: 0
today: { date: 2026-06-09, count: 0, errors_in_a_row: 0 }
in_flight: []
queued_learnings: []
`;

export const FULL = `---
paused: false            # only a literal false runs
pause_reason: null       # set with paused by the loop
tick: 41
cursor: 126              # items filed in this pass
done_count: 126
today: { date: 2026-06-09, count: 12, errors_in_a_row: 0 }
waiting_until: 2026-06-09T17:00:00Z
in_flight:               # one line per claim
  - { batch: 0017, run: 0042, item: docs/acme.md, since: 2026-06-09T08:15:00.000Z, until: 2026-06-09T08:50:00.000Z, host: anna }
queued_learnings:        # one line each: delete it, or write veto: true
  - { id: L7, tick: 40, target: http.429, level: 1, rule: "When the API answers 429, wait retry-after seconds." }
  - { id: L8, tick: 41, target: null, level: 1.5, rule: "Say \\"no\\" # twice", veto: true }
---
Notes for people. The loop keeps this text as it is.
`;

export const FULL_STATE: State = {
  paused: false,
  pauseReason: null,
  tick: 41,
  cursor: 126,
  doneCount: 126,
  today: { date: '2026-06-09', count: 12, errorsInARow: 0 },
  waitingUntil: '2026-06-09T17:00:00Z',
  inFlight: [
    {
      batch: 17,
      run: 42,
      item: 'docs/acme.md',
      since: '2026-06-09T08:15:00.000Z',
      until: '2026-06-09T08:50:00.000Z',
      host: 'anna',
    },
  ],
  queuedLearnings: [
    {
      id: 'L7',
      tick: 40,
      target: 'http.429',
      level: 1,
      rule: 'When the API answers 429, wait retry-after seconds.',
      veto: false,
    },
    { id: 'L8', tick: 41, target: null, level: 1.5, rule: 'Say "no" # twice', veto: true },
  ],
};

const tricky = fc.constantFrom(
  'null',
  'no',
  '0042',
  '1e3',
  'a: b',
  '- x',
  '#',
  "it's",
  'x:',
  'true',
  '{a}',
  '[',
  '\u2028',
  '\u0000',
  '\ud800',
  '&a',
  '!t',
  '%',
);
const words = fc.oneof(
  tricky,
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.stringMatching(/^[a-z]{1,8}(\/[a-z.]{1,8}){0,3}$/),
);
const count = fc.oneof(fc.nat(20), fc.maxSafeNat());
const instant = fc.integer({ min: 0, max: 4e12 }).map((ms) => new Date(ms).toISOString());
const day = instant.map((moment) => moment.slice(0, 10));

const flight: fc.Arbitrary<Flight> = fc.record({
  batch: count,
  run: count,
  item: words,
  since: instant,
  until: instant,
  host: words,
});
const learning: fc.Arbitrary<Learning> = fc.record({
  id: fc.nat(999).map((n) => `L${n}`),
  tick: count,
  target: fc.option(words),
  level: fc.constantFrom<1 | 1.5>(1, 1.5),
  rule: words,
  veto: fc.boolean(),
});

export const states: fc.Arbitrary<State> = fc.record({
  paused: fc.boolean(),
  pauseReason: fc.option(words),
  tick: count,
  cursor: count,
  doneCount: count,
  today: fc.record({ date: fc.oneof(day, fc.constant('')), count, errorsInARow: count }),
  waitingUntil: fc.option(instant),
  inFlight: fc.array(flight, { maxLength: 3 }),
  queuedLearnings: fc.array(learning, { maxLength: 4 }),
});

/** What a tick makes of a state: most of it stays. */
export const nextOf = (state: State): fc.Arbitrary<State> =>
  fc.tuple(states, fc.array(fc.boolean(), { minLength: 20, maxLength: 20 })).map(([other, keep]) => {
    const pick = <K extends keyof State>(key: K, index: number) => (keep[index] ? state[key] : other[key]);
    const mixed = <T>(ours: T[], theirs: T[], from: number) => [
      ...theirs.slice(0, keep[from] ? 0 : 1),
      ...ours.filter((_, index) => keep[from + index]),
      ...theirs.slice(1),
    ];
    return {
      paused: pick('paused', 0),
      pauseReason: pick('pauseReason', 1),
      tick: pick('tick', 2),
      cursor: pick('cursor', 3),
      doneCount: pick('doneCount', 4),
      today: pick('today', 5),
      waitingUntil: pick('waitingUntil', 6),
      inFlight: mixed(state.inFlight, other.inFlight, 7),
      queuedLearnings: mixed(state.queuedLearnings, other.queuedLearnings, 12),
    };
  });
