import type { State } from '../core/model.ts';
import { changeState } from '../store/state-file.ts';
import { Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { busy, whileLocked } from './locked.ts';

const command: Command = {
  summary: 'go on after a pause: the count of errors in a row begins anew',
  help: `
pawl resume [--dir <folder>]

Removes .jez/PAUSE, writes \`paused: false\` and forgets why it was paused. Read today's reflection first: pawl log`,

  async run({ root, out }) {
    const workspace = new Workspace(root());
    let was: string | null = null;
    const done = await whileLocked(workspace, async (disk) => {
      await changeState(disk, workspace, (state) => {
        was = state.pauseReason;
        return resumed(state);
      });
      disk.unlink(workspace.pause());
      return true;
    });
    if (done === null) throw busy();
    out(`resumed${was === null ? '' : ` (it was paused: ${was})`}. The next tick goes on\n`);
    return 0;
  },
};

export default command;

/** A person has seen what was wrong: what went wrong before is not counted again. */
function resumed(state: State): State {
  const wasPaused = state.paused || state.pauseReason !== null;
  const today = wasPaused ? { ...state.today, errorsInARow: 0 } : state.today;
  return { ...state, paused: false, pauseReason: null, waitingUntil: null, today };
}
