import { describe, expect, test } from 'vitest';
import { parked } from '../../src/core/trail.ts';
import { journal, line } from '../support/world.ts';

const trail = (...lines: Parameters<typeof journal>) => journal(...lines).trails.a;
const why = (lines: Parameters<typeof journal>, tries = 3, effects: 'none' | 'external' = 'none') =>
  parked(trail(...lines), tries, effects);
const release = (afterRun: number) =>
  ({ v: 1, release: 'a', afterRun, at: '2026-06-09T08:00:00.000Z', by: 'x' }) as const;

describe('tries', () => {
  test.each([
    ['a failure of the item is one', [line('a', 1), line('a', 2)], 2],
    [
      'case D4: an outage, a broken helper and a limit are none',
      [line('a', 1, { class: 'infra' }), line('a', 2, { class: 'tool' }), line('a', 3, { class: 'limit' })],
      0,
    ],
    ['a superseded result is none', [line('a', 1, { outcome: 'superseded', class: null })], 0],
    ['the first loss is none', [line('a', 1, { outcome: 'lost', class: null })], 0],
    [
      'a loss is one from the second in a row',
      [line('a', 1, { outcome: 'lost' }), line('a', 2, { outcome: 'lost' }), line('a', 3, { outcome: 'lost' })],
      2,
    ],
    [
      'losses with something between them are not in a row',
      [line('a', 1, { outcome: 'lost' }), line('a', 2, { class: 'infra' }), line('a', 3, { outcome: 'lost' })],
      0,
    ],
    ['a line that was written twice is one', [line('a', 1), line('a', 1)], 1],
    ['a person’s release takes back those before it', [line('a', 1), line('a', 2), release(2), line('a', 3)], 1],
    ['a release that answers an older try changes nothing', [line('a', 1), line('a', 2), release(1)], 2],
  ] as const)('%s', (_, lines, tries) => {
    expect(trail(...lines)?.tries).toBe(tries);
  });

  test('a success ends the trail, and a release of nothing does nothing', () => {
    expect(trail(line('a', 1), line('a', 2, { outcome: 'done', class: null }))).toBeUndefined();
    expect(trail(line('a', 1), line('a', 2, { outcome: 'nothing', class: null }))).toBeUndefined();
    expect(trail(release(5))).toBeUndefined();
  });
});

describe('waiting for a person', () => {
  const lost = line('a', 1, { outcome: 'lost', class: null });
  const superseded = (run: number) => line('a', run, { outcome: 'superseded', class: null });

  test('A67, case E8: an item is stuck once its tries are used up, not before', () => {
    expect(why([line('a', 1), line('a', 2)])).toBeNull();
    expect(why([line('a', 1), line('a', 2), line('a', 3)])).toBe('stuck after 3 tries: exit 1');
    expect(why([line('a', 1)], 1)).toBe('stuck after 1 tries: exit 1');
  });

  test('an item that asked for a person waits at once, until it is released', () => {
    const asks = line('a', 1, { outcome: 'needs-human', class: null, message: 'which one?' });
    expect(why([asks])).toBe('needs you: which one?');
    expect(why([asks, release(1)])).toBeNull();
  });

  test('superseded once is tried again, twice waits', () => {
    expect(why([superseded(1)])).toBeNull();
    expect(why([superseded(1), superseded(2)])).toContain('twice');
  });

  test('with effects elsewhere a lost item waits; without it is tried again', () => {
    expect(why([lost])).toBeNull();
    expect(why([lost], 3, 'external')).toContain('may have had effects');
    expect(why([line('a', 1)], 3, 'external')).toBeNull();
  });

  test('an item nobody tried never waits', () => {
    expect(parked(undefined, 3, 'external')).toBeNull();
  });
});

test('outages in a row are counted by batch, and a success ends them', () => {
  const down = (run: number, tick: number) => line('a', run, { class: 'infra', tick });
  expect(journal(down(1, 1), down(2, 1), down(3, 2)).infraInARow).toBe(2);
  expect(journal(down(1, 1), line('b', 2, { outcome: 'done', class: null })).infraInARow).toBe(0);
  expect(journal(down(1, 1), line('b', 2, { outcome: 'superseded', class: null })).infraInARow).toBe(1);
});

test('spend is summed by day, and a line of an earlier day does not go into it', () => {
  const usd = (run: number, day: string, amount: number) => line('a', run, { day, usage: { usd: amount } });
  const { spent, dearest } = journal(usd(1, '2026-06-08', 5), usd(2, '2026-06-09', 1), usd(3, '2026-06-09', 2));
  expect(spent).toEqual({ day: '2026-06-09', usd: 3, tokens: 0 });
  expect(dearest.usd).toBe(5);
  expect(journal(usd(1, '2026-06-09', 1), usd(2, '2026-06-08', 9)).spent.usd).toBe(1);
});

test('tokens are those reported, or input and output together', () => {
  const used = journal(
    line('a', 1, { usage: { tokens: 7 } }),
    line('a', 2, { usage: { input_tokens: 2, output_tokens: 3 } }),
  );
  expect(used.spent.tokens).toBe(12);
  expect(used.dearest.tokens).toBe(7);
});

test('a thousand run numbers are remembered, no more', () => {
  const lines = Array.from({ length: 1100 }, (_, index) => line(`item ${index}`, index + 1));
  expect(journal(...lines).recent).toHaveLength(1000);
  expect(journal(...lines).lastRun).toBe(1100);
});
