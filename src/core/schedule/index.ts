import { PawlError } from '../../errors.ts';
import { cron } from './cron.ts';
import type { Job } from './job.ts';
import { launchd } from './launchd.ts';
import { systemd } from './systemd.ts';
import { windows } from './windows.ts';

/** One line per scheduler: what a person is to give it, with the way to do so as comments. */
const schedules: Record<string, (job: Job) => string> = { cron, systemd, launchd, windows };

export const scheduleNames = Object.keys(schedules);

/** The one that every machine of a platform has. */
export const scheduleOn = (platform: string): string => ({ darwin: 'launchd', win32: 'windows' })[platform] ?? 'cron';

/** @throws PawlError `E_USAGE` for a kind that is not there, a job it can't keep, or a path that no such file can hold. */
export function printSchedule(kind: string, job: Job): string {
  const print = Object.hasOwn(schedules, kind) ? schedules[kind] : undefined;
  if (print === undefined)
    throw new PawlError('E_USAGE', `there is no scheduler ${kind}; these are: ${scheduleNames.join(', ')}`);
  const odd = [job.root, job.node, job.entry, ...job.path].find((path) => /\p{Cc}/u.test(path));
  if (odd !== undefined)
    throw new PawlError('E_USAGE', `no scheduler takes a path with a control character in it: ${JSON.stringify(odd)}`);
  return print(job);
}
