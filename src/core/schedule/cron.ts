import { PawlError } from '../../errors.ts';
import { CRON_PATH, intervalOf, type Job, minutesOf, shortPath } from './job.ts';

const SAFE = /^[\w./:@+,=-]+$/;
const HOUR = 60;
/** Bytes of a command, of which Debian's cron takes no more. */
const LONGEST = 998;

/** One word for sh; nothing in it is special to sh any more. */
export const shellWord = (text: string): string => (SAFE.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/**
 * The same in a crontab, where a bare `%` ends the command. `\%` stands outside of quotes: a cron that takes the backslash away
 * and one that leaves it to sh then come to the same.
 */
const cronWord = (text: string): string =>
  text
    .split('%')
    .map((part) => (part === '' ? '' : shellWord(part)))
    .join('\\%');

/** What cron hands to sh: whole paths, since it knows neither the folder nor the PATH of a terminal. */
export function cronCommand({ root, node, entry, path }: Omit<Job, 'everyMs'>): string {
  const search = path.join(':');
  const words = [node, entry, 'tick', '--dir', root].map(cronWord);
  return [...(search === CRON_PATH ? [] : [`PATH=${cronWord(search)}`]), ...words].join(' ');
}

/** A line for `crontab -e`: a tick every 15 minutes, with no more in PATH than node itself needs. */
export const cronLine = (job: Pick<Job, 'root' | 'node' | 'entry'>): string =>
  `*/15 * * * * ${cronCommand({ ...job, path: shortPath(job.node) })}`;

/** @throws PawlError `E_USAGE` for an interval cron can't keep, or a line that is too long for it. */
export function cron(job: Job): string {
  const command = cronCommand(job);
  const bytes = new TextEncoder().encode(command).length;
  if (bytes > LONGEST)
    throw new PawlError(
      'E_USAGE',
      `the line is ${bytes} bytes long, and cron takes ${LONGEST}: say which folders are needed, PATH=${CRON_PATH} pawl schedule print cron`,
    );
  return `# pawl: a tick of ${job.root} every ${intervalOf(job)}, for crontab -e\n${fields(job)} ${command}\n`;
}

/** Steps start afresh with every hour, so that only its divisors come evenly. */
function fields(job: Job): string {
  const minutes = minutesOf(job);
  if (minutes !== null && HOUR % minutes === 0) {
    if (minutes === 1) return '* * * * *';
    return minutes === HOUR ? '0 * * * *' : `*/${minutes} * * * *`;
  }
  const least = Math.min(HOUR, Math.ceil(job.everyMs / 60_000));
  const next = Array.from({ length: HOUR }, (_, index) => index + 1).find((n) => n >= least && HOUR % n === 0);
  throw new PawlError(
    'E_USAGE',
    `cron can't keep an interval of ${intervalOf(job)}, which does not divide an hour: say --every ${next}m; systemd, launchd and \`pawl run\` keep any`,
  );
}
