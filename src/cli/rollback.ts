import { realMachine } from '../engine/machine.ts';
import { rollbackTo } from '../engine/rollback.ts';
import { PawlError } from '../errors.ts';
import { Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { busy, whileLocked } from './locked.ts';
import { json } from './print.ts';

const command: Command = {
  summary: 'takes what the loop learned back to an earlier version',
  help: `
pawl rollback <version> [--json] [--dir <folder>]

  pawl rollback 6   versions above 6 are bad for good, and the rules of 6 come back
  pawl rollback 0   the text as it came

Only the loop's own lines in contract.md and loop.md change; your settings and texts stay. What was learned since is not learned again
unless you approve it. \`pawl versions\` lists the versions. --json: {v, version, bad: [<number>], lines}.`,
  options: { json: { type: 'boolean' } },
  positionals: ['version'],

  async run({ root, values, positionals: [given = ''], out }) {
    if (!/^\d{1,6}$/.test(given))
      throw new PawlError('E_USAGE', `a version is a number, such as 6; got ${given}; \`pawl versions\` lists them`);
    const workspace = new Workspace(root());
    const plan = await whileLocked(workspace, (disk, { generation }) =>
      rollbackTo(realMachine, workspace, { disk, generation }, Number(given)),
    );
    if (plan === null) throw busy();
    const { version, takeBack, changes } = plan;
    if (values.json === true) out(json({ v: 1, version, bad: takeBack.map(({ n }) => n), lines: changes }));
    else out(`${changes.join('\n')}\nversion ${version} is in force\n`);
    return 0;
  },
};

export default command;
