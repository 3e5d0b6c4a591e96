import { beforeEach, describe, expect, test } from 'vitest';
import type { Version } from '../../src/core/version.ts';
import { readLedger } from '../../src/engine/observe.ts';
import { tick } from '../../src/engine/tick.ts';
import { type Disk, realDisk } from '../../src/store/disk.ts';
import { readVersions } from '../../src/store/versions.ts';
import { at, type Loop, loop, machineAt } from '../support/loop.ts';
import { meanwhile } from '../support/meanwhile.ts';

const START = '<!-- pawl:rules:start -->';
const END = '<!-- pawl:rules:end -->';
const FIRST = '2026-06-01T00:00:00Z';
const CONTRACT = `Keep this.\n${START}\n${END}\nAnd this.\n`;
const BODY = `## Boundary\nOnly items.\n\n## Procedure\n\n${START}\n${END}\n\nMore of a person.\n`;

let of: Loop;

/** Two learnings wait: L1 for contract.md, L2 for loop.md. The next tick applies both. */
async function waiting(): Promise<void> {
  of = loop({
    ...{ items: 9, fresh: true, settings: { slice: '1' } },
    worker:
      'say \'{"type":"learning","rule":"Look twice.","level":1}\'; say \'{"type":"learning","rule":"Read first.","level":1.5}\'\nresult done',
  });
  of.write('.jez/contract.md', CONTRACT);
  of.edit('.jez/loop.md', /## Boundary[\s\S]*/, BODY);
  for (const time of [FIRST, at('08:00')]) await of.live(time);
}

const versions = (): Version[] => readVersions(realDisk, of.workspace, true);
const made = () => versions().map(({ n, by, applied, bad }) => [n, by, applied.join(), bad?.cause ?? 'good']);
const stateOf = (id: string) => readLedger(realDisk, of.workspace).find((rule) => rule.id === id)?.state;
const contract = () => of.read('.jez/contract.md');
const held = () => contract().split(`${START}\n`)[1]?.split(END)[0];
const queued = () => of.state().queuedLearnings.map(({ id }) => id);

/** One fire of the clock, in which no batch is waited for. */
const fire = (time: string, disk: Disk = realDisk) =>
  tick({ workspace: of.workspace, machine: { ...machineAt(at(time)), disk } });

/** Right after the manifest of version `n` is there, the moment from which that version is made. */
function afterManifest(n: number, act: () => void): Disk {
  let done = false;
  return meanwhile((_, kind, path) => {
    if (done || kind !== 'link done' || !path.endsWith(`versions/${String(n).padStart(4, '0')}/manifest.json`)) return;
    done = true;
    act();
  });
}

beforeEach(waiting);

test('A33, C8: a tick later both are lines of their block and version 1, whose parent is 0', async () => {
  expect([contract(), made(), queued()]).toEqual([CONTRACT, [], ['L1', 'L2']]);
  await of.live(at('09:00'));
  expect(contract()).toBe(CONTRACT.replace(START, `${START}\n- [R-001] Look twice.`));
  expect(of.read('.jez/loop.md')).toContain(BODY.replace(START, `${START}\n- [R-002] Read first.`));
  expect([made(), queued()]).toEqual([
    [
      [0, 'human', '', 'good'],
      [1, 'loop', 'L1,L2', 'good'],
    ],
    [],
  ]);
  expect(of.lines()).toContain('applied L1 as version 1: "Look twice." (undo: pawl rollback 0)');
});

describe('a person edits a block between ticks', () => {
  beforeEach(() => of.live(at('09:00')));

  test('D23: what they add is a version by human, told as theirs, and stays to the letter', async () => {
    of.edit('.jez/contract.md', END, `* mine,  as I like it\n${END}`);
    const theirs = contract();
    await of.live(at('10:00'));
    expect(made().at(-1)).toEqual([2, 'human', '', 'good']);
    expect(of.lines()).toContain('version 2 is yours: you changed contract.md');
    expect(contract()).toBe(theirs);
    await of.live(at('11:00'));
    expect([made().length, contract()]).toEqual([3, theirs]);
  });

  test('D13: a bullet they delete is vetoed for good, however often it is learned again', async () => {
    of.edit('.jez/contract.md', '- [R-001] Look twice.\n', '');
    for (const time of ['10:00', '11:00', '12:00']) await of.live(at(time));
    expect(Object.keys(of.marks())).toHaveLength(5);
    expect([stateOf('L1'), queued(), contract()]).toEqual(['vetoed', [], CONTRACT]);
    expect(made().at(-1)).toEqual([2, 'human', '', 'good']);
  });

  test('D13: a rule vetoed in the ledger leaves its block with the next tick, as a version of its own', async () => {
    of.edit('.jez/rules.yaml', /(L1:.*state: )applied/, '$1vetoed');
    await of.live(at('10:00'));
    expect([contract(), made().at(-1)]).toEqual([CONTRACT, [2, 'loop', '', 'good']]);
    expect(of.lines().join('\n')).toContain('took out R-001 as version 2, it was vetoed');
  });
});

test('A57: without a Boundary nothing comes in or goes out, and beside other news it says why', async () => {
  of.edit('.jez/loop.md', '## Boundary\nOnly items.\n', '');
  await of.live(at('09:00'));
  expect([contract(), made(), queued()]).toEqual([CONTRACT, [], ['L1', 'L2']]);
  expect(of.lines().join('\n')).toContain('no Boundary section');
  of.edit('.jez/loop.md', '## Procedure', '## Boundary\nOnly items.\n\n## Procedure');
  await of.live(at('10:00'));
  expect([made().length, queued()]).toEqual([2, []]);
});

describe('a veto while the tick that applies it is under way', () => {
  const strike = () => of.edit('.jez/state.md', / *- \{ id: L1,.*\n/, '');
  const say = () => of.edit('.jez/state.md', '"Look twice." }', '"Look twice.", veto: true }');

  test.each([
    ['deleting its line', strike],
    ['veto: true', say],
  ])('A51: by %s, before any step of it: at the latest the next tick has it out for good', async (_, veto) => {
    let steps = 0;
    let placed = 0;
    for (let step = 1; step === 1 || step <= steps; step += step < 40 ? 3 : 9) {
      if (step > 1) await waiting();
      const disk = meanwhile((now) => {
        steps = Math.max(steps, now);
        if (now !== step || !queued().includes('L1')) return;
        veto();
        placed += 1;
      });
      const before = placed;
      await fire('09:00', disk);
      await of.live(at('10:00'));
      if (before === placed) continue;
      const told = `before step ${step}`;
      expect([told, stateOf('L1'), held(), queued()]).toEqual([told, 'vetoed', '', []]);
      expect([told, of.state().tick > 3, of.read('.jez/loop.md').includes('- [R-002] Read first.')]).toEqual([
        told,
        true,
        true,
      ]);
      expect(
        of.lines().filter((line) => line.startsWith('vetoed L1') || line.startsWith('took out R-001')),
      ).toHaveLength(1);
    }
    expect(placed).toBeGreaterThan(8);
  });
});

describe('what a person does before anything of the version is written', () => {
  /** When the tick has looked and decided: its record is being made. */
  function decided(act: () => void): Disk {
    let done = false;
    return meanwhile((_, kind, path) => {
      if (done || kind !== 'link' || !path.endsWith('ticks/0004.json')) return;
      done = true;
      act();
    });
  }

  test('A51: a veto keeps the learning out of every version', async () => {
    await fire(
      '09:00',
      decided(() => of.edit('.jez/state.md', / *- \{ id: L1,.*\n/, '')),
    );
    expect(versions().map(({ applied }) => applied)).toEqual([[], ['L2']]);
    expect([stateOf('L1'), contract(), queued()]).toEqual(['vetoed', CONTRACT, []]);
  });

  test('D20: an edit of a block is in the version that is made, and in version 0', async () => {
    await fire(
      '09:00',
      decided(() => of.edit('.jez/contract.md', END, `- mine\n${END}`)),
    );
    expect(versions().map(({ blocks }) => blocks['contract.md'])).toEqual([
      ['- mine'],
      ['- mine', '- [R-001] Look twice.'],
    ]);
    expect(held()).toBe('- mine\n- [R-001] Look twice.\n');
  });
});

describe('D20: an edit in the gap between the manifest and the file', () => {
  const conflict = 'version 1 met your edit of the same lines: yours stays; L1, L2 goes back to the queue';

  test('of other lines: both are there, and their line is their version in the next tick', async () => {
    await fire(
      '09:00',
      afterManifest(1, () => of.edit('.jez/contract.md', END, `- mine\n${END}`)),
    );
    expect(held()).toBe('- mine\n- [R-001] Look twice.\n');
    await of.live(at('10:00'));
    expect(made().at(-1)).toEqual([2, 'human', '', 'good']);
    expect(held()).toBe('- mine\n- [R-001] Look twice.\n');
  });

  const die = () => {
    throw new Error('killed');
  };

  test.each([
    ['contract.md', 'goes on', () => {}],
    ['loop.md', 'goes on', () => {}],
    ['contract.md', 'is killed', die],
    ['loop.md', 'is killed', die],
  ] as const)(
    'of the same line in %s, and the tick %s: theirs stays, the version is bad, both wait',
    async (...args) => {
      const [file, , then] = args;
      const [id, n] = file === 'contract.md' ? ['R-001', 1] : ['R-002', 2];
      const mine = `- [${id}] Mine.`;
      const disk = afterManifest(1, () => {
        of.edit(`.jez/${file}`, END, `${mine}\n${END}`);
        then();
      });
      if (then === die) await expect(fire('09:00', disk)).rejects.toThrow('killed');
      else await fire('09:00', disk);
      expect(of.read(`.jez/${file}`)).toContain(`${START}\n${mine}\n${END}`);
      expect(queued()).toEqual(['L1', 'L2']);
      await of.live(at('10:00'));
      expect(of.lines()).toContain(conflict);
      const [, first, human, again] = versions();
      expect(first?.bad).toMatchObject({ cause: 'conflict', to: null, runs: [] });
      expect([human?.by, human?.blocks[file]]).toEqual(['human', [mine]]);
      expect(again).toMatchObject({ n: 3, by: 'loop', applied: ['L1', 'L2'], parent: 2, bad: null });
      expect(held()).toBe(file === 'contract.md' ? `${mine}\n- [R-001] Look twice.\n` : '- [R-001] Look twice.\n');
      expect([queued(), stateOf(`L${n}`)]).toEqual([[], 'applied']);
    },
  );

  test('of a line that was vetoed: what they made of it stays, and is theirs', async () => {
    await of.live(at('09:00'));
    of.edit('.jez/rules.yaml', /(L1:.*state: )applied/, '$1vetoed');
    await fire(
      '10:00',
      afterManifest(2, () => of.edit('.jez/contract.md', 'Look twice.', 'Look three times.')),
    );
    expect(held()).toBe('- [R-001] Look three times.\n');
    expect(
      versions()
        .slice(1)
        .map(({ by, bad }) => [by, bad?.cause]),
    ).toEqual([
      ['loop', undefined],
      ['loop', 'conflict'],
      ['human', undefined],
    ]);
    await of.live(at('11:00'));
    expect([held(), stateOf('L1')]).toEqual(['- [R-001] Look three times.\n', 'kept']);
  });
});
