import { realMachine } from '../engine/machine.ts';
import { runningClaim } from '../engine/wait.ts';
import { codeOf } from '../errors.ts';
import { changeState } from '../store/state-file.ts';
import { Workspace } from '../store/workspace.ts';
import { put } from '../store/write.ts';
import type { Command } from './command.ts';
import { whileLocked } from './locked.ts';

const command: Command = {
  summary: 'nothing new is started until `pawl resume`',
  help: `
pawl pause [--kill] [--dir <folder>]

  pawl pause           the running slice goes on to its end; it is filed after \`pawl resume\`
  pawl pause --kill    end it too: what was not finished is tried again later, at no cost to it

Writing \`paused: true\` in .jez/state.md, or making a file .jez/PAUSE, does the same.`,
  options: { kill: { type: 'boolean' } },

  async run({ root, values, out }) {
    const workspace = new Workspace(root());
    const { disk } = realMachine;
    const paused = await whileLocked(workspace, async (fencedDisk) => {
      await changeState(fencedDisk, workspace, (state) => ({ ...state, paused: true }));
      return true;
    }).catch((error: unknown) => {
      // A pause must hold even where state.md can't be written.
      if (!['E_FORMAT', 'E_BUSY'].includes(codeOf(error) ?? '')) throw error;
      return null;
    });
    if (paused === null) put(disk, workspace.pause(), 'pawl pause\n');
    const claim = runningClaim(realMachine, workspace);
    if (claim !== null && values.kill === true)
      await realMachine.executor.stop({ root: workspace.root, claim }, 'pawl pause --kill');
    const still = claim !== null && values.kill !== true ? `; ${claim.runs.length} items still run to their end` : '';
    out(`paused${paused === null ? ' by the file .jez/PAUSE' : ''}${still}. Go on with: pawl resume\n`);
    return 0;
  },
};

export default command;
