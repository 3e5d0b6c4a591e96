import { realMachine } from '../engine/machine.ts';
import { release } from '../engine/retry.ts';
import { PawlError } from '../errors.ts';
import { Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { busy, whileLocked } from './locked.ts';
import { json, many } from './print.ts';

const command: Command = {
  summary: 'gives an item that waits for you its tries back',
  help: `
pawl retry <item> | --all [--json] [--dir <folder>]

  pawl retry docs/b.md   this item may be tried again by the next tick
  pawl retry --all       all items that are stuck or asked for you

Which items wait is in .jez/review.md; ticking a box there does the same. --json: {v, released: [{item, run, why}]}.`,
  options: { all: { type: 'boolean' }, json: { type: 'boolean' } },
  positionals: ['item?'],

  async run({ root, values, positionals: [item], out }) {
    if ((item === undefined) !== (values.all === true))
      throw new PawlError('E_USAGE', 'name one item, or say --all; see `pawl retry --help`');
    const workspace = new Workspace(root());
    const released = await whileLocked(workspace, async (disk) =>
      release(disk, workspace, item ?? null, realMachine.clock.now()),
    );
    if (released === null) throw busy();
    if (values.json === true) out(json({ v: 1, released }));
    else if (released.length === 0) out('nothing waits for you\n');
    else {
      const lines = released.map(({ item: id, why }) => `  ${id} (${why})\n`).join('');
      out(`${many(released.length, 'item')} may be tried again\n${lines}next: pawl tick --wait\n`);
    }
    return 0;
  },
};

export default command;
