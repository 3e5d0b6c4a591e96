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
const [CONTRACT, LOOP, STATE] = ['.jez/contract.md', '.jez/loop.md', '.jez/state.md'];
const END = '<!-- pawl:rules:end -->';
const edits: Edits['list'] = [
  line('.jez/state.md', 'Notes of a person.', 'rename'),
  { file: '.jez/loop.md', find: '^timezone:', put: '# comment %\ntimezone:', how: 'in-place' },
  line('.jez/state.md', 'Notes of a person.', 'in-place'),
  line('items/b.md', 'Text of b.', 'rename'),
  { file: '.jez/state.md', find: '^tick:', put: '# comment %\ntick:', how: 'rename' },
  line('items/d.md', 'Text of d.', 'in-place'),
  line('items/f.md', 'Text of f.', 'rename'),
  { file: '.jez/loop.md', find: '^slice: 1$', put: 'slice: 2', how: 'rename' },
  ...ofRules('c', 'b', 'd'),
];

/** What a person does to the rules: text and lines of their own, a rule taken out, one kept out of the queue in each way. */
function ofRules(out: string, struck: string, vetoed: string): Edits['list'] {
  return [
    { file: CONTRACT, find: '^Keep this.$', put: 'Keep this.\nline %', how: 'in-place' },
    { file: CONTRACT, find: `^${END}$`, put: `+ a rule %\n${END}`, how: 'rename' },
    { file: LOOP, find: `^${END}$`, put: `a line %\n${END}`, how: 'in-place' },
    { file: LOOP, find: '^none$', put: 'none\nnor %', how: 'rename' },
    { file: CONTRACT, find: `^- \\[R-\\d+\\] Remember ${out}.\n`, put: '', how: 'rename' },
    { file: STATE, find: `^ *- \\{ id: L\\d+, .*"Remember ${struck}." *\\}\n`, put: '', how: 'rename' },
    { file: STATE, find: `"Remember ${vetoed}." *\\}`, put: `"Remember ${vetoed}.", veto: true }`, how: 'in-place' },
  ];
}

/** Edits that were made and are not there any more. */
function lost(root: string, made: readonly Step[], list: Edits['list']): string[] {
  return made
    .filter(({ entry = 0, edited = '', mine }) => {
      if (!list[entry]?.put.includes('%')) return false;
      return !readFileSync(`${root}/${edited}`, 'utf8').includes(` ${mine}\n`);
    })
    .map(({ edited, mine }) => `${mine} is gone from ${edited}`);
}

/** Items whose learning one of these edits turned down. */
const turnedDown = (made: readonly Step[], list: Edits['list']): string[] =>
  made.flatMap(({ entry = 0 }) => /Remember (\w)\./.exec(list[entry]?.find ?? '')?.[1] ?? []);

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
    bad.push(...blindly(told), ...(await driveOn(root)), ...lost(root, made, edits));
    const isSlower = made.some(({ entry = 0 }) => edits[entry]?.put === 'slice: 2');
    if (isSlower && !readFileSync(`${root}/${LOOP}`, 'utf8').includes('\nslice: 2\n'))
      bad.push('the slice is as before');
    bad.push(...faults(root, { done: ITEMS, crashes: 0, struck: turnedDown(made, edits) }));
    if (bad.length === 0) removeLoop(root);
    return bad.map((what) => `from step ${first}: ${what}`);
  }

  test(
    'D10, D12, D13, A46: at every step but in the gap, no edit of state.md, loop.md, contract.md or an item is lost',
    LIMIT,
    async () => {
      const firsts = Array.from({ length: RUNS }, (_, index) => 1 + Math.round((index * EVERY) / RUNS));
      expect((await each(firsts, edited)).flat()).toEqual([]);
      expect(placed).toBeGreaterThan(500);
    },
  );
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

const isPeoples = (path: string) => !/^\.jez\/(batches|runs|ticks|versions|cache|history|lock)\//.test(path);

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

describe('a person edits the rules while a tick applies more of them', () => {
  const scene = scenes.find(({ name }) => name.includes('applies')) as Scene;
  // c is for the block of contract.md, d for that of loop.md; a is there already.
  const list = ofRules('a', 'c', 'd');
  let set: Stage;
  let last: number;
  const placed = new Set<number>();

  const editing = (root: string, first: number, kind: number) => {
    const edit = { first, every: 1, most: 1, list: list.slice(kind, kind + 1) };
    return failing({ who: ['tick'], root, log: `${root}.log`, edit });
  };

  beforeAll(async () => {
    set = await stage(here, { ...scene, name: 'rules edited', before: scene.before + 1 });
    const root = copyLoop(set.start, `${set.start}-steps`);
    await pawl(root, ['tick'], editing(root, 1_000_000, 0));
    await supervisorsEnded(root);
    last = stepsIn(`${root}.log`).at(-1)?.step ?? 0;
  });

  async function editedAt(step: number, index: number): Promise<string[]> {
    const kind = index % list.length;
    const root = copyLoop(set.start, `${set.start}-edit-${step}`);
    const { code, error } = await pawl(root, ['tick'], editing(root, step, kind));
    await supervisorsEnded(root);
    const made = stepsIn(`${root}.log`).flatMap((line) =>
      line.edited === undefined ? [] : [{ ...line, entry: kind }],
    );
    for (const { entry } of made) placed.add(entry);
    const bad = code === 0 && error === '' ? [] : [`it ended with ${code}: ${error}`];
    bad.push(...(await driveOn(root)), ...lost(root, made, list));
    bad.push(...faults(root, { done: ITEMS, crashes: 0, struck: turnedDown(made, list) }));
    if (bad.length === 0) removeLoop(root);
    return bad.map((what) => `${list[kind]?.file} edited at step ${step}: ${what}`);
  }

  test(
    'A51, D12, D13, D23: at every step but in the gap, what they wrote stays and what they turned down is out',
    LIMIT,
    async () => {
      expect(last).toBeGreaterThan(200);
      const steps = Array.from({ length: last }, (_, index) => index + 1);
      const points = spread(steps, full ? last : 4 * list.length);
      expect((await each(points, editedAt)).flat()).toEqual([]);
      expect(placed.size).toBe(list.length);
    },
  );
});
