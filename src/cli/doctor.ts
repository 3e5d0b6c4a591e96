import { examine, type Row } from '../engine/doctor/index.ts';
import { realMachine } from '../engine/machine.ts';
import { mend } from '../engine/mend.ts';
import { findRoot, Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { busy, whileLocked } from './locked.ts';
import { json, many } from './print.ts';

const command: Command = {
  summary: 'is everything in order? what is not, where, and how to mend it',
  help: `
pawl doctor [--fix] [--deep] [--json] [--dir <folder>]

  pawl doctor         looks at the machine, the files, the worker, the items, the scheduler; changes nothing
  pawl doctor --fix   replaces a state.md that can't be read by a paused one, rebuilt from what is known, and keeps the old
                      one as state.md.corrupt-<time>; completes .jez/.gitignore; clears a lock left by a killed tick
  pawl doctor --deep  also starts a batch in a folder of its own, as cron would, and sees whether it lives on; takes 6 seconds

Exit code: 0 when nothing fails, else 2. --json: {v, fixed: [text], rows: [{name, level: ok|warn|fail, what, where?, mend?}]}.`,
  options: { fix: { type: 'boolean' }, deep: { type: 'boolean' }, json: { type: 'boolean' } },

  async run({ from, values, out }) {
    const root = findRoot(realMachine.disk, from);
    const fixed = values.fix === true && root !== null ? await fix(new Workspace(root)) : [];
    const deep = values.deep === true;
    const rows = root === null ? [noLoop(from)] : [found(root), ...(await examine(new Workspace(root), { deep }))];
    if (values.json === true) out(json({ v: 1, fixed, rows }));
    else out(print(fixed, rows));
    return rows.some(({ level }) => level === 'fail') ? 2 : 0;
  },
};

export default command;

const found = (root: string): Row => ({ name: 'folder', level: 'ok', what: `${root}/.jez` });

const noLoop = (from: string): Row => ({
  ...{ name: 'folder', level: 'fail', what: 'no .jez folder here or above', where: from, mend: 'pawl init' },
});

/** Taking the lock is what clears a gate that a killed tick left: the chain behind it decides whether anybody holds it. */
async function fix(workspace: Workspace): Promise<string[]> {
  const fixed = await whileLocked(workspace, (disk) => mend({ ...realMachine, disk }, workspace));
  if (fixed === null) throw busy();
  return fixed;
}

function print(fixed: readonly string[], rows: readonly Row[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const lines = rows.flatMap(({ name, level, what, where, mend: how }) => {
    const indent = ' '.repeat(6 + width + 2);
    const place = level === 'ok' || where === undefined ? '' : `${where}: `;
    const mended = level === 'ok' || how === undefined ? [] : [`${indent}-> ${how}`];
    return [`${level.padEnd(6)}${name.padEnd(width)}  ${place}${what}`, ...mended];
  });
  return [
    ...fixed.map((text) => `fixed: ${text}`),
    ...(fixed.length > 0 ? [''] : []),
    ...lines,
    '',
    summary(rows),
    '',
  ].join('\n');
}

function summary(rows: readonly Row[]): string {
  const of = (level: Row['level']) => rows.filter((row) => row.level === level).length;
  const [fails, warns] = [of('fail'), of('warn')];
  if (fails > 0) return `${many(fails, 'thing')} to mend before it can work${warns > 0 ? `, ${warns} to know` : ''}`;
  return warns > 0 ? `in order; ${many(warns, 'thing')} to know` : 'all in order';
}
