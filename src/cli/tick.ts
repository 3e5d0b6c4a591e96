import { realMachine } from '../engine/machine.ts';
import { dryRun, type TickReport, tick } from '../engine/tick.ts';
import { waitForBatch } from '../engine/wait.ts';
import { beat, say } from '../store/glance.ts';
import { Workspace } from '../store/workspace.ts';
import type { Call, Command } from './command.ts';

const command: Command = {
  summary: 'one heartbeat: files what ended, then starts the next slice; what cron runs',
  help: `
pawl tick [--wait] [--dry-run] [--json] [--dir <folder>]

  pawl tick              what cron runs every 15 minutes; prints nothing unless a person looks on
  pawl tick --wait       stay until the slice is done, and file it
  pawl tick --dry-run    print what the next tick would do, and change nothing

Exit code: 0 done or nothing to do, 2 refused (a file can't be read), 3 this tick paused the loop, 130 and 143 on signals.`,
  options: { wait: { type: 'boolean' }, 'dry-run': { type: 'boolean' }, json: { type: 'boolean' } },

  async run(call) {
    const workspace = new Workspace(call.root());
    if (call.values['dry-run'] === true) return printPlan(call, workspace);
    beat(workspace.jez, realMachine.clock.now().getTime());
    let report = await tick({ workspace, signal: call.signal });
    show(call, report);
    if (call.values.wait === true && report.launched !== null) {
      await waitForBatch(realMachine, workspace, report.launched, call.signal);
      report = await tick({ workspace, collectOnly: true });
      show(call, report);
    }
    return call.signalled() || (report.plan?.stop?.pauses === true ? 3 : 0);
  },
};

export default command;

function show({ values, out }: Call, report: TickReport): void {
  if (values.json === true) out(`${JSON.stringify({ v: 1, ...report })}\n`);
  else say(describe(report));
}

/** One line for a person: what a tick came to. */
export function describe({ did, plan, launched }: TickReport): string {
  if (did === 'paused') return 'paused: nothing moves until `pawl resume`';
  if (did === 'busy') return 'another tick is at work';
  if (did === 'running') return 'a batch is running';
  const lines = plan?.entry?.split('\n').filter((line) => !line.startsWith('<!--') && line !== '') ?? [];
  if (lines.length > 0) return lines.join('\n');
  if (launched !== null) return `claimed ${launched.runs.length}`;
  return plan?.stop?.reason ?? 'nothing to do';
}

/** What the entry of a tick that starts nothing would say: the first one only looks. */
const tellings = (entry: string | null): string[] =>
  (entry ?? '').split('\n').flatMap((line) => (line.startsWith('- ') ? [`would tell: ${line.slice(2)}`] : []));

async function printPlan({ values, out }: Call, workspace: Workspace): Promise<number> {
  const plan = await dryRun(workspace);
  if (values.json === true) {
    out(`${JSON.stringify({ v: 1, plan }, null, 2)}\n`);
    return 0;
  }
  const { claim, stop, file, state, changes } = plan;
  const running = claim === null ? state.inFlight.map(({ item }) => item) : [];
  out(
    [
      `tick ${plan.tick}, ${plan.day}`,
      ...file.map(({ item, run }) => `would file ${item} (run ${run})`),
      ...changes.map((line) => `would change: ${line}`),
      ...(claim?.runs ?? []).map(({ item, attempt }) => `would start ${item} (try ${attempt})`),
      ...(running.length > 0 ? [`running: ${running.join(', ')}`] : []),
      ...(stop === null ? [] : [`would stop: ${stop.reason}`]),
      ...(claim === null && stop === null && changes.length === 0 ? tellings(plan.entry) : []),
      `version ${plan.version}`,
    ]
      .join('\n')
      .concat('\n'),
  );
  return 0;
}
