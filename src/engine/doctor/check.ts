import type { State } from '../../core/model.ts';
import type { PawlError } from '../../errors.ts';
import type { Workspace } from '../../store/workspace.ts';
import type { Machine } from '../machine.ts';
import type { readLoop } from '../observe.ts';

/** What the checks look at. What could not be read is its error. */
interface Patient {
  machine: Machine;
  workspace: Workspace;
  state: State | PawlError;
  loop: ReturnType<typeof readLoop> | PawlError;
}

/** `fail`: the loop can't work, or not as it says. `warn`: it works, and a person should know. */
export interface Finding {
  level: 'ok' | 'warn' | 'fail';
  what: string;
  /** A file, as exactly as can be said. */
  where?: string;
  mend?: string;
}

/**
 * One thing that `pawl doctor` looks at. It changes nothing but `.jez/cache`.
 *
 * [] = does not apply, or is told by another check.
 */
export interface Check {
  name: string;
  look(patient: Patient): Finding | Finding[] | Promise<Finding | Finding[]>;
}

export const ok = (what: string): Finding => ({ level: 'ok', what });
