import { missingIgnores } from '../../core/ignored.ts';
import { PawlError } from '../../errors.ts';
import { isWritten } from '../../formats/settings.ts';
import { misplacedKeys } from '../../formats/state.ts';
import { seenByGit } from '../../store/git.ts';
import { type Check, type Finding, ok } from './check.ts';

const STATE = '.jez/state.md';
const LOOP = '.jez/loop.md';

/** An error's place is told apart from its message. */
function broken({ at, message }: PawlError, mend: string): Finding {
  const what = at === undefined ? message : message.slice(at.length + 2);
  return { level: 'fail', what, ...(at === undefined ? {} : { where: at }), mend };
}

export const state: Check = {
  name: 'state',
  look({ state: read, machine: { disk }, workspace }) {
    if (read instanceof PawlError) return broken(read, 'correct that line, or: pawl doctor --fix');
    if (read.paused)
      return { level: 'warn', what: `paused: ${read.pauseReason ?? 'by hand'}`, where: STATE, mend: 'pawl resume' };
    if (disk.stat(workspace.pause()) !== null)
      return { level: 'warn', what: 'paused by a file', where: '.jez/PAUSE', mend: 'pawl resume' };
    return ok(`tick ${read.tick}, not paused`);
  },
};

export const loop: Check = {
  name: 'loop',
  look({ loop: read }) {
    if (read instanceof PawlError)
      return broken(read, 'correct that line; where there is no loop.md, `pawl init` makes one');
    return ok(read.procedure.cohort);
  },
};

export const unknownKeys: Check = {
  name: 'settings',
  look({ loop: read }) {
    if (read instanceof PawlError) return [];
    if (read.unknown.length === 0) return ok('every key is known');
    return read.unknown.map(({ key, at }) => {
      return {
        level: 'warn',
        what: `${key} is read by nobody`,
        where: at,
        mend: 'look for a slip of the pen, or take it out',
      };
    });
  },
};

/** A limit that stands where nobody reads it is worse than none. */
export const misplaced: Check = {
  name: 'limits',
  look({ state: read, machine: { disk }, workspace }) {
    if (read instanceof PawlError) return [];
    const keys = misplacedKeys(disk.read(workspace.state()) ?? Buffer.alloc(0), STATE);
    return keys.map(({ key, at, belongs }) => {
      const what = `${key} does not count here: limits belong in loop.md, this one as ${belongs}`;
      return { level: 'fail', what, where: at, mend: 'pawl init --move-caps, or move it by hand' };
    });
  },
};

export const contract: Check = {
  name: 'contract',
  look: ({ machine: { disk }, workspace }) =>
    ok(disk.stat(workspace.contract()) === null ? 'none here: the shipped text is used' : '.jez/contract.md'),
};

export const boundary: Check = {
  name: 'boundary',
  look({ loop: read }) {
    if (read instanceof PawlError) return [];
    if (read.sections.some(({ title, text }) => title.toLowerCase() === 'boundary' && text !== ''))
      return ok('written in loop.md');
    const mend =
      'add a section `## Boundary`: what the loop may never change. Until then it changes nothing of its own';
    return { level: 'fail', what: 'there is no Boundary section', where: LOOP, mend };
  },
};

export const timezone: Check = {
  name: 'timezone',
  look({ loop: read, machine: { disk }, workspace }) {
    // One that is no zone is refused with its line, by `loop`.
    if (read instanceof PawlError) return [];
    const zone = read.procedure.timezone;
    if (isWritten(disk.read(workspace.loop())?.toString('utf8') ?? '', LOOP, 'timezone')) return ok(zone);
    const mend = `write it out, since another machine may have another: timezone: ${zone}`;
    return { level: 'warn', what: `${zone}, from this machine`, where: LOOP, mend };
  },
};

export const check: Check = {
  name: 'check',
  look({ loop: read }) {
    if (read instanceof PawlError) return [];
    const { check: argv } = read.procedure;
    if (argv !== null) return ok(argv.join(' '));
    const mend = 'where a command can tell, name it: check: [npm, test]';
    return { level: 'warn', what: 'unchecked: an item is done when its worker says so', where: LOOP, mend };
  },
};

export const ignores: Check = {
  name: 'gitignore',
  look({ machine: { disk }, workspace }) {
    const missing = missingIgnores(disk.read(workspace.path('.gitignore'))?.toString('utf8') ?? '');
    if (missing.length === 0) return ok('complete');
    return { level: 'warn', what: `lacks ${missing.join(' ')}`, where: '.jez/.gitignore', mend: 'pawl doctor --fix' };
  },
};

export const git: Check = {
  name: 'git',
  look({ workspace }) {
    const seen = seenByGit(workspace.root, [
      '.jez/batches/0001/claim.json',
      '.jez/runs/0001-x/result.json',
      '.jez/heartbeat',
    ]);
    if (seen === null) return ok('no work tree here');
    if (seen.length === 0) return ok('work files are ignored');
    const mend = 'pawl doctor --fix completes .jez/.gitignore; or look for a rule that takes them in again';
    return { level: 'warn', what: `git takes up ${seen.join(', ')}`, where: '.jez/.gitignore', mend };
  },
};
