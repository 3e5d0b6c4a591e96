import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseState } from '../../src/formats/state.ts';
import { failing, type Step, stepsIn } from '../support/failpoint.ts';
import { faults, paidRuns } from '../support/loop-faults.ts';
import { copyLoop, driveOn, each, home, pawl, removeLoop, spread, supervisorsEnded } from '../support/real-loop.ts';
import { launcherFaults, type Stage, scenes, stage } from '../support/scenes.ts';

const full = process.env.PAWL_FULL === '1';
/** Points of each kind and scene in an ordinary run; the full one takes them all. */
const SOME = full ? Number.POSITIVE_INFINITY : 3;
const LIMIT = { timeout: full ? 3_600_000 : 300_000 };

const at = home();

describe.each(scenes)('SIGKILL of $name', (scene) => {
  const { who, done } = scene;
  let set: Stage;

  beforeAll(async () => {
    set = await stage(at, scene);
  });

  /** Files of versions that its tick made. */
  const made = ({ steps }: Stage) =>
    steps.flatMap(({ kind, path = '' }) =>
      kind === 'link' && path.startsWith('.jez/versions/') ? [path.slice(14)] : [],
    );

  /** @returns what is broken after a kill at one step. */
  async function killedAt({ step = 0, kind, path }: Step, half: boolean): Promise<string[]> {
    const root = copyLoop(set.start, `${set.start}-${half ? 'in' : 'at'}-${step}`);
    const log = `${root}.log`;
    const ended = await pawl(root, ['tick'], failing({ who: [who], root, log, at: step, do: 'kill', half }));
    await supervisorsEnded(root);
    const bad = who === 'supervise' ? launcherFaults(root, ended) : [];
    if (who === 'tick' && ended.signal !== 'SIGKILL') bad.push(`it ended with ${ended.code}: ${ended.error}`);
    const made = stepsIn(log);
    const isThere = made.filter((line) => line.step !== undefined).length === step;
    if (!isThere || half !== made.some(({ failed }) => failed === 'half')) bad.push('it was killed somewhere else');
    parseState(readFileSync(`${root}/.jez/state.md`), 'state.md');
    const paid = paidRuns(root);
    bad.push(...(await driveOn(root)), ...faults(root, { ...scene, done, crashes: 1, paid }));
    if (bad.length === 0) removeLoop(root);
    return bad.map((what) => `${half ? 'in' : 'before'} ${step} ${kind} ${path}: ${what}`);
  }

  test('without a kill everything is done, so that what follows means something', async () => {
    expect(set.steps.length).toBeGreaterThan(30);
    expect(made(set)).toEqual(scene.versions ?? []);
    expect(await driveOn(set.clean)).toEqual([]);
    expect(faults(set.clean, { ...scene, crashes: 0 })).toEqual([]);
  });

  test('A20-A24, case A7: before a durable write, nothing is lost, doubled or untold', LIMIT, async () => {
    const isPublic = ({ kind }: Step) => ['append', 'link', 'rename'].includes(kind ?? '');
    const others = set.steps.filter((step) => !isPublic(step));
    const points = [...spread(set.steps.filter(isPublic), SOME * 3), ...spread(others, SOME)];
    expect((await each(points, (step) => killedAt(step, false))).flat()).toEqual([]);
  });

  test('in the middle of a write, nothing is lost, doubled or untold', LIMIT, async () => {
    const of = (wanted: string) => set.steps.filter(({ kind }) => kind === wanted);
    const points = [...spread(of('append'), SOME), ...spread(of('create'), SOME)];
    expect((await each(points, (step) => killedAt(step, true))).flat()).toEqual([]);
  });
});
