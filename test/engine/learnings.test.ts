import { describe, expect, test } from 'vitest';
import type { Rule } from '../../src/core/rule.ts';
import { approve } from '../../src/engine/approve.ts';
import { readLearnings } from '../../src/engine/learnings.ts';
import { diffVersions, listVersions } from '../../src/engine/versions.ts';
import { veto } from '../../src/engine/veto.ts';
import { originOf, whyVersion } from '../../src/engine/why.ts';
import { parseRules, printRules } from '../../src/formats/rules.ts';
import { type Disk, realDisk } from '../../src/store/disk.ts';
import { at, type LoopSpec, loop } from '../support/loop.ts';
import { rule } from '../support/world.ts';

const LATER = new Date(at('12:00'));
const SAYS = 'learn "Mind the gap."\nresult done';

/** A loop whose runs all learn the same; nothing is applied yet. */
function learner(spec: LoopSpec = {}) {
  const it = loop({ ...{ items: 6, fresh: true, worker: SAYS }, ...spec, settings: { slice: '1', ...spec.settings } });
  const { workspace } = it;
  let hour = 7;
  return {
    ...it,
    /** One tick, and the filing of what it started. */
    next: () => it.live(at(`${String(hour++).padStart(2, '0')}:00`)),
    ledger: (): Rule[] => parseRules(it.read('.jez/rules.yaml'), 'rules.yaml'),
    contract: () => (it.snapshot()['.jez/contract.md'] ?? '').split('\n').filter((line) => line.startsWith('- [R-')),
    know: (...rules: Rule[]) => it.write('.jez/rules.yaml', printRules('', rules, 'rules.yaml')),
    list: (all = false) => readLearnings(realDisk, workspace, LATER, all),
    veto: (id: string, disk: Disk = realDisk) => veto(disk, workspace, id, LATER),
    approve: (id: string, to: 'contract.md' | 'loop.md' | null = null, disk: Disk = realDisk) =>
      approve(disk, workspace, id, to, LATER),
    why: (id: string) => originOf(realDisk, workspace, id, LATER),
    versions: () => listVersions(realDisk, workspace),
    diff: (from: number | null = null, to: number | null = null) => diffVersions(realDisk, workspace, from, to),
  };
}

type Learner = ReturnType<typeof learner>;

/** As above, after the tick that queued L1, and `ticks` more. */
async function queued(ticks = 0, spec: LoopSpec = {}): Promise<Learner> {
  const it = learner(spec);
  for (let n = 0; n < 2 + ticks; n++) await it.next();
  return it;
}

/** A disk on which a command dies before it writes a file of this name. */
const dyingBefore = (name: string): Disk => ({
  ...realDisk,
  create(path, ...rest) {
    if (path.includes(`/${name}.tmp-`)) throw new Error('killed');
    realDisk.create(path, ...rest);
  },
});

describe('no', () => {
  test.each<[how: string, by: (it: Learner) => unknown]>([
    ['its line is deleted', (it) => it.edit('.jez/state.md', /^ *- \{ id: L1, .*\n/m, '')],
    ['veto: true stands on it', (it) => it.edit('.jez/state.md', '"Mind the gap." }', '"Mind the gap.", veto: true }')],
    ['pawl veto L1', (it) => it.veto('L1')],
    ['pawl veto R-001', (it) => it.veto('R-001')],
  ])('A51, D13: %s: it is never applied, told, and not queued again', async (_, by) => {
    const it = await queued();
    expect(it.list().learnings).toMatchObject([{ id: 'L1', state: 'queued', due: { tick: 4 } }]);
    await by(it);
    for (let n = 0; n < 3; n++) await it.next();
    expect(it.calls()).toHaveLength(4);
    expect(it.state().queuedLearnings).toEqual([]);
    expect(it.ledger()).toMatchObject([{ id: 'L1', state: 'vetoed' }]);
    expect([it.contract(), it.versions().versions]).toEqual([[], []]);
    expect(it.lines().filter((line) => line.startsWith('vetoed L1'))).toHaveLength(1);
    expect(it.lines().filter((line) => line.startsWith('queued'))).toHaveLength(1);
  });

  test('A51: what is held is vetoed at once, and comes back by no number of items', async () => {
    const it = await queued(0, { settings: { learn: '{ mode: on, sightings: 2 }' } });
    expect(await it.veto('L1')).toMatchObject({ was: 'held', changed: true });
    expect(it.ledger()).toMatchObject([{ state: 'vetoed', why: 'pawl veto' }]);
    for (let n = 0; n < 2; n++) await it.next();
    expect([it.calls().length, it.state().queuedLearnings]).toEqual([3, []]);
    expect(await it.veto('L1')).toMatchObject({ was: 'vetoed', changed: false });
  });

  test('D13, A68: what is applied is taken out by the next tick, as a version of its own that names its parent', async () => {
    const it = await queued(1);
    expect(it.contract()).toEqual(['- [R-001] Mind the gap.']);
    const { was, next } = await it.veto('R-001');
    expect([was, next]).toEqual([
      'applied',
      'the next tick takes its line out of contract.md, as a version of its own',
    ]);
    expect(it.contract()).toHaveLength(1);
    await it.next();
    expect(it.contract()).toEqual([]);
    expect(it.versions()).toMatchObject({
      active: 2,
      versions: [{ n: 2, parent: 1, by: 'loop', retired: [{ id: 'L1', rule: 'Mind the gap.' }] }, { n: 1 }, { n: 0 }],
    });
    expect(it.lines()).toContain('took out R-001 as version 2, it was vetoed: "Mind the gap." (undo: pawl approve L1)');
  });

  test('D13: what a killed tick had made a rule of is taken out again', async () => {
    const it = await queued();
    const [state, rules] = [it.read('.jez/state.md'), it.read('.jez/rules.yaml')];
    await it.next();
    // As if it had died after it had written contract.md, and before state.md.
    it.write('.jez/state.md', state);
    it.write('.jez/rules.yaml', rules);
    expect(it.contract()).toHaveLength(1);
    expect(await it.veto('L1')).toMatchObject({ was: 'queued', changed: true });
    await it.next();
    expect([it.contract(), it.state().queuedLearnings]).toEqual([[], []]);
    expect(it.ledger()).toMatchObject([{ state: 'vetoed' }]);
  });

  test('a line of a person, or no learning at all, is refused with what there is', async () => {
    const it = learner();
    it.know(rule({ id: 'L1', state: 'kept' }), rule({ id: 'L2' }), rule({ id: 'L3', state: 'reverted' }));
    await expect(it.veto('L1')).rejects.toThrow('L1 is your own line: delete it in contract.md');
    await expect(it.veto('L9')).rejects.toThrow('there is no learning L9; there is L2; ');
    await expect(it.veto('seven')).rejects.toThrow('named like L7 or R-007, got seven');
    expect(await it.veto('L3')).toMatchObject({ was: 'reverted', changed: false });
  });
});

describe('yes', () => {
  test('A51: what is held is queued first, and a rule one tick later, whatever the window', async () => {
    const it = await queued(0, {
      settings: { window: '{ ticks: 9, hours: 48 }', learn: '{ mode: manual, sightings: 9 }' },
    });
    const answer = await it.approve('L1', 'loop.md');
    expect(answer).toMatchObject({
      was: 'held',
      changed: true,
      file: 'loop.md',
      next: 'the next tick makes it a rule',
    });
    expect(it.state().queuedLearnings).toMatchObject([{ id: 'L1', tick: 3, level: 1.5, veto: false }]);
    expect(it.ledger()).toMatchObject([
      { state: 'queued', approved: true, level: 1.5, at: LATER.toISOString(), why: '' },
    ]);
    expect(it.list().learnings).toMatchObject([
      { state: 'queued', why: 'in tick 4: you approved it', file: 'loop.md' },
    ]);
    expect(it.read('.jez/loop.md')).not.toContain('R-001');
    await it.next();
    expect(it.read('.jez/loop.md')).toContain('- [R-001] Mind the gap.\n');
    expect(await it.approve('L1')).toMatchObject({ was: 'applied', changed: false, next: 'it is a rule already' });
  });

  test.each(['vetoed', 'refused', 'reverted'] as const)(
    'what was %s comes in when a person asks for it',
    async (state) => {
      const it = await queued(1);
      it.remove('.jez/contract.md');
      await it.next();
      it.know(rule({ state, rule: '- Mind <!-- x -->  the gap.', why: 'once', version: 1, tick: 1 }));
      await it.approve('L1');
      await it.next();
      expect(it.contract()).toEqual(['- [R-001] Mind x the gap.']);
      expect(it.ledger()[0]).toMatchObject({ id: 'L1', state: 'applied', approved: true, why: '' });
    },
  );

  test('a veto that no tick has seen is taken back, in the queue and in the block', async () => {
    const it = await queued();
    await it.veto('L1');
    expect(it.list().learnings).toMatchObject([{ due: null, why: 'vetoed: the next tick takes it out' }]);
    await it.approve('L1', 'contract.md');
    await it.next();
    expect(it.contract()).toHaveLength(1);
    await it.veto('L1');
    expect(await it.approve('L1')).toMatchObject({ changed: true, next: 'its line in contract.md stays' });
    await it.next();
    expect([it.contract(), it.versions().active]).toEqual([['- [R-001] Mind the gap.'], 1]);
  });

  test('killed between state.md and rules.yaml, the same command finishes it', async () => {
    const it = await queued();
    await it.veto('L1');
    await it.next();
    await expect(it.approve('L1', null, dyingBefore('state.md'))).rejects.toThrow('killed');
    expect(it.state().queuedLearnings).toEqual([]);
    await expect(it.approve('L1', null, dyingBefore('rules.yaml'))).rejects.toThrow('killed');
    expect(it.state().queuedLearnings).toHaveLength(1);
    expect(it.ledger()).toMatchObject([{ state: 'vetoed' }]);
    expect(it.list().learnings[0]?.why).toBe('vetoed in rules.yaml: the next tick takes it out');
    expect(await it.approve('L1')).toMatchObject({ changed: true });
    expect(it.state().queuedLearnings).toHaveLength(1);
    expect(await it.approve('L1')).toMatchObject({ changed: false });
    await it.next();
    expect(it.contract()).toHaveLength(1);
  });

  test('killed between the two and left so, nothing comes in', async () => {
    const it = await queued();
    await it.veto('L1');
    await it.next();
    await expect(it.approve('L1', null, dyingBefore('rules.yaml'))).rejects.toThrow('killed');
    await it.next();
    expect([it.contract(), it.state().queuedLearnings]).toEqual([[], []]);
    expect(it.ledger()).toMatchObject([{ state: 'vetoed' }]);
  });

  test('is refused where nothing is learned, and for a text that can be no rule', async () => {
    const it = learner({ settings: { learn: '{ mode: off }' } });
    it.know(rule());
    await expect(it.approve('L1')).rejects.toThrow('learn.mode is off');
    it.edit('.jez/loop.md', 'mode: off', 'mode: on');
    it.know(rule({ rule: 'x'.repeat(301) }), rule({ id: 'L2', rule: '<!-- -->' }));
    await expect(it.approve('L1')).rejects.toThrow('it is longer than 300 characters');
    await expect(it.approve('L2')).rejects.toThrow('it is empty');
    await expect(it.approve('L3')).rejects.toThrow('there is L1, L2; ');
    expect(it.state().queuedLearnings).toEqual([]);
  });
});

describe('the list', () => {
  const why = (it: Learner) => it.list(true).learnings.map((each) => `${each.state}: ${each.why}`);

  test('says when what is queued is applied, by tick and by hour, or why it is not', async () => {
    const it = await queued(0, { settings: { window: '{ ticks: 3, hours: 24 }' } });
    expect(it.list().learnings).toMatchObject([{ due: { tick: 6, at: at('08:00', 10).replace('Z', '.000Z') } }]);
    expect(why(it)).toEqual(['queued: in tick 6 or later, from 2026-06-10 08:00 on']);
    it.edit('.jez/loop.md', 'hours: 24', 'hours: 0');
    expect(why(it)).toEqual(['queued: in tick 6']);
    it.edit('.jez/loop.md', 'mode: on', 'mode: manual');
    expect(why(it)).toEqual(['queued: when you approve it: pawl approve L1']);
    it.edit('.jez/loop.md', 'mode: manual', 'mode: off');
    expect(why(it)).toEqual(['queued: never: learn.mode is off']);
    expect(it.list().blocked).toBe(null);
    it.write('.jez/PAUSE', '');
    expect(it.list().blocked).toContain('pawl resume');
    it.edit('.jez/loop.md', '## Boundary', '## Limits');
    expect(it.list().blocked).toBe('loop.md has no Boundary section');
  });

  test('says why the rest is held, and leaves out what was decided unless it is asked for', () => {
    const it = learner({ settings: { learn: '{ mode: on, sightings: 2 }' } });
    const seen = { items: ['a'], runs: [1] };
    it.know(
      rule({ id: 'L6', state: 'refused', why: 'the rules say so already' }),
      rule({ id: 'L5', state: 'kept', version: 3 }),
      rule({ id: 'L4', state: 'applied', version: 2 }),
      rule({ id: 'L3', ...seen, items: ['a', 'b'] }),
      rule({ id: 'L2', ...seen, why: 'it names a command' }),
      rule({ id: 'L1', ...seen, key: 'http.429' }),
    );
    expect(why(it)).toEqual([
      'held: seen on 1 of 2 items',
      'held: seen on 1 of 2 items; for you to read: it names a command',
      'held: seen on 2 of 2 items; the queue or the day was full',
      'applied: since version 2; against it: pawl veto L4',
      'kept: your own line since version 3',
      'refused: the rules say so already; back with: pawl approve L6',
    ]);
    expect(it.list()).toMatchObject({ more: 3, learnings: [{ id: 'L1', target: 'http.429' }, { target: null }, {}] });
  });
});

describe('versions', () => {
  test('C8: each names its parent, what came in, and how its runs went', async () => {
    const it = learner({ worker: 'learn "Mind $name."\ncase $name in d) fail item no ;; *) result done ;; esac' });
    expect(it.versions()).toEqual({ v: 1, active: 0, versions: [], edited: [] });
    expect(it.diff()).toEqual({ v: 1, from: 0, to: 0, files: [] });
    for (let n = 0; n < 5; n++) await it.next();
    expect(it.versions().versions).toMatchObject([
      { n: 3, status: 'active', parent: 2, runs: { done: 0, failed: 1 }, applied: [{ id: 'L3', rule: 'Mind c.' }] },
      { n: 2, status: 'good', parent: 1, runs: { done: 1, failed: 0 }, by: 'loop', tick: 6 },
      { n: 1, status: 'good', parent: 0, applied: [{ id: 'L1' }], cause: 'learned: L1' },
      { n: 0, status: 'good', by: 'human', cause: 'the text as it came' },
    ]);
    expect(it.diff()).toMatchObject({ from: 2, to: 3, files: [{ lines: [{ op: '+', text: '- [R-003] Mind c.' }] }] });
    expect(it.diff(1)).toMatchObject({ from: 0, to: 1, files: [{ file: 'contract.md' }] });
    expect(it.diff(3, 1).files[0]?.lines.map(({ op }) => op)).toEqual(['-', '-']);
    expect(it.diff(2, 2).files).toEqual([]);
    expect(() => it.diff(9)).toThrow('there is no version 9');
    expect(whyVersion(realDisk, it.workspace, 2, LATER).text).toContain('- parent: version 1\n');
    expect(whyVersion(realDisk, it.workspace, 2, LATER).text).toContain(
      'came in: L2 "Mind b.", from run 0002 on items/b.md',
    );
  });

  test('a line of loop.md and an edit of a person that no tick has seen are shown as such', async () => {
    const it = await queued(1);
    it.edit('.jez/contract.md', '- [R-001] Mind the gap.', '- Mine.\n- [R-001] Mind the gap.');
    expect(it.versions()).toMatchObject({ active: 1, edited: ['contract.md'] });
    await it.next();
    expect(it.versions()).toMatchObject({
      active: 2,
      edited: [],
      versions: [{ by: 'human', status: 'active' }, {}, {}],
    });
    expect(it.diff().files).toEqual([{ file: 'contract.md', lines: [{ op: '+', text: '- Mine.' }] }]);
  });
});

describe('why', () => {
  test('C8, A68: a rule leads to its runs, items, the tick that queued it and the version that has it', async () => {
    const it = await queued();
    expect(it.why('L1')).toMatchObject({ state: 'queued', queued: { tick: 3 }, version: null, undo: 'pawl veto L1' });
    await it.next();
    expect(it.why('R-001')).toMatchObject({
      ...{ v: 1, id: 'L1', ruleId: 'R-001', state: 'applied', rule: 'Mind the gap.', file: 'contract.md' },
      ...{ items: ['items/a.md'], runs: [1], target: null, queued: { tick: 3 } },
      version: { n: 1, parent: 0, by: 'loop', tick: 4, day: '2026-06-09' },
      undo: 'this rule alone: pawl veto L1, or all since: pawl rollback 0',
    });
  });

  test('a line that a person wrote leads to the version of theirs in which it came', async () => {
    const it = await queued(1);
    it.edit('.jez/contract.md', '- [R-001] Mind the gap.', '- [R-040] Mine.\n- [R-001] Mind my gap.');
    expect(it.why('R-040')).toMatchObject({
      state: null,
      version: null,
      why: expect.stringContaining('the next tick'),
    });
    await it.next();
    expect(it.why('R-040')).toMatchObject({
      ...{ state: null, rule: 'Mine.', version: { n: 2, by: 'human' }, undo: 'delete its line in contract.md' },
      why: 'a person wrote it; it is there since version 2',
    });
    expect(it.why('L1')).toMatchObject({ state: 'kept', rule: 'Mind my gap.', version: { n: 2 } });
    await expect(it.veto('R-040')).rejects.toThrow('L40 is a line of contract.md that no run learned');
    expect(() => it.why('L9')).toThrow('there is no learning L9');
  });
});
