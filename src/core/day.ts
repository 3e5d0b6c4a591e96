import type { Day, Instant } from './model.ts';

const MINUTE_MS = 60_000;

/** The wall clock of a zone. */
export interface LocalTime {
  day: Day;
  /** `08:15` */
  time: string;
}

/** The day a tick counts under: it never goes back, so a clock that does can't fill the cap twice. */
export function monotoneDay(local: Day, ...known: Day[]): Day {
  return known.reduce((latest, day) => (day > latest ? day : latest), local);
}

/**
 * @param dayAt which day a clock on the wall shows
 * @returns the first whole minute of the next local day: found by looking, since zones skip and repeat hours.
 */
export function nextMidnight(now: Date, dayAt: (at: Date) => Day): Instant {
  const today = dayAt(now);
  let low = now.getTime();
  let high = low + 50 * 60 * MINUTE_MS;
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if (middle === low) break;
    if (dayAt(new Date(middle)) > today) high = middle;
    else low = middle;
  }
  return new Date(Math.floor(high / MINUTE_MS) * MINUTE_MS).toISOString();
}

/** @returns `instant` moved by `minutes`. */
export function later(instant: Instant, minutes: number): Instant {
  return new Date(Date.parse(instant) + minutes * MINUTE_MS).toISOString();
}
