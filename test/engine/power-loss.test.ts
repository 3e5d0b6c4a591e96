import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { buildExplorer } from '../support/power-loss/build.ts';
import type { Explored } from '../support/power-loss/explore.ts';
import { planted } from '../support/power-loss/planted.ts';
import { folder } from '../support/workspace.ts';

const full = process.env.PAWL_FULL === '1';
/** Of each step: killed, cut strictly, cut with all names, and so many random and ordered subsets of what was not synced. */
const SEEDS = full ? 20 : 2;
const PROCESSES = 2;

const explore = async (script: string, ...args: (string | number)[]): Promise<Explored> => {
  const { stdout } = await promisify(execFile)('node', [script, ...args.map(String)]);
  return JSON.parse(stdout);
};

test('P1, A20-A24, case A4: at every step, in every way a machine can stop, nothing is lost, doubled or untold', {
  timeout: full ? 3_600_000 : 600_000,
}, async () => {
  const { root } = folder();
  const script = join(root, 'explore.mjs');
  await buildExplorer(script, null);
  const parts = await Promise.all(
    Array.from({ length: PROCESSES }, (_, part) => explore(script, SEEDS, part, PROCESSES)),
  );
  expect(parts.map(({ first }) => first)).toEqual(parts.map(() => null));
  expect(parts.reduce((sum, { states }) => sum + states, 0)).toBeGreaterThan(full ? 30_000 : 6_000);
});

describe.each(planted)('with a planted bug', (bug) => {
  test(`${bug.name}: the model turns red`, { timeout: 600_000 }, async () => {
    const { root } = folder();
    const script = join(root, 'planted.mjs');
    await buildExplorer(script, bug);
    const { bad, first } = await explore(script, 2, 0, 1, 'first');
    expect(first, 'no violation was found').not.toBeNull();
    expect(bad).toBe(1);
  });
});
