import type { Executor } from '../executors/executor.ts';
import { type Clock, realClock } from '../store/clock.ts';
import { type Disk, realDisk } from '../store/disk.ts';
import { type Processes, realProcesses } from '../store/process.ts';
import { localExecutor } from './local-executor.ts';

/** What the engine stands on; the power-loss model in the tests is another one. */
export interface Machine {
  disk: Disk;
  clock: Clock;
  processes: Processes;
  /** Whether proper-lockfile stands in front of the generation chain. */
  gate: boolean;
  executor: Pick<Executor, 'start' | 'poll' | 'stop'>;
}

const real = { disk: realDisk, clock: realClock, processes: realProcesses };

export const realMachine: Machine = { ...real, gate: true, executor: localExecutor(real) };
