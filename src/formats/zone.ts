import type { LocalTime } from '../core/day.ts';

const NAME = /^[A-Za-z_]+(?:\/[A-Za-z0-9_+-]+)+$/;
/** One in winter, one in summer: a zone that knows neither would be taken for UTC. */
const PROBES = [Date.UTC(2026, 0, 15), Date.UTC(2026, 6, 15)];

/**
 * Date reads TZ, and costs next to nothing; Intl reads the same tables, and its start costs as much as a whole no-op tick.
 *
 * TZ is put back before anybody else can look.
 */
function inZone<T>(zone: string, work: () => T): T {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    return work();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

const pad = (n: number, length = 2) => String(n).padStart(length, '0');

/** @returns the date and time that a clock on the wall shows in `zone` (IANA, as `isZone` accepts it) at `now`. */
export function localTime(now: Date, zone: string): LocalTime {
  return inZone(zone, () => ({
    day: `${pad(now.getFullYear(), 4)}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`,
    time: `${pad(now.getHours())}:${pad(now.getMinutes())}`,
  }));
}

/** Is this the name of a time zone? Those that never leave UTC, and everything odd, are put to Intl. */
export function isZone(zone: string): boolean {
  if (zone === 'UTC') return true;
  const isFar = () => PROBES.some((at) => new Date(at).getTimezoneOffset() !== 0);
  if (NAME.test(zone) && inZone(zone, isFar)) return true;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }) !== null;
  } catch {
    return false;
  }
}

/** The zone this machine is set to. */
export const systemZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
