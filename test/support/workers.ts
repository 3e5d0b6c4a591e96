import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import type { Order } from './lock-worker.ts';

export interface Worker {
  child: ChildProcess;
  ask(order: Order): Promise<unknown>;
  signal(name: NodeJS.Signals): void;
  /** Resolves once it has ended and been reaped. */
  ended: Promise<unknown>;
}

/** Builds the lock's worker before the tests of a file; the processes started are ended after them. */
export function lockWorkers(): (count: number) => Worker[] {
  const home = mkdtempSync(join(tmpdir(), 'pawl-workers-'));
  const script = join(home, 'lock-worker.cjs');
  const started: ChildProcess[] = [];

  beforeAll(async () => {
    await build({
      entryPoints: [join(import.meta.dirname, 'lock-worker.ts')],
      outfile: script,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
    });
  });

  afterAll(() => {
    for (const child of started) child.kill('SIGKILL');
    rmSync(home, { recursive: true, force: true });
  });

  return (count) =>
    Array.from({ length: count }, () => {
      const child = fork(script);
      started.push(child);
      return worker(child);
    });
}

function worker(child: ChildProcess): Worker {
  const ended = once(child, 'exit');
  return {
    child,
    ended,
    signal: (name) => void child.kill(name),
    async ask(order) {
      const answer = once(child, 'message');
      child.send(order);
      const died = ended.then(() => Promise.reject(new Error(`the worker ended instead of answering ${order.do}`)));
      const [message] = (await Promise.race([answer, died])) as [{ answer: unknown }];
      return message.answer;
    },
  };
}
