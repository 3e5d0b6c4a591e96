import { progressBar } from '../cli/progress.ts';
import { realMachine } from '../engine/machine.ts';
import { readLoop } from '../engine/observe.ts';
import { type RunEnd, run } from '../engine/run.ts';
import { openSource } from '../sources/index.ts';
import { readState } from '../store/state-file.ts';
import type { Workspace } from '../store/workspace.ts';

/** Plain lines are for a log: a line now and then. */
const LINE_MS = 2000;

/** What one start came to. */
export interface Swept {
  end: RunEnd;
  /** Pages that got their mark meanwhile, and the milliseconds that took. */
  done: number;
  ms: number;
  total: number;
  left: number;
}

/** Runs the loop until nothing is left or it stops: with a bar on a terminal, with a line now and then elsewhere. */
export async function sweep(
  workspace: Workspace,
  { signal, isTerminal, out }: { signal: AbortSignal; isTerminal: boolean; out(text: string): void },
): Promise<Swept> {
  const before = await count(workspace);
  const bar = progressBar(isTerminal ? out : null);
  const line = isTerminal ? () => {} : lines(out, before.total);
  const { doneCount } = readState(realMachine.disk, workspace);
  const began = performance.now();
  bar.start(before);
  // What a killed start left behind is filed first, and counts from here.
  bar.filed(doneCount);
  const end = await run({
    workspace,
    everyMs: 0,
    // A cap or a pause is for a person to see, not to wait for.
    until: 'stopped',
    signal,
    ticked({ plan }) {
      bar.filed(plan?.state.doneCount ?? null);
      if (plan !== null && plan.file.length > 0) line(before.done + plan.state.doneCount - doneCount);
    },
    progress: (_, n) => bar.running(n),
  });
  bar.clear();
  const { done, total } = await count(workspace);
  return { end, done: done - before.done, ms: performance.now() - began, total, left: total - done };
}

function lines(out: (text: string) => void, total: number): (done: number) => void {
  let last = performance.now();
  return (done) => {
    if (performance.now() - last < LINE_MS) return;
    last = performance.now();
    out(`${done} of ${total} pages\n`);
  };
}

async function count(workspace: Workspace): Promise<{ done: number; total: number }> {
  const { disk } = realMachine;
  const { procedure } = readLoop(disk, workspace);
  const { done, total } = await (await openSource({ disk, workspace, procedure, keep: () => {} })).count();
  return { done, total: total ?? done };
}
