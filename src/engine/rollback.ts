import { planRollback } from '../core/rollback-to.ts';
import type { Plan } from '../core/world.ts';
import { PawlError } from '../errors.ts';
import type { Disk } from '../store/disk.ts';
import { keeper } from '../store/history.ts';
import { readVersions } from '../store/versions.ts';
import type { Workspace } from '../store/workspace.ts';
import { commit } from './commit.ts';
import type { Machine } from './machine.ts';
import { observe } from './observe.ts';
import { recover } from './recover.ts';

/**
 * Puts an earlier version back, as a person asked. To be called under the lock; a batch that runs goes on under the version it began with.
 *
 * It has a number, a record and an entry of its own, like a tick: killed anywhere, the next tick finishes and tells it.
 * @throws PawlError `E_REFUSED` when there is no such version, or none to go back to.
 */
export async function rollbackTo(
  machine: Machine,
  workspace: Workspace,
  under: { disk: Disk; generation: number },
  target: number,
): Promise<Plan> {
  const { disk, generation } = under;
  await recover({ ...machine, disk }, workspace);
  let keepOld: (path: string) => void = () => {};
  const keep = (path: string) => keepOld(path);
  const { world: seen, source } = await observe({ machine, workspace, disk, generation, collectOnly: true, keep });
  const world = { ...seen, versions: readVersions(disk, workspace, true) };
  keepOld = keeper(disk, workspace, world.tick);
  const plan = planRollback(world, target);
  if ('why' in plan) throw new PawlError('E_REFUSED', plan.why);
  await commit({ disk, workspace, source, world, plan, keep });
  return plan;
}
