import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { monotoneDay } from '../../src/core/day.ts';
import { countOn, emptyTally, free, room, type Tally, withBatch } from '../../src/core/tally.ts';
import { localTime } from '../../src/formats/zone.ts';
import { claim, DAY, failure, result } from '../support/world.ts';

const AT = { day: DAY, boot: 'boot-1', uptime: 100_000 };
/** A batch of `n` items on top of `before`. */
const batch = (before: Tally, n: number, at = AT, cheap = 0): Tally =>
  withBatch(
    claim(
      Array.from({ length: n }, (_, index) => `${index}`),
      { day: at.day, at: { time: '', boot: at.boot, uptime: at.uptime }, before: { ...before, done: 0, cursor: 0 } },
    ),
    cheap,
  );

describe('the daily cap', () => {
  test('A59: is exact: what is left is the cap less what was dispatched', () => {
    const three = batch(emptyTally, 3);
    expect(countOn(three, DAY)).toBe(3);
    expect(room(three, 5, AT)).toBe(2);
    expect(room(batch(three, 2), 5, AT)).toBe(0);
  });

  test('A60: 0 leaves nothing, and a lowered cap never less than nothing', () => {
    expect(room(emptyTally, 0, AT)).toBe(0);
    expect(room(batch(emptyTally, 3), 2, AT)).toBe(0);
  });

  test('D11: a new day starts at 0', () => {
    expect(room(batch(emptyTally, 5), 5, { ...AT, day: '2026-06-10' })).toBe(5);
    const next = { ...AT, day: '2026-06-10' };
    expect(countOn(batch(batch(emptyTally, 5), 2, next), '2026-06-10')).toBe(2);
  });

  test('what never started, or was refused by a limit, costs nothing', () => {
    const limit = failure('b', { error: { class: 'limit', message: 'later' } });
    expect(free([result('a'), result('a', { outcome: 'released' }), limit, failure('c')])).toBe(2);
    expect(countOn(batch(emptyTally, 4, AT, 2), DAY)).toBe(2);
  });

  test('who asks for a person and names a limit has been paid for', () => {
    expect(free([result('a', { outcome: 'needs-human', error: { class: 'limit', message: '' } })])).toBe(0);
  });
});

describe('twice the cap in a day of uptime', () => {
  const days = ['2026-06-09', '2026-06-10', '2026-06-11'].map((day) => ({ ...AT, day }));

  test('holds however often the day changes', () => {
    const [first, second, third] = days as [typeof AT, typeof AT, typeof AT];
    const twice = batch(batch(emptyTally, 5, first), 5, second);
    expect(room(twice, 5, third)).toBe(0);
    expect(room(twice, 5, { ...third, uptime: AT.uptime + 86_000 })).toBe(0);
    expect(room(twice, 5, { ...third, uptime: AT.uptime + 88_000 })).toBe(5);
  });

  test('a quarter of an hour counts until its last second is a day old', () => {
    const endOfQuarter = { ...AT, uptime: 112 * 900 - 1 };
    const twice = batch(batch(emptyTally, 5, endOfQuarter), 5, { ...endOfQuarter, day: '2026-06-10' });
    const then = (seconds: number) =>
      room(twice, 5, { ...AT, day: '2026-06-11', uptime: endOfQuarter.uptime + seconds });
    expect([then(86_399), then(86_401)]).toEqual([0, 5]);
  });

  test('a start of the machine begins a new count, and old quarters are dropped', () => {
    expect(room(batch(emptyTally, 5), 5, { day: '2026-06-10', boot: 'boot-2', uptime: 10 })).toBe(5);
    const later = batch(batch(emptyTally, 1), 1, { ...AT, uptime: AT.uptime + 200_000 });
    expect(Object.keys(later.uptime.buckets)).toHaveLength(1);
  });
});

test('D11: the day a tick counts under never goes back', () => {
  expect(monotoneDay('2026-06-09', '2026-06-10')).toBe('2026-06-10');
  expect(monotoneDay('2026-06-11', '2026-06-10', '2026-06-09')).toBe('2026-06-11');
  expect(monotoneDay('2026-06-09', '')).toBe('2026-06-09');
});

const H = 3_600_000;
const ZONES = [
  'UTC',
  'Pacific/Auckland',
  'America/New_York',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Pacific/Niue',
];
const step = fc.record({
  /** Real seconds since the tick before, by the boot clock. */
  passes: fc.constantFrom(0, 60, 900, 3_600, 20_000, 90_000),
  /** What somebody, or a bad time server, does to the wall clock besides. */
  jump: fc.constantFrom(0, 0, 0, H, -H, 24 * H, -24 * H, 5 * 24 * H, -30 * 24 * H),
  zone: fc.constantFrom(...ZONES),
  reboot: fc.boolean(),
  wants: fc.integer({ min: 1, max: 12 }),
});

property.prop([fc.array(step, { minLength: 1, maxLength: 60 }), fc.integer({ min: 0, max: 9 })], { numRuns: 500 })(
  'P4, case C8: never more than the cap under one day, never more than twice the cap in 24 h of uptime, whatever the clock does',
  (steps, cap) => {
    let [wall, uptime, boot, tally] = [Date.parse('2026-06-09T08:15:00Z'), 1000, 1, emptyTally];
    const dispatched: { day: string; boot: number; uptime: number; n: number }[] = [];
    for (const { passes, jump, zone, reboot, wants } of steps) {
      wall += passes * 1000 + jump;
      if (reboot && passes > 3_600) [uptime, boot] = [5, boot + 1];
      else uptime += passes;
      const day = monotoneDay(localTime(new Date(wall), zone).day, tally.day);
      expect(day >= tally.day).toBe(true);
      const at = { day, boot: `boot-${boot}`, uptime };
      const n = Math.min(wants, room(tally, cap, at));
      if (n === 0) continue;
      tally = batch(tally, n, at);
      dispatched.push({ day, boot, uptime, n });
    }
    const sum = (some: typeof dispatched) => some.reduce((total, { n }) => total + n, 0);
    for (const each of dispatched) {
      expect(sum(dispatched.filter(({ day }) => day === each.day))).toBeLessThanOrEqual(cap);
      const window = dispatched.filter(
        (one) => one.boot === each.boot && one.uptime >= each.uptime && one.uptime < each.uptime + 86_400,
      );
      expect(sum(window)).toBeLessThanOrEqual(2 * cap);
    }
  },
);
