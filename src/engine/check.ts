import type { ErrorClass } from '../core/model.ts';
import { cut, oneLine } from '../core/text.ts';
import type { Job } from '../executors/executor.ts';
import { program, workerEnvironment } from '../store/program.ts';
import { runProgram } from '../store/spawn.ts';
import { number } from '../store/workspace.ts';
import { toJson } from '../store/write.ts';
import type { Attempt } from './attempt.ts';

const GRACE_MS = 10_000;
const KEPT = 64 * 1024;

/**
 * Runs the person's own check in the scratch folder: exit 0 = it worked. What it printed is the evidence, kept in check.json.
 *
 * @returns null when it passed; class `item` when it said no, `tool` when the check itself could not run.
 */
export async function runCheck(
  { hands, workspace, claim, run, signal, group }: Attempt,
  check: readonly string[],
  job: Job,
): Promise<{ class: Extract<ErrorClass, 'item' | 'tool'>; message: string } | null> {
  const printed: string[] = [];
  let size = 0;
  const own = { PAWL_RUN: number(run.run), PAWL_ROOT: workspace.root };
  const argv = program(check, workspace.root, hands.disk);
  const ended = await runProgram({
    argv,
    cwd: job.scratch,
    environment: workerEnvironment(process.env, claim.settings.executor.env, own),
    input: '',
    wallMs: job.limits.wallMs,
    silenceMs: null,
    graceMs: GRACE_MS,
    signal,
    group,
    line(_from, { text }) {
      size += text.length + 1;
      if (size <= KEPT) printed.push(text);
    },
  });
  const output = printed.join('\n');
  const { code, signal: killed, why } = ended;
  hands.disk.create(
    workspace.run(run.run, run.item, 'check.json'),
    toJson({ v: 1, argv, code, signal: killed, why, output }),
  );
  if (why === 'could-not-start')
    return { class: 'tool', message: `the check could not start: ${ended.error ?? check[0]}` };
  if (why === 'ended' && code === 0) return null;
  const first = printed.find((line) => line.trim() !== '') ?? 'it printed nothing';
  const how = why === 'ended' ? (killed === null ? `exit ${code}` : `ended by ${killed}`) : why;
  return { class: 'item', message: `${check.join(' ')} ${how}: ${cut(oneLine(first), 200)}` };
}
