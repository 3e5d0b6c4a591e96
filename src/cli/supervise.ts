import type { Claim } from '../core/model.ts';
import { realMachine } from '../engine/machine.ts';
import { supervise } from '../engine/supervise.ts';
import { PawlError } from '../errors.ts';
import { loadExecutor } from '../executors/index.ts';
import { openSource } from '../sources/index.ts';
import { Workspace } from '../store/workspace.ts';
import { readJson } from '../store/write.ts';
import type { Command } from './command.ts';

const command: Command = {
  summary: 'works on one claimed batch; started by a tick',
  help: 'pawl supervise <root> <batch>',
  positionals: ['root', 'batch'],

  async run({ positionals: [root = '', batch = ''], signal }) {
    const workspace = new Workspace(root);
    const { disk } = realMachine;
    const claim = readJson<Claim>(disk, workspace.batch(Number(batch), 'claim.json'));
    if (claim === null) throw new PawlError('E_USAGE', `there is no batch ${batch} in ${root}`);
    const { worker } = await loadExecutor(claim.settings.executor.kind);
    const procedure = { source: claim.settings.source };
    const source = await openSource({ disk, workspace, procedure, keep: () => {} });
    await supervise({ hands: realMachine, workspace, claim, worker, source, signal });
    return 0;
  },
};

export default command;
