import { PawlError } from '../errors.ts';
import { parseLoop } from '../formats/loop.ts';
import { type Setting, setSetting, takeSettings } from '../formats/settings.ts';
import type { Disk } from '../store/disk.ts';
import type { Workspace } from '../store/workspace.ts';
import { putIfUnchanged } from '../store/write.ts';
import { KNOWN, LOOP, STATE } from './init.ts';

/**
 * Moves settings out of state.md, where they never counted, into loop.md. loop.md first: killed in between, both say the same.
 *
 * @returns what was moved. @throws PawlError `E_FORMAT` or `E_CHANGED`; then nothing is lost.
 */
export function moveCaps(disk: Disk, workspace: Workspace): Setting[] {
  const [state, loop] = [disk.read(workspace.state()), disk.read(workspace.loop())];
  if (state === null || loop === null) return [];
  const { bytes, taken } = takeSettings(state, STATE);
  if (taken.length === 0) return [];
  const text = taken.reduce((before, setting) => {
    const after = setSetting(before, LOOP, setting);
    if (after !== null) return after;
    throw new PawlError('E_FORMAT', `there is no ${setting.name} to put ${setting.value} in: add that line first`, {
      at: LOOP,
    });
  }, loop.toString('utf8'));
  parseLoop(Buffer.from(text), LOOP, KNOWN);
  if (!putIfUnchanged(disk, workspace.loop(), loop, text) || !putIfUnchanged(disk, workspace.state(), state, bytes))
    throw new PawlError('E_CHANGED', 'somebody wrote to these files meanwhile; try again', { at: STATE });
  return taken;
}
