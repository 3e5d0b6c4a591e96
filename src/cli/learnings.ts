import { quoted } from '../core/text.ts';
import { type Learnings, type Listed, readLearnings } from '../engine/learnings.ts';
import { realMachine } from '../engine/machine.ts';
import { number, Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { json, many } from './print.ts';

const command: Command = {
  summary: 'what was learned: what waits, and what is held',
  help: `
pawl learnings [--all] [--json] [--dir <folder>]

  pawl learnings         what waits in state.md and when it is applied; what is held, and why
  pawl learnings --all   and what was applied, kept, vetoed, refused or taken back

Say no with \`pawl veto L7\`, yes with \`pawl approve L7\`. --json: {v, mode, blocked, learnings: [{id, state, rule, target, file,
items, runs, version, approved, due, why}], more}.`,
  options: { all: { type: 'boolean' }, json: { type: 'boolean' } },

  async run({ root, values, out }) {
    const { disk, clock } = realMachine;
    const found = readLearnings(disk, new Workspace(root()), clock.now(), values.all === true);
    if (values.json === true) out(json(found));
    else out(found.learnings.length === 0 ? nothing(found) : print(found));
    return 0;
  },
};

export default command;

function nothing({ mode, more }: Learnings): string {
  if (more > 0) return `nothing is queued or held; ${many(more, 'learning')} decided before: pawl learnings --all\n`;
  if (mode === 'off') return 'nothing is learned here: learn.mode is off in loop.md\n';
  return 'nothing was learned yet; what a run notices is here once a tick has filed it, and a rule at the earliest one tick later\n';
}

function print({ learnings, blocked, more }: Learnings): string {
  const waits = learnings.some(({ state }) => state === 'queued');
  return [
    ...learnings.map(entry),
    ...(waits && blocked !== null ? [`nothing is applied meanwhile: ${quoted(blocked)}\n`] : []),
    ...(more > 0 ? [`${more} more, decided before: pawl learnings --all\n`] : []),
  ].join('');
}

function entry({ id, state, rule, target, file, items, runs, why }: Listed): string {
  const told = runs.length === 0 ? '' : ` (${runs.length === 1 ? 'run' : 'runs'} ${runs.map(number).join(', ')})`;
  const from = items.length === 0 ? '' : `, from ${items.map((item) => quoted(item, 120)).join(', ')}${told}`;
  const against = target === null ? 'no target' : `against ${quoted(target, 120)}`;
  return `${id} ${state}, ${quoted(why)}\n   "${quoted(rule)}"\n   ${against}, for ${file}${from}\n`;
}
