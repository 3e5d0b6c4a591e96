import { PawlError } from '../../errors.ts';
import { readState } from '../../store/state-file.ts';
import type { Workspace } from '../../store/workspace.ts';
import { type Machine, realMachine } from '../machine.ts';
import { readLoop } from '../observe.ts';
import type { Check, Finding } from './check.ts';
import {
  boundary,
  check,
  contract,
  git,
  ignores,
  loop,
  misplaced,
  state,
  timezone,
  unknownKeys,
} from './file-checks.ts';
import { links, node, space } from './machine-checks.ts';
import { rules } from './rule-checks.ts';
import { schedule } from './schedule-checks.ts';
import { supervisor } from './supervisor-check.ts';
import { clock, executor, items, leftovers, lock } from './work-checks.ts';

/** One line per check, in the order they are shown. */
const checks: readonly Check[] = [
  ...[node, links, space],
  ...[state, misplaced, loop, unknownKeys, boundary, timezone, contract, rules],
  ...[items, executor, check],
  ...[ignores, git, lock, leftovers, clock, schedule],
];

/** Those that take seconds, or start something: only when asked for. */
const deepChecks: readonly Check[] = [supervisor];

/** A finding with the name of its check. */
export interface Row extends Finding {
  name: string;
}

/** Looks at everything a loop stands on. Changes nothing but `.jez/cache`. */
export async function examine(
  workspace: Workspace,
  { machine = realMachine, deep = false }: { machine?: Machine; deep?: boolean } = {},
): Promise<Row[]> {
  const { disk } = machine;
  const patient = {
    ...{ machine, workspace },
    state: orError(() => readState(disk, workspace)),
    loop: orError(() => readLoop(disk, workspace)),
  };
  const rows: Row[] = [];
  for (const { name, look } of deep ? [...checks, ...deepChecks] : checks) {
    const found = await (async () => look(patient))().catch(refused);
    rows.push(...[found].flat().map((finding) => ({ name, ...finding })));
  }
  return rows;
}

function orError<T>(read: () => T): T | PawlError {
  try {
    return read();
  } catch (error) {
    if (error instanceof PawlError) return error;
    throw error;
  }
}

/** One check that can't look must not hide the others. */
function refused(error: unknown): Finding {
  if (!(error instanceof PawlError)) throw error;
  return { level: 'fail', what: error.message, mend: 'correct what it names' };
}
