import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { cronCommand } from '../../core/schedule/cron.ts';
import { type CronEntry, entriesFor } from '../../core/schedule/crontab.ts';
import { CRON_PATH, shortPath } from '../../core/schedule/job.ts';
import { oneLine } from '../../core/text.ts';
import { PawlError } from '../../errors.ts';
import { readCrontab, runAsCron } from '../../store/cron.ts';
import { findProgram } from '../../store/program.ts';
import type { Workspace } from '../../store/workspace.ts';
import { jobOf } from '../schedule.ts';
import { type Check, type Finding, ok } from './check.ts';

const SLOWEST_MS = 60_000;
const PRINT = '`pawl schedule print`';
const WHERE = 'crontab -l';

/**
 * Whether a tick would start as cron starts it: the line of the crontab is tried with `--dry-run`, or, where it has none for this
 * folder, the one that would be printed.
 */
export const schedule: Check = {
  name: 'schedule',
  async look({ loop, state, workspace }) {
    // There is no scheduler of that kind there; and a tick that is refused is told by the check of what refuses it.
    if (process.platform === 'win32' || loop instanceof PawlError || state instanceof PawlError) return [];
    const crontab = readCrontab();
    const entries = crontab === null ? [] : entriesFor(crontab, workspace.root, homedir());
    const worker = loop.procedure.executor.run[0] ?? '';
    if (entries.length > 0) return (await Promise.all(entries.map((entry) => judge(entry, worker)))).flat();
    const seen = crontab === null ? 'there is no crontab to read here' : 'the crontab has no line for this folder';
    return [await tryPrinted(workspace, seen), ...withoutLine(worker)];
  },
};

/** A line that is there. */
async function judge(entry: CronEntry, worker: string): Promise<Finding[]> {
  const gone = entry.named.find((path) => !existsSync(path));
  if (gone !== undefined)
    return [{ ...fail(`a line for this folder names ${gone}, which is not there`), where: WHERE }];
  const path = entry.path ?? CRON_PATH;
  const found = isFound(worker, path)
    ? []
    : [{ ...fail(`${worker} is not on the PATH of the line for this folder, ${path}`), where: WHERE }];
  if (!entry.isPlain)
    return [ok('a line for this folder is in the crontab; it does more than tick, so it was not tried'), ...found];
  const wrong = await trial(entry.command, entry.outerPath ?? CRON_PATH);
  if (wrong !== null) return [{ ...fail(`the line for this folder ${wrong}`), where: WHERE }, ...found];
  return [ok('the line for this folder in the crontab works, tried with --dry-run'), ...found];
}

async function tryPrinted({ root }: Workspace, seen: string): Promise<Finding> {
  const wrong = await trial(cronCommand(jobOf(root, 0)), CRON_PATH);
  if (wrong !== null) return fail(`${seen}; that of ${PRINT} cron ${wrong}`);
  return ok(`${seen}; that of ${PRINT} cron works, tried with --dry-run`);
}

/** @returns how a command failed as cron would run it, or null. */
async function trial(command: string, path: string): Promise<string | null> {
  const { code, error } = await runAsCron(`${command} --dry-run`, path, SLOWEST_MS);
  if (code === 0) return null;
  const how = code === null ? `does not come to an end in ${SLOWEST_MS / 1000} s` : `ends with exit ${code}`;
  return `${how}, run as cron would${error === '' ? '' : `: ${oneLine(error)}`}`;
}

/** The short line that `pawl init` prints finds what is with node or in the usual places. */
function withoutLine(worker: string): Finding[] {
  if (isFound(worker, shortPath(process.execPath).join(':'))) return [];
  const mend = `use the line of ${PRINT} cron, which sets PATH as it is here, or name the whole path in executor.run`;
  return [{ level: 'warn', what: `${worker} is not on cron's own PATH, ${CRON_PATH}`, where: '.jez/loop.md', mend }];
}

const isFound = (worker: string, path: string): boolean => worker.includes('/') || findProgram(worker, path) !== null;

const fail = (what: string): Finding => ({
  ...{ level: 'fail', what },
  mend: `${PRINT} cron prints a line that fits; put it in the place of the other with crontab -e`,
});
