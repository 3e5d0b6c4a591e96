import { quoted } from '../core/text.ts';
import { realMachine } from '../engine/machine.ts';
import { veto } from '../engine/veto.ts';
import { Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { busy, whileLocked } from './locked.ts';
import { json } from './print.ts';

const command: Command = {
  summary: 'says no to something learned, for good',
  help: `
pawl veto <L7 | R-007> [--json] [--dir <folder>]

  pawl veto L7      never make a rule of it
  pawl veto R-007   it is a rule already: the next tick takes its line out, as a version of its own

Deleting its line, or writing \`veto: true\` on it in .jez/state.md, does the same. It is remembered, and not learned again; undo with
\`pawl approve L7\`. --json: {v, id, rule, was, changed, next}.`,
  options: { json: { type: 'boolean' } },
  positionals: ['learning'],

  async run({ root, values, positionals: [given = ''], out }) {
    const workspace = new Workspace(root());
    const answer = await whileLocked(workspace, (disk) => veto(disk, workspace, given, realMachine.clock.now()));
    if (answer === null) throw busy();
    const { id, rule, was, changed, next } = answer;
    if (values.json === true) out(json({ v: 1, ...answer }));
    else out(`${changed ? 'vetoed' : `nothing to do for ${was}`} ${id}: "${quoted(rule)}"\n${next}\n`);
    return 0;
  },
};

export default command;
