import { closeSync, openSync } from 'node:fs';
import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReaped } from '../core/liveness.ts';
import { PawlError } from '../errors.ts';
import type { Executor, Ticket } from '../executors/executor.ts';
import { readOwner } from '../store/batches.ts';
import { entry } from '../store/package.ts';
import { Workspace } from '../store/workspace.ts';
import { type Hands, standingOf } from './reap.ts';

const LOOK_MS = 5;
const TAKE_UP_MS = 10_000;
const GRACE_MS = 15_000;

/** Every local kind: one detached supervisor does the batch, outlives the tick, and hands over one result.json a run. */
export function localExecutor(hands: Hands): Pick<Executor, 'start' | 'poll' | 'stop'> {
  return {
    async start({ root, claim }) {
      if (readOwner(hands.disk, new Workspace(root), claim.batch) !== null) return;
      await launch(hands, root, claim.batch);
    },

    async poll({ root, claim }) {
      const how = standingOf(hands, new Workspace(root), claim);
      return { state: how === 'running' ? 'running' : how === 'reaped' ? 'ended' : 'lost' };
    },

    /** Ends the supervisor, which ends its workers and releases their runs before it goes. */
    async stop({ root, claim }: Ticket) {
      const owner = readOwner(hands.disk, new Workspace(root), claim.batch);
      if (owner === null || isReaped(owner)) return;
      if (!(await hands.processes.end(owner, GRACE_MS)))
        throw new PawlError('E_STILL_RUNNING', `the supervisor (process ${owner.pid}) could not be ended`);
    },
  };
}

/** Starts the supervisor and waits until it owns the batch or has ended. */
async function launch({ disk }: Hands, root: string, batch: number): Promise<void> {
  const workspace = new Workspace(root);
  const log = openSync(workspace.batch(batch, 'supervisor.log'), 'a');
  const { PAWL_RUN: _run, PAWL_ROOT: _root, ...env } = process.env;
  const { spawn } = await import('node:child_process');
  // It lives for as long as its batch: 60 MiB at most instead of 66, for a collection of garbage a little more often.
  const child = spawn(process.execPath, ['--max-semi-space-size=1', entry(), 'supervise', root, String(batch)], {
    cwd: root,
    detached: true,
    env,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  let ended = false;
  child.once('error', () => {
    ended = true;
  });
  child.once('exit', () => {
    ended = true;
  });
  for (let waited = 0; waited < TAKE_UP_MS && !ended; waited += LOOK_MS) {
    if (disk.stat(workspace.batch(batch, 'owner.json')) !== null) break;
    await sleep(LOOK_MS);
  }
  child.unref();
  if (ended && disk.stat(workspace.batch(batch, 'owner.json')) === null)
    throw new PawlError('E_LAUNCH', 'the supervisor could not start; its items are given back by the next tick', {
      at: relative(root, workspace.batch(batch, 'supervisor.log')),
    });
}
