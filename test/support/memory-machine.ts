import type { Machine } from '../../src/engine/machine.ts';
import { supervise } from '../../src/engine/supervise.ts';
import type { Worker } from '../../src/executors/executor.ts';
import { openSource } from '../../src/sources/index.ts';
import { type SealFile, stampOf } from '../../src/store/seal.ts';
import { Workspace } from '../../src/store/workspace.ts';
import type { MemoryDisk } from './memory-disk.ts';

/** A machine in memory that has been up since `booted`, ms, and works on each batch before its tick returns. */
export function memoryMachine(disk: MemoryDisk, booted: number, now: () => number, worker: Worker): Machine {
  const self = { pid: 1, start: '1', boot: 'b', namespace: 'n', host: 'h' };
  const clock = { now: () => new Date(now()), uptime: () => (now() - booted) / 1000, bootId: () => 'b' };
  const processes: Machine['processes'] = {
    self: () => self,
    identify: () => self,
    look: () => 'alive',
    end: async () => true,
    endGroup: async () => true,
    present: () => new Set(),
    findRun: () => [],
    endRun: async () => true,
  };
  const hands = { disk, clock, processes };
  const executor: Machine['executor'] = {
    async start({ root, claim }) {
      const workspace = new Workspace(root);
      const source = await openSource({
        disk,
        workspace,
        procedure: { source: claim.settings.source },
        keep: () => {},
      });
      await supervise({ hands, workspace, claim, worker, source, signal: new AbortController().signal });
    },
    poll: async () => ({ state: 'ended' }),
    stop: async () => {},
  };
  return { ...hands, gate: false, executor };
}

/** What the command looks at before it loads anything: nothing to do until then, and nobody has touched a thing. */
export function isSealed(disk: MemoryDisk, workspace: Workspace, now: number): boolean {
  const seal = JSON.parse(disk.text(workspace.cache('seal.json')) || 'null') as SealFile | null;
  if (seal === null || Date.parse(seal.until) <= now) return false;
  return seal.stamps.every(([file, stamp]) => stampOf(disk.stat(file)) === stamp);
}
