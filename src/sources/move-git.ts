import { builtin } from '../store/builtin.ts';

/** Hooks and monitors of a repository are programs of somebody else's. */
const OURS = ['--literal-pathspecs', '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false'];
const WAIT_MS = 5_000;
/** Set where git itself started us, as from a hook: they name another index than that of the project. */
const FOREIGN = ['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_PREFIX'];

/**
 * Lets git's index follow a move as `git mv` does: the entry as it is, under the new name; no content is staged.
 *
 * Does nothing where git is missing, the file is not tracked, the new name is, or somebody else has the index: git then sees one file gone
 * and one new, and that is true.
 * @param from, to paths from `root`.
 */
export function moveInIndex(root: string, from: string, to: string): void {
  const [entry, ...others] = git(root, ['ls-files', '-s', '-z', '--full-name', '--', from, to])
    .split('\0')
    .slice(0, -1);
  const [, mode, blob = '', stage, path = ''] = /^(\d+) ([0-9a-f]+) (\d)\t(.*)$/s.exec(entry ?? '') ?? [];
  if (others.length > 0 || stage !== '0' || !path.endsWith(from)) return;
  const target = path.slice(0, path.length - from.length) + to;
  const lines = `0 ${'0'.repeat(blob.length)}\t${path}\0${mode} ${blob}\t${target}\0`;
  git(root, ['update-index', '-z', '--index-info'], lines);
}

/** @returns what it prints, '' when it fails. */
function git(root: string, args: string[], input = ''): string {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN.includes(name)));
  const { status, stdout } = builtin('node:child_process').spawnSync('git', ['-C', root, ...OURS, ...args], {
    ...{ input, env, encoding: 'utf8', timeout: WAIT_MS },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout : '';
}
