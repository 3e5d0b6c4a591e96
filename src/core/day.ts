import type { Day, Instant } from './model.ts';

const MINUTE_MS = 60_000;

/** The wall clock of a zone. */
export interface LocalTime {
  day: Day;
  /** `08:15` */
  time: string;
}

/** Making one takes longer than a whole plan, and a process has one zone. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatFor(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-CA', {
      ...{ timeZone: zone, calendar: 'gregory', numberingSystem: 'latn', hourCycle: 'h23' },
      ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
    });
    formats.set(zone, format);
  }
  return format;
}

/** @returns the date and time that a clock on the wall shows in `zone` (IANA) at `now`. */
export function localTime(now: Date, zone: string): LocalTime {
  const parts = formatFor(zone).formatToParts(now);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  return {
    day: `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`,
    time: `${part('hour')}:${part('minute')}`,
  };
}

/** The day a tick counts under: it never goes back, so a clock that does can't fill the cap twice. */
export function monotoneDay(local: Day, ...known: Day[]): Day {
  return known.reduce((latest, day) => (day > latest ? day : latest), local);
}

/** @returns the first whole minute of the next local day: found by looking, since zones skip and repeat hours. */
export function nextMidnight(now: Date, zone: string): Instant {
  const today = localTime(now, zone).day;
  let low = now.getTime();
  let high = low + 50 * 60 * MINUTE_MS;
  while (high - low > MINUTE_MS) {
    const middle = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS;
    if (middle === low) break;
    if (localTime(new Date(middle), zone).day > today) high = middle;
    else low = middle;
  }
  return new Date(Math.floor(high / MINUTE_MS) * MINUTE_MS).toISOString();
}

/** @returns `instant` moved by `minutes`. */
export function later(instant: Instant, minutes: number): Instant {
  return new Date(Date.parse(instant) + minutes * MINUTE_MS).toISOString();
}
