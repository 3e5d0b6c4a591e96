import { isatty } from 'node:tty';
import type { Claim } from '../core/model.ts';
import { realMachine } from '../engine/machine.ts';
import { readLoop } from '../engine/observe.ts';
import { type RunEnd, run } from '../engine/run.ts';
import type { TickReport } from '../engine/tick.ts';
import { PawlError } from '../errors.ts';
import { openSource } from '../sources/index.ts';
import { beat, print } from '../store/glance.ts';
import { readState } from '../store/state-file.ts';
import { Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { progressBar } from './progress.ts';
import { describe } from './tick.ts';

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000 };
const UNTIL = ['exhausted', 'stopped', 'never'] as const;

const command: Command = {
  summary: 'ticks in this process, for those who have no scheduler or want to watch',
  help: `
pawl run [--every 15m] [--until never|stopped|exhausted] [--quiet] [--dir <folder>]

  pawl run                              a tick every 15 minutes, for as long as it runs
  pawl run --every 0 --until exhausted  one slice after another, until nothing is left
  pawl run --until stopped              ends at the first stop: nothing left, the day's cap, a pause

Ctrl-C ends it: the running slice is given back, nothing is lost. Exit code 3 when the loop is paused.`,
  options: { every: { type: 'string' }, until: { type: 'string' }, quiet: { type: 'boolean' } },

  async run({ root, values, out, signal, signalled }) {
    const workspace = new Workspace(root());
    const everyMs = duration(String(values.every ?? '15m'));
    const until = UNTIL.find((each) => each === (values.until ?? 'never'));
    if (until === undefined)
      throw new PawlError('E_USAGE', `--until should be one of ${UNTIL.join(', ')}, got ${values.until}`);
    const quiet = values.quiet === true;
    const bar = progressBar(quiet || !isatty(1) ? null : (text) => print(1, text));
    bar.start(await count(workspace));
    bar.filed(readState(realMachine.disk, workspace).doneCount);

    const ticked = (report: TickReport) => {
      beat(workspace.jez, realMachine.clock.now().getTime());
      bar.clear();
      if (!quiet && report.did === 'acted') out(`${describe(report)}\n`);
      bar.filed(report.plan?.state.doneCount ?? null);
    };
    const end = await run({
      workspace,
      everyMs,
      until,
      signal,
      ticked,
      progress: (_: Claim, n: number) => bar.running(n),
    });
    bar.clear();
    if (!quiet) out(`${ENDS[end]}\n`);
    return signalled() || (end === 'paused' ? 3 : 0);
  },
};

export default command;

const ENDS: Record<RunEnd, string> = {
  exhausted: 'nothing left to do',
  stopped: 'stopped; see: pawl status',
  paused: 'paused; see: pawl status, then: pawl resume',
  signal: 'ended; the same command goes on where it was',
};

/** `15m`, `90s`, `2h`, `0`. @throws PawlError `E_USAGE`. */
export function duration(text: string): number {
  if (text === '0') return 0;
  const match = /^(\d{1,6})(s|m|h)$/.exec(text);
  const ms = Number(match?.[1] ?? 0) * (UNITS[match?.[2] ?? ''] ?? 0);
  if (ms >= 60_000) return ms;
  throw new PawlError(
    'E_USAGE',
    `--every should be 0, or a minute or more such as 15m or 2h, got ${JSON.stringify(text)}`,
  );
}

async function count(workspace: Workspace): Promise<{ done: number; total: number | null }> {
  const { disk } = realMachine;
  const { procedure } = readLoop(disk, workspace);
  return (await openSource({ disk, workspace, procedure, keep: () => {} })).count();
}
