import { readFileSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseState } from '../../src/formats/state.ts';
import { type Edits, failing, type Step, stepsIn } from '../support/failpoint.ts';
import { callsOf, faults } from '../support/loop-faults.ts';
import {
  copyLoop,
  driveOn,
  each,
  home,
  ITEMS,
  pawl,
  removeLoop,
  spread,
  supervisorsEnded,
} from '../support/real-loop.ts';
import { type Scene, type Stage, scenes, stage } from '../support/scenes.ts';

const full = process.env.PAWL_FULL === '1';
const here = home();
const LIMIT = { timeout: full ? 3_600_000 : 300_000 };

/** Steps between two edits of a run; each run begins one of these later, so that all of them together meet every step. */
const EVERY = 40;
const RUNS = full ? EVERY : 14;

const line = (file: string, after: string, how: 'rename' | 'in-place') => ({
  ...{ file, find: `^${after}$`, put: `${after}\nline %`, how },
});
const [DELETE, VETO] = [7, 8];
const edits: Edits['list'] = [
  line('.jez/state.md', 'Notes of a person.', 'rename'),
  { file: '.jez/loop.md', find: '^timezone:', put: '# comment %\ntimezone:', how: 'in-place' },
  line('.jez/state.md', 'Notes of a person.', 'in-place'),
  line('items/b.md', 'Text of b.', 'rename'),
  { file: '.jez/state.md', find: '^tick:', put: '# comment %\ntick:', how: 'rename' },
  line('items/d.md', 'Text of d.', 'in-place'),
  line('items/f.md', 'Text of f.', 'rename'),
  { file: '.jez/state.md', find: '^ *- \\{ id: L\\d+, .*"Remember b." *\\}\n', put: '', how: 'rename' },
  { file: '.jez/state.md', find: '"Remember d." *\\}', put: '"Remember d.", veto: true }', how: 'in-place' },
  { file: '.jez/loop.md', find: '^slice: 1$', put: 'slice: 2', how: 'rename' },
];

describe('a person edits while a loop runs', () => {
  let placed = 0;

  /** @returns what was lost. */
  async function edited(first: number): Promise<string[]> {
    const root = here.make(`edits-${first}`, { items: 6, slice: 1 });
    const log = `${root}.log`;
    const point = { who: ['run' as const], root, log, edit: { first, every: EVERY, most: 1_000, list: edits } };
    const { code, error } = await pawl(
      root,
      ['run', '--every', '0', '--until', 'exhausted', '--quiet'],
      failing(point),
    );
    const told = stepsIn(log);
    const made = told.filter((step) => step.edited !== undefined);
    placed += made.length;
    const bad = code === 0 && error === '' ? [] : [`it ended with ${code}: ${error}`];
    const read = (file: string) => readFileSync(`${root}/${file}`, 'utf8');
    for (const { edited: file = '', entry = 0, mine = '' } of made)
      if (edits[entry]?.put.includes('%') && !read(file).includes(` ${mine}\n`))
        bad.push(`${mine} is gone from ${file}`);
    bad.push(...blindly(told));
    const isMade = (index: number) => made.some(({ entry }) => entry === index);
    const state = parseState(Buffer.from(read('.jez/state.md')), 'state.md');
    const vetoed = state.queuedLearnings.filter(({ veto }) => veto).map(({ rule }) => rule);
    if (isMade(VETO) && vetoed.join() !== 'Remember d.') bad.push('the veto is gone');
    if (isMade(edits.length - 1) && !read('.jez/loop.md').includes('slice: 2')) bad.push('the slice is as before');
    bad.push(...faults(root, { done: ITEMS, crashes: 0, struck: isMade(DELETE) ? ['b'] : [] }));
    if (bad.length === 0) removeLoop(root);
    return bad.map((what) => `from step ${first}: ${what}`);
  }

  test('D10, A46: at every step but in the gap, no edit of state.md, loop.md or an item is lost', LIMIT, async () => {
    const firsts = Array.from({ length: RUNS }, (_, index) => 1 + Math.round((index * EVERY) / RUNS));
    expect((await each(firsts, edited)).flat()).toEqual([]);
    expect(placed).toBeGreaterThan(RUNS * 30);
  });
});

/** Files of people are replaced only right after a look at them, state.md at most once a tick. @returns what was not. */
function blindly(told: Step[]): string[] {
  const replaced = told.flatMap(({ kind, path = '' }) => (kind === 'rename' && isPeoples(path) ? [path] : []));
  const gaps = told.flatMap(({ gap }) => (gap === undefined ? [] : [gap]));
  const ticks = told.filter(({ kind, path }) => kind === 'link' && path?.startsWith('.jez/ticks/')).length;
  const states = gaps.filter((path) => path === '.jez/state.md').length;
  return [
    ...(replaced.join() === gaps.join() ? [] : [`replaced ${replaced.join()}, but looked at ${gaps.join()}`]),
    ...(states > 0 && states <= ticks ? [] : [`state.md was replaced ${states} times in ${ticks} ticks`]),
  ];
}

const isPeoples = (path: string) => !/^\.jez\/(batches|runs|ticks|cache|history|lock)\//.test(path);

describe('a person pauses while a tick files and claims', () => {
  const scene = scenes[1] as Scene;
  let set: Stage;
  let last: number;

  const pausing = (root: string, first: number) => {
    const how = first % 2 === 0 ? ('rename' as const) : ('in-place' as const);
    const list = [{ file: '.jez/state.md', find: '^paused: false', put: 'paused: true', how }];
    return failing({ who: ['tick'], root, log: `${root}.log`, edit: { first, every: 1, most: 1, list } });
  };

  beforeAll(async () => {
    set = await stage(here, scene);
    const root = copyLoop(set.start, `${set.start}-steps`);
    await pawl(root, ['tick'], pausing(root, 1_000_000));
    await supervisorsEnded(root);
    last = stepsIn(`${root}.log`).find(({ kind }) => kind === 'open')?.step ?? 0;
  });

  async function pausedAt(step: number): Promise<string[]> {
    const root = copyLoop(set.start, `${set.start}-pause-${step}`);
    const path = `${root}/.jez/state.md`;
    const { code, error } = await pawl(root, ['tick'], pausing(root, step));
    await supervisorsEnded(root);
    const bad = code === 0 && error === '' ? [] : [`it ended with ${code}: ${error}`];
    if (!parseState(readFileSync(path), 'state.md').paused) bad.push('it is not paused');
    if (callsOf(root).length !== 2) bad.push('something was started after the pause');
    writeFileSync(path, readFileSync(path, 'utf8').replace('paused: true', 'paused: false'));
    bad.push(...(await driveOn(root)), ...faults(root, { done: scene.done, crashes: 0 }));
    if (bad.length === 0) removeLoop(root);
    return bad.map((what) => `paused at step ${step}: ${what}`);
  }

  test('A46: at every step up to the launch, nothing is started and it stays paused', LIMIT, async () => {
    expect(last).toBeGreaterThan(100);
    const steps = Array.from({ length: last }, (_, index) => index + 1);
    expect((await each(spread(steps, full ? last : 16), pausedAt)).flat()).toEqual([]);
  });
});
