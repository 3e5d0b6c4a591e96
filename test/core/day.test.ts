import { describe, expect, test } from 'vitest';
import { later, nextMidnight } from '../../src/core/day.ts';
import { isZone, localTime } from '../../src/formats/zone.ts';

const midnightIn = (at: Date, zone: string) => nextMidnight(at, (each) => localTime(each, zone).day);

describe('E13: the local day and time', () => {
  test.each([
    ['UTC', '2026-06-09T23:59:59Z', '2026-06-09', '23:59'],
    ['Pacific/Auckland', '2026-06-09T12:00:00Z', '2026-06-10', '00:00'],
    ['America/New_York', '2026-06-09T03:59:00Z', '2026-06-08', '23:59'],
    ['Pacific/Kiritimati', '2026-06-09T10:00:00Z', '2026-06-10', '00:00'],
    // The repeated hour of autumn: the same wall time twice, one day.
    ['America/New_York', '2026-11-01T05:30:00Z', '2026-11-01', '01:30'],
    ['America/New_York', '2026-11-01T06:30:00Z', '2026-11-01', '01:30'],
  ])('%s at %s', (zone, now, day, time) => {
    expect(localTime(new Date(now), zone)).toEqual({ day, time });
  });
});

describe('the next midnight', () => {
  test.each([
    ['an ordinary day', 'UTC', '2026-06-09T08:15:30Z', '2026-06-10T00:00:00.000Z'],
    ['from midnight itself', 'UTC', '2026-06-09T00:00:00Z', '2026-06-10T00:00:00.000Z'],
    ['a second before', 'UTC', '2026-06-09T23:59:59.500Z', '2026-06-10T00:00:00.000Z'],
    ['New York, spring: a day of 23 hours', 'America/New_York', '2026-03-08T05:00:00Z', '2026-03-09T04:00:00.000Z'],
    ['New York, autumn: a day of 25 hours', 'America/New_York', '2026-11-01T04:00:00Z', '2026-11-02T05:00:00.000Z'],
    ['Auckland, spring', 'Pacific/Auckland', '2026-09-26T12:00:00Z', '2026-09-27T11:00:00.000Z'],
    ['Auckland, autumn', 'Pacific/Auckland', '2026-04-04T11:00:00Z', '2026-04-05T12:00:00.000Z'],
    ['Lord Howe, spring: half an hour', 'Australia/Lord_Howe', '2026-10-03T14:00:00Z', '2026-10-04T13:00:00.000Z'],
    ['Lord Howe, autumn: half an hour', 'Australia/Lord_Howe', '2026-04-04T13:30:00Z', '2026-04-05T13:30:00.000Z'],
    // There is no 00:00 on these days: the clock goes from 23:59 to 01:00.
    ['Cairo, spring, at midnight', 'Africa/Cairo', '2026-04-23T12:00:00Z', '2026-04-23T22:00:00.000Z'],
    ['Asuncion 2023, spring, at midnight', 'America/Asuncion', '2023-09-30T12:00:00Z', '2023-10-01T04:00:00.000Z'],
    // 23:00 comes twice: the day ends after the second.
    ['Cairo, autumn, at midnight', 'Africa/Cairo', '2026-10-29T12:00:00Z', '2026-10-29T22:00:00.000Z'],
    ['Asuncion 2024, autumn, at midnight', 'America/Asuncion', '2024-03-23T12:00:00Z', '2024-03-24T04:00:00.000Z'],
    ['Samoa 2011: a day that was left out', 'Pacific/Apia', '2011-12-29T20:00:00Z', '2011-12-30T10:00:00.000Z'],
  ])('%s', (_, zone, now, midnight) => {
    expect(midnightIn(new Date(now), zone)).toBe(midnight);
  });

  test('is the first minute of another day in every zone, through a whole year', () => {
    for (const zone of [
      'Africa/Cairo',
      'America/Asuncion',
      'America/New_York',
      'Australia/Lord_Howe',
      'Pacific/Auckland',
    ])
      for (let at = Date.parse('2026-01-01T07:41:13Z'); at < Date.parse('2027-01-01'); at += 11 * 3_600_000) {
        const midnight = Date.parse(midnightIn(new Date(at), zone));
        const today = localTime(new Date(at), zone).day;
        expect(midnight > at).toBe(true);
        expect(localTime(new Date(midnight), zone).day > today).toBe(true);
        expect(localTime(new Date(midnight - 60_000), zone).day).toBe(today);
      }
  });
});

test('later moves over the end of a year', () => {
  expect(later('2026-12-31T23:50:00.000Z', 15)).toBe('2027-01-01T00:05:00.000Z');
});

test('every zone there is shows the same day and time as Intl, and none that is not is taken for one', () => {
  const before = process.env.TZ;
  for (const zone of Intl.supportedValuesOf('timeZone')) {
    expect(isZone(zone), zone).toBe(true);
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
    for (const at of ['2026-01-01T00:30:00Z', '2026-03-29T01:30:00Z', '2026-07-04T17:05:00Z', '2026-11-01T05:59:00Z']) {
      const { day, time } = localTime(new Date(at), zone);
      expect(`${day} ${time}`, `${zone} ${at}`).toBe(format.format(new Date(at)));
    }
  }
  for (const wrong of ['', 'Europe/Nowhere', 'GMT+5', 'Mars', 'Europe', '../etc/passwd', ':UTC'])
    expect(isZone(wrong), wrong).toBe(false);
  expect(process.env.TZ).toBe(before);
});
