import { quoted } from '../core/text.ts';
import { OWNED } from '../core/version.ts';
import { approve } from '../engine/approve.ts';
import { realMachine } from '../engine/machine.ts';
import { PawlError } from '../errors.ts';
import { Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { busy, whileLocked } from './locked.ts';
import { flag, json } from './print.ts';

const command: Command = {
  summary: 'makes a rule of something learned, by the next tick',
  help: `
pawl approve <L7> [--to contract.md|loop.md] [--json] [--dir <folder>]

  pawl approve L7                it waits for no window, and for nobody else to see it
  pawl approve L7 --to loop.md   as a step of the procedure, not as a way to behave

Also for what was vetoed, refused or taken back. \`pawl learnings --all\` lists them. --json: {v, id, rule, was, changed, next, file}.`,
  options: { to: { type: 'string' }, json: { type: 'boolean' } },
  positionals: ['learning'],

  async run({ root, values, positionals: [given = ''], out }) {
    const named = flag(values, 'to');
    const to = OWNED.find((file) => file === named) ?? null;
    if (named !== undefined && to === null)
      throw new PawlError('E_USAGE', `--to should be contract.md or loop.md, got ${quoted(named, 40)}`);
    const workspace = new Workspace(root());
    const now = realMachine.clock.now();
    const answer = await whileLocked(workspace, (disk) => approve(disk, workspace, given, to, now));
    if (answer === null) throw busy();
    const { id, rule, was, changed, file, next } = answer;
    if (values.json === true) out(json({ v: 1, ...answer }));
    else
      out(
        `${changed ? 'approved' : `nothing to do for ${was}`} ${id}, for ${file}: "${quoted(rule)}"\n${quoted(next)}\n`,
      );
    return 0;
  },
};

export default command;
