import { withIgnores } from '../core/ignored.ts';
import { codeOf, messageOf, PawlError } from '../errors.ts';
import { executorNames } from '../executors/index.ts';
import { parseLoop } from '../formats/loop.ts';
import { fillStarter, isLoop, putAbove } from '../formats/starter.ts';
import { misplacedKeys, newState, parseState } from '../formats/state.ts';
import { localTime } from '../formats/zone.ts';
import { sourceNames } from '../sources/index.ts';
import type { Disk } from '../store/disk.ts';
import { shipped } from '../store/package.ts';
import type { Workspace } from '../store/workspace.ts';
import { makeFolder, putIfUnchanged, putNew } from '../store/write.ts';

const SWEEP = '.jez/workers/docs-sweep.mjs';
export const LOOP = '.jez/loop.md';
export const STATE = '.jez/state.md';
export const KNOWN = { sources: sourceNames, executors: executorNames };

/** What a person decides. `worker` null = the shipped one, which looks through Markdown pages. */
export interface Choices {
  cohort: string;
  doneWhen: string;
  path: string;
  worker: string[] | null;
  field: string;
  timezone: string;
}

/** One file, and what became of it. `attention`: a person has something to do about it. */
export interface Made {
  file: string;
  what: string;
  attention?: boolean;
}

/** Is there a loop in this folder already? @throws PawlError `E_FORMAT` for a loop.md that nobody can read. */
export function hasLoop(disk: Disk, workspace: Workspace): boolean {
  const bytes = disk.read(workspace.loop());
  return bytes !== null && isLoop(bytes, LOOP);
}

/**
 * Makes the files of a loop, beside whatever is in `.jez/` already: a file that is there is never overwritten.
 *
 * loop.md comes last: while it is missing there is no loop, so an `init` that was killed is simply run again.
 * @throws PawlError `E_FORMAT` before anything is written when the new loop.md, or theirs below it, can't be read.
 */
export function makeLoop(disk: Disk, workspace: Workspace, choices: Choices, now: Date): Made[] {
  const loop = planLoop(disk, workspace, choices);
  makeFolder(disk, workspace.path('reflections'));
  return [
    loop.made,
    makeNew(disk, workspace, 'contract.md', shipped('contract.md'), 'how agents behave'),
    makeState(disk, workspace, localTime(now, choices.timezone).day),
    ...(choices.worker === null ? [makeWorker(disk, workspace)] : []),
    { file: 'reflections/', what: 'a page for each day: what happened, and why' },
    makeIgnores(disk, workspace),
    loop.write(),
  ].filter((each) => each !== null);
}

function planLoop(disk: Disk, workspace: Workspace, choices: Choices): { made: Made; write(): null } {
  const theirs = disk.read(workspace.loop());
  const starter = fillStarter(shipped('loop.md'), {
    ...{ cohort: choices.cohort, done_when: choices.doneWhen, path: choices.path, field: choices.field },
    ...{ copy_in: ['{path}'], timezone: choices.timezone, run: choices.worker ?? ['node', SWEEP] },
    // The shipped worker costs nothing and only counts what it found; another one may hand back the item's own file, and nothing else.
    ...(choices.worker === null
      ? { write: ['findings'], outputs: [], env: ['DOCS_SWEEP_RULES'], usd_per_day: null }
      : { write: [], outputs: ['{path}'], env: [], usd_per_day: 5 }),
  });
  const { text, added } = theirs === null ? { text: starter, added: [] } : putAbove(starter, theirs.toString('utf8'));
  const own = theirs === null ? null : Buffer.from(text).subarray(-theirs.length);
  if (own !== null && theirs !== null && theirs.length > 0 && !own.equals(theirs))
    throw new PawlError('E_FORMAT', 'this file should be UTF-8 text', { at: `${LOOP}:1:1` });
  parseLoop(Buffer.from(text), LOOP, KNOWN);
  const sections = added.length === 0 ? '' : ` and ${added.join(', ')}`;
  const what = theirs === null ? `what to do, when it is done, the limits` : `settings${sections} put above your text`;
  return {
    made: { file: 'loop.md', what },
    write() {
      if (!putIfUnchanged(disk, workspace.loop(), theirs, text))
        throw new PawlError('E_CHANGED', 'somebody wrote this file meanwhile; run `pawl init` again', { at: LOOP });
      return null;
    },
  };
}

function makeNew(disk: Disk, workspace: Workspace, file: string, text: string, what: string): Made {
  return putNew(disk, workspace.path(file), text) ? { file, what } : { file, what: 'yours, left as it is' };
}

function makeState(disk: Disk, workspace: Workspace, day: string): Made {
  const file = 'state.md';
  if (putNew(disk, workspace.state(), newState({ day }))) return { file, what: 'where it stands, and the pause' };
  try {
    const bytes = disk.read(workspace.state()) ?? Buffer.alloc(0);
    parseState(bytes, STATE);
    const [first, ...rest] = misplacedKeys(bytes, STATE);
    if (first === undefined) return { file, what: 'yours, left as it is' };
    const keys = [first, ...rest].map(({ key, belongs }) => `${key} belongs in loop.md as ${belongs}`).join(', ');
    return { file, what: `${keys}; move it with: pawl init --move-caps`, attention: true };
  } catch (error) {
    if (codeOf(error) !== 'E_FORMAT') throw error;
    return { file, what: `${messageOf(error)}; mend it, or: pawl doctor --fix`, attention: true };
  }
}

function makeWorker(disk: Disk, workspace: Workspace): Made {
  makeFolder(disk, workspace.path('workers'));
  return makeNew(
    disk,
    workspace,
    'workers/docs-sweep.mjs',
    shipped('workers', 'docs-sweep.mjs'),
    'looks for dead links and the like',
  );
}

/** Adds the lines that are missing. @returns null when somebody keeps writing the file: `doctor` tells then. */
export function makeIgnores(disk: Disk, workspace: Workspace): Made | null {
  const path = workspace.path('.gitignore');
  const current = disk.read(path);
  const text = withIgnores(current?.toString('utf8') ?? '');
  if (text === (current?.toString('utf8') ?? '')) return { file: '.gitignore', what: 'complete, left as it is' };
  if (!putIfUnchanged(disk, path, current, text)) return null;
  return { file: '.gitignore', what: current === null ? 'keeps work files out of git' : 'the missing lines added' };
}

/** Names of the choices a person made on the command line that the loop which is there does not have. */
export function differences(disk: Disk, workspace: Workspace, wanted: Partial<Choices>): string[] {
  const { procedure } = parseLoop(disk.read(workspace.loop()) ?? Buffer.alloc(0), LOOP, KNOWN);
  const { cohort, doneWhen, source, executor, timezone } = procedure;
  const there: Choices = {
    cohort,
    doneWhen,
    path: source.path,
    field: source.mark.field,
    worker: executor.run,
    timezone,
  };
  const names = {
    cohort: 'cohort',
    doneWhen: 'done-when',
    path: 'path',
    field: 'field',
    worker: 'worker',
    timezone: 'timezone',
  };
  return (Object.keys(names) as (keyof Choices)[])
    .filter((key) => wanted[key] !== undefined && JSON.stringify(wanted[key]) !== JSON.stringify(there[key]))
    .map((key) => `--${names[key]}`);
}
