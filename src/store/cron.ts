import { spawn, spawnSync } from 'node:child_process';
import { homedir, userInfo } from 'node:os';
import { codeOf } from '../errors.ts';
import { realProcesses } from './process.ts';
import { findProgram } from './program.ts';

const READ_MS = 5_000;
/** Characters of what a command complained about. */
const MOST = 2_000;

/** What became of a command. `code` null = it took too long, or a signal ended it; `error` is what it printed on stderr. */
export interface CronEnd {
  code: number | null;
  error: string;
}

/**
 * Runs a command as cron does: by sh, from the home folder, with four variables.
 *
 * What is left in its process group is ended after it, as some schedulers do, and all of it after `mostMs`.
 */
export function runAsCron(command: string, path: string, mostMs: number): Promise<CronEnd> {
  const env = { HOME: homedir(), LOGNAME: userName(), PATH: path, SHELL: '/bin/sh' };
  const child = spawn('/bin/sh', ['-c', command], {
    ...{ cwd: homedir(), env, detached: true },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let error = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    error = (error + text).slice(0, MOST);
  });
  return new Promise((resolve, reject) => {
    const endGroup = () => realProcesses.endGroup(child.pid ?? 0, 0);
    const timer = setTimeout(() => void endGroup(), mostMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      endGroup().then(() => resolve({ code, error: error.trim() }), reject);
    });
  });
}

/** @returns the text of this user's crontab, '' when there is none, or null when nobody can say. */
export function readCrontab(): string | null {
  const env = { ...process.env, LC_ALL: 'C' };
  const program = findProgram('crontab', process.env.PATH ?? '');
  if (program === null) return null;
  const { status, stdout, stderr } = spawnSync(program, ['-l'], { encoding: 'utf8', env, timeout: READ_MS });
  if (status === 0) return stdout;
  return status === 1 && /no crontab for/i.test(stderr) ? '' : null;
}

/** Not every container knows the name of its user. */
function userName(): string {
  try {
    return userInfo().username;
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return process.env.LOGNAME ?? 'nobody';
  }
}
