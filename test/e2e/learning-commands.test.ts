import { describe, expect, test } from 'vitest';
import { at, type Loop, loop } from '../support/loop.ts';

// What was learned, as a person sees and judges it at the command line.

const COMMANDS = ['learnings', 'veto', 'approve', 'versions', 'diff', 'why'];
const SPOKEN = 'Mind <b>the</b> gap ![x](http://e.example).';
const ok = (out: string) => ({ code: 0, out, error: '' });

/** A loop of two items, one a tick; the first run learns something. It stands after the tick that filed it. */
function learner(settings: Record<string, string> = {}): Loop {
  const it = loop({
    ...{ items: 2, worker: 'learn "Mind the gap."\nresult done' },
    settings: { slice: '1', ...settings },
  });
  it.work(at('08:00'));
  return it;
}

const asks = (it: Loop, ...args: string[]) => it.run(at('10:00'), ...args);
const json = (it: Loop, ...args: string[]) => JSON.parse(asks(it, ...args, '--json').out);

describe('every one of them', () => {
  test.each(COMMANDS)('%s --help shows an example, an unknown flag and a stray word are refused', (name) => {
    const it = loop({ fresh: true });
    const help = asks(it, name, '--help');
    expect([help.code, help.error]).toEqual([0, '']);
    expect(help.out).toContain(`\n  pawl ${name}`);
    expect(asks(it, name, '--frob')).toMatchObject({ code: 1, out: '' });
    expect(asks(it, name, '1', '2', '3')).toMatchObject({ code: 1, out: '' });
  });

  test('all are in `pawl help`', () => {
    const { out } = asks(loop({ fresh: true }), 'help');
    for (const name of [...COMMANDS, 'rollback']) expect(out).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
  });

  test('looking changes nothing, before the first learning and after it', () => {
    for (const it of [loop(), learner()]) {
      const before = it.snapshot();
      for (const name of ['learnings', 'versions', 'diff', 'why']) {
        expect(asks(it, name, ...(name === 'why' ? ['0'] : []))).toMatchObject({ code: 0, error: '' });
        expect(json(it, name, ...(name === 'why' ? ['0'] : [])).v).toBe(1);
      }
      expect(it.snapshot()).toEqual(before);
    }
  });
});

test('before anything was learned each says so, and what comes next', () => {
  const it = loop();
  expect(asks(it, 'learnings').out).toMatch(/^nothing was learned yet; .*one tick later\n$/);
  expect(asks(it, 'versions')).toEqual(ok('version 0, the text as it came, is in force; nothing was learned yet\n'));
  expect(asks(it, 'diff')).toEqual(ok('nothing differs: version 0 is the text as it came\n'));
  expect(asks(it, 'veto', 'L1')).toMatchObject({
    ...{ code: 1, out: '' },
    error: 'pawl: there is no learning L1; `pawl learnings --all` lists them\n',
  });
});

test('A51, D13: `pawl veto` before the next tick: never applied, told, remembered', () => {
  const it = learner();
  expect(asks(it, 'learnings')).toEqual(
    ok('L1 queued, in tick 4\n   "Mind the gap."\n   no target, for contract.md, from items/a.md (run 0001)\n'),
  );
  const said = 'vetoed L1: "Mind the gap."\nthe next tick takes its line out of state.md, and it is never applied\n';
  expect(asks(it, 'veto', 'L1')).toEqual(ok(said));
  expect(it.read('.jez/state.md')).toContain('veto: true');
  expect(asks(it, 'veto', 'R-001').out).toContain('nothing to do for queued L1');
  it.work(at('11:00'));
  expect(it.lines()).toContain('vetoed L1, veto: true: "Mind the gap." (undo: pawl approve L1)');
  expect(asks(it, 'learnings')).toEqual(
    ok('nothing is queued or held; 1 learning decided before: pawl learnings --all\n'),
  );
  expect(json(it, 'learnings', '--all')).toMatchObject({ more: 0, learnings: [{ id: 'L1', state: 'vetoed' }] });
  expect(json(it, 'versions').versions).toEqual([]);
});

test('C8, A68: from a rule back to where it came from, out of it by `veto`, in again by `approve`, back by `rollback`', () => {
  const it = learner();
  it.work(at('08:15'));
  expect(asks(it, 'versions').out).toBe(
    '1 active; by the loop, 2026-06-09 tick 4, from 0: learned: L1\n   + L1 "Mind the gap."\n   1 done, 0 failed under it\n' +
      '0 good; by a person, 2026-06-09 tick 4: the text as it came\n   1 done, 0 failed under it\n',
  );
  expect(asks(it, 'diff')).toEqual(ok('version 0 to 1\ncontract.md\n+ - [R-001] Mind the gap.\n'));
  const why = asks(it, 'why', 'R-001').out;
  expect(why).toContain('seen on  items/a.md (run 0001)\n');
  expect(why).toContain('queued   by tick 3, at 2026-06-09T08:00:00.000Z\n');
  expect(why).toContain('version  1, from 0, by the loop in tick 4 of 2026-06-09\n');
  expect(asks(it, 'why', '1').out).toContain('- came in: L1 "Mind the gap.", from run 0001 on items/a.md\n');
  // Nothing is left to do, so that ticks do not look any more: they must see it all the same.
  for (const now of ['09:00', '09:05']) expect(it.tick(at(now))).toEqual(ok(''));
  expect(it.read('.jez/cache/seal.json')).toContain('exhausted');
  expect(asks(it, 'veto', 'L1').out).toContain('as a version of its own');
  it.tick(at('09:15'));
  expect(asks(it, 'diff', '1', '2').out).toBe('version 1 to 2\ncontract.md\n- - [R-001] Mind the gap.\n');
  expect(asks(it, 'approve', 'L1', '--to', 'loop.md')).toEqual(
    ok('approved L1, for loop.md: "Mind the gap."\nthe next tick makes it a rule\n'),
  );
  it.tick(at('09:30'));
  expect(it.read('.jez/loop.md')).toContain('- [R-001] Mind the gap.\n');
  expect(asks(it, 'rollback', '2').code).toBe(0);
  expect(asks(it, 'versions').out).toContain('3 bad: person, back to 2; by the loop');
  expect(asks(it, 'why', '3').out).toMatch(/\n- bad since tick \d+: person\n$/);
  expect(json(it, 'why', 'L1')).toMatchObject({
    state: 'reverted',
    undo: 'it is no rule; to have it: pawl approve L1',
  });
});

test('what was learned stands on one plain line, whatever it says', () => {
  const it = learner();
  it.edit('.jez/rules.yaml', 'Mind the gap.', JSON.stringify(`${SPOKEN}\n\u202eno\u001b[31m`));
  it.edit('.jez/state.md', '"Mind the gap."', JSON.stringify(`${SPOKEN}\n\u202eno\u001b[31m`));
  for (const { out } of [asks(it, 'learnings'), asks(it, 'why', 'L1'), asks(it, 'veto', 'L1')]) {
    expect(out).toContain('"Mind &lt;b>the&lt;/b> gap !\\[x](http://e.example). no[31m"');
    expect(out).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  }
});

test('approve is refused with exit 2 where nothing is learned, and with exit 1 for another file', () => {
  const it = learner();
  expect(asks(it, 'approve', 'L1', '--to', 'state.md')).toMatchObject({
    ...{ code: 1, out: '' },
    error: 'pawl: --to should be contract.md or loop.md, got state.md\n',
  });
  it.edit('.jez/loop.md', 'mode: on', 'mode: off');
  const { code, error } = asks(it, 'approve', 'L1');
  expect([code, error]).toEqual([2, 'pawl: .jez/loop.md: nothing is learned here: learn.mode is off\n']);
});
