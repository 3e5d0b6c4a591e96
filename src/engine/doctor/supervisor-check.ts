import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReaped } from '../../core/liveness.ts';
import { cronCommand } from '../../core/schedule/cron.ts';
import { CRON_PATH } from '../../core/schedule/job.ts';
import { oneLine } from '../../core/text.ts';
import { readBatches, readOwner } from '../../store/batches.ts';
import { runAsCron } from '../../store/cron.ts';
import { number, Workspace } from '../../store/workspace.ts';
import type { Machine } from '../machine.ts';
import { jobOf } from '../schedule.ts';
import { type Check, type Finding, ok } from './check.ts';

const LIVES_MS = 5_000;
const TICK_MS = 60_000;
const GRACE_MS = 5_000;

/** One item, and a worker that does nothing for longer than is looked on. */
const FILES = {
  'items/one.md': '# one\n',
  '.jez/state.md': '---\npaused: false\n---\n',
  '.jez/loop.md': `---
cohort: one item
done_when: never
source: { kind: folder, path: "items/*.md", mark: { field: checked } }
executor: { kind: command, run: [sleep, "60"] }
caps: { items_per_day: 1 }
timezone: UTC
learn: { mode: off }
---
## Boundary
none
`,
};

/** Whether a batch lives on when the tick that started it has ended, tried in a folder that is removed again. */
export const supervisor: Check = {
  name: 'supervisor',
  async look({ machine }) {
    if (process.platform === 'win32') return [];
    const root = mkdtempSync(join(tmpdir(), 'pawl-doctor-'));
    try {
      for (const [path, text] of Object.entries(FILES)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
      }
      return await trial(machine, root);
    } finally {
      await end(machine, new Workspace(root));
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
    }
  },
};

async function trial(machine: Machine, root: string): Promise<Finding> {
  const command = cronCommand(jobOf(root, 0));
  // The first tick of a loop only looks.
  for (const which of ['first', 'second']) {
    const { code, error } = await runAsCron(command, CRON_PATH, TICK_MS);
    if (code !== 0)
      return lost(`the ${which} tick of a trial, run as cron would, ended with ${code}: ${oneLine(error)}`);
  }
  const workspace = new Workspace(root);
  const lives = () => ownersOf(machine, workspace).some((owner) => machine.processes.look(owner) === 'alive');
  if (ownersOf(machine, workspace).length === 0) return lost('a tick run as cron would started no batch');
  if (lives()) await sleep(LIVES_MS);
  if (lives()) return ok(`a batch lives on ${LIVES_MS / 1000} s after its tick, run as cron would`);
  return lost('a batch was ended together with the tick that had started it');
}

function ownersOf({ disk }: Pick<Machine, 'disk'>, workspace: Workspace) {
  return readBatches(disk, workspace).open.flatMap(({ batch }) => {
    const owner = readOwner(disk, workspace, batch);
    return owner === null || isReaped(owner) ? [] : [owner];
  });
}

async function end({ disk, processes }: Machine, workspace: Workspace): Promise<void> {
  for (const owner of ownersOf({ disk }, workspace)) await processes.end(owner, GRACE_MS);
  for (const { runs } of readBatches(disk, workspace).open)
    for (const { run } of runs) await processes.endRun(number(run), workspace.root, GRACE_MS);
}

const lost = (what: string): Finding => ({
  ...{ level: 'fail', what },
  mend: 'what starts the tick ends its processes: let it run `pawl tick --wait`, as the units of `pawl schedule print systemd` do',
});
