import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { PAWL } from '../support/loop.ts';
import { folder } from '../support/workspace.ts';

// A supervisor that can't work must not make a loop that claims and gives back for ever.

const LOOP = `---
cohort: pages
done_when: all are checked
source: { kind: folder, path: "items/*.md", mark: { field: checked } }
executor: { kind: command, run: [./worker.sh] }
timezone: UTC
---
## Boundary
none
`;

/** Kills the supervisor at once, or when it owns its batch: `linkSync` is how it makes owner.json. */
const KILLER = `
const fs = require('node:fs');
if (process.argv[2] === 'supervise') {
  if (process.env.DIE === 'at once') process.exit(9);
  const link = fs.linkSync;
  fs.linkSync = (from, to) => {
    link(from, to);
    if (to.endsWith('owner.json')) process.kill(process.pid, 'SIGKILL');
  };
  require('node:module').syncBuiltinESMExports();
}
`;

function broken(die: string) {
  const at = folder({
    ...{ '.jez/loop.md': LOOP, '.jez/state.md': '---\npaused: false\n---\n', 'killer.cjs': KILLER },
    ...{ 'worker.sh': '#!/bin/sh\n', 'items/a.md': 'a', 'items/b.md': 'b' },
  });
  const tick = (now: string) =>
    new Promise<{ code: number; error: string }>((resolve) => {
      const env = { ...process.env, NODE_OPTIONS: `--require ${at.path('killer.cjs')}`, DIE: die, PAWL_NOW: now };
      const child = execFile(process.execPath, [PAWL, 'tick', '--dir', at.root], { env }, (_, __, error) =>
        resolve({ code: child.exitCode ?? -1, error }),
      );
    });
  const log = () => at.read('.jez/reflections/2026-06-09.md');
  return { at, tick, log };
}

test('a supervisor that ends before it owns its batch: the tick says so and exits 2, and nothing is charged', async () => {
  const { at, tick, log } = broken('at once');
  expect(await tick('2026-06-09T08:00:00Z')).toEqual({ code: 0, error: '' });
  const { code, error } = await tick('2026-06-09T08:15:00Z');
  expect(code).toBe(2);
  expect(error).toMatch(/^pawl: \.jez\/batches\/0001\/supervisor\.log: the supervisor could not start[^\n]+\n$/);
  await tick('2026-06-09T08:30:00Z');
  expect(log()).toContain('- released 2, it was never started: items/a.md, items/b.md');
  expect(at.read('items/a.md')).toBe('a');
});

test('case D3: one that dies whenever it starts is told, rested on, and paused after three errors in a row', async () => {
  const { at, tick, log } = broken('owning');
  // Each second batch in a row that starts nothing is an error, and brings a rest of a quarter of an hour.
  for (let hour = 8; hour < 18; hour += 1) await tick(`2026-06-09T${String(hour).padStart(2, '0')}:00:00Z`);
  expect(log()).toContain('nothing was started, twice in a row: supervisor.log in .jez/batches says why');
  expect(at.read('.jez/state.md')).toMatch(/^paused: true$/m);
  expect(at.read('.jez/state.md')).toMatch(/pause_reason: .*3 errors in a row/);
  const told = log();
  await tick('2026-06-09T20:00:00Z');
  expect(log()).toBe(told);
});
