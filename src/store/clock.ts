import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { PawlError } from '../errors.ts';
import { builtin } from './builtin.ts';

/** The two times there are: the one people live by, which is set and steps, and the machine's own, which only grows. */
export interface Clock {
  /** For days, windows and leases. @throws PawlError `E_USAGE` when PAWL_NOW can't be read. */
  now(): Date;
  /** Seconds since the machine was started, sleep included: for ages and liveness, whatever the clock on the wall does. */
  uptime(): number;
  /** Differs after each start of the machine; uptimes compare only under the same one. */
  bootId(): string;
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/;

/**
 * The clocks of this machine.
 *
 * PAWL_NOW (ISO 8601; a day alone is its midnight in UTC, a time without a zone is local) makes `now` stand still there;
 * `uptime` and `bootId` never follow it.
 */
export const realClock: Clock = {
  now() {
    const wanted = process.env.PAWL_NOW;
    return wanted ? instant(wanted) : new Date();
  },

  // The first figure is CLOCK_BOOTTIME; process.hrtime would stand still while the machine sleeps.
  uptime: () => Number(readProc('/proc/uptime')?.split(' ')[0] ?? uptime()),

  bootId() {
    boot ??= readProc('/proc/sys/kernel/random/boot_id')?.trim() ?? bootElsewhere();
    return boot;
  },
};

let boot: string | undefined;

function instant(text: string): Date {
  const date = new Date(text);
  if (!INSTANT.test(text) || Number.isNaN(date.getTime()) || !isDay(text.slice(0, 10)))
    throw new PawlError('E_USAGE', `PAWL_NOW should be a time like 2026-06-09T08:15:00Z, got ${JSON.stringify(text)}`);
  return date;
}

/** 30 February is read as 2 March by Date. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

function readProc(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/**
 * macOS has an id of its own. Anywhere else it is the hour of the start: two starts within one hour then look like one,
 * which leaves the judgement to the start times of processes, and setting the clock by hours looks like a start.
 */
function bootElsewhere(): string {
  if (process.platform === 'darwin')
    return builtin('node:child_process')
      .execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' })
      .trim();
  return `hour-${Math.round((Date.now() / 1000 - uptime()) / 3600)}`;
}
