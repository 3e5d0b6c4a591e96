import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { ProcessId } from '../../src/core/model.ts';
import { realProcesses } from '../../src/store/process.ts';
import { see } from '../../src/store/process-table.ts';

/** Starts a shell in its own process group, which is ended after the test. */
export function shell(script: string, options: SpawnOptions = {}): ChildProcess & { pid: number } {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: ['ignore', 'pipe', 'inherit'], ...options });
  const { pid } = child;
  if (pid === undefined) throw new Error('sh did not start');
  onTestFinished(() => realProcesses.endGroup(pid, 0).then(() => undefined));
  return Object.assign(child, { pid });
}

/** The first `count` lines a process prints, as numbers: pids it tells. */
export async function numbersFrom(child: ChildProcess, count: number): Promise<number[]> {
  if (child.stdout === null) throw new Error('this process has no output to read');
  const numbers: number[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    if (numbers.push(Number(line)) === count) return numbers;
  }
  throw new Error(`it ended after ${numbers.length} lines`);
}

/** The identity a process would write down of itself. */
export const idOf = (pid: number): ProcessId => ({ ...realProcesses.self(), pid, start: see(pid)?.start ?? null });

/** Waits for something that is bound to happen; the test's own limit is the only clock. */
export async function eventually(happened: () => boolean): Promise<void> {
  while (!happened()) await sleep(5);
}
