import { spawnSync } from 'node:child_process';

/** Hooks and monitors of a repository are programs of somebody else's. */
const OURS = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];
const WAIT_MS = 5_000;

/** @returns the exit code, or null when git is not there or does not answer. */
function git(root: string, ...args: string[]): number | null {
  return spawnSync('git', ['-C', root, ...OURS, ...args], { stdio: 'ignore', timeout: WAIT_MS }).status;
}

/** @returns those of `paths`, from the root, that git would take up; null outside a work tree or without git. */
export function seenByGit(root: string, paths: readonly string[]): string[] | null {
  if (git(root, 'rev-parse', '--show-toplevel') !== 0) return null;
  return paths.filter((path) => git(root, 'check-ignore', '-q', '--', path) === 1);
}
