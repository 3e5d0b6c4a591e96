import { execFileSync } from 'node:child_process';
import { copyFileSync, linkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { missingIgnores } from '../../src/core/ignored.ts';
import { realMachine } from '../../src/engine/machine.ts';
import { tick } from '../../src/engine/tick.ts';
import { realClock } from '../../src/store/clock.ts';
import { at, type Loop, loop, PAWL } from '../support/loop.ts';
import { eventually } from '../support/processes.ts';
import { folder } from '../support/workspace.ts';

// The rows of sections 0 and A of the behaviour list that need a disk: days, caps, stops, state.md, no-ops.

const QUIET = { code: 0, out: '', error: '' };
const clocked = (now: string) => ({ ...realMachine, clock: { ...realClock, now: () => new Date(now) } });

describe('over days', () => {
  test('A1, A7, D10, case E2: 300 items under a cap of 40 a day take eight days, each is run once, loop.md keeps its bytes', async () => {
    const it = loop({
      ...{ items: 300, worker: 'result done' },
      settings: { slice: '20', concurrency: '8', caps: '{ items_per_day: 40 }' },
    });
    const before = it.read('.jez/loop.md');
    for (let day = 9; day < 17; day += 1) for (const time of ['08:00', '09:00']) await it.live(at(time, day));
    const days = Object.values(it.marks());
    expect(days).toHaveLength(300);
    for (const day of days) expect(days.filter((each) => each === day).length).toBeLessThanOrEqual(40);
    expect(new Set(it.calls()).size).toBe(300);
    expect(it.calls()).toHaveLength(300);
    expect(it.state()).toMatchObject({ doneCount: 300, cursor: 300, today: { date: '2026-06-16', count: 20 } });
    expect(it.read('.jez/loop.md')).toBe(before);
  });

  test('A59, A40, A69, D14, D15, case C7, F2: the cap is exact, and 96 fires of a capped day leave one stop entry and a clean git', async () => {
    const it = loop({ items: 9, settings: { slice: '3', caps: '{ items_per_day: 5 }' } });
    it.write('.jez/.gitignore', missingIgnores('').join('\n'));
    it.write('.gitignore', 'calls\n');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: it.root, encoding: 'utf8' });
    git('init', '-q');
    const fires = Array.from({ length: 96 }, (_, n) =>
      at(`${String(n >> 2).padStart(2, '0')}:${(n % 4) * 15 || '00'}`),
    );
    for (const [n, now] of fires.entries()) {
      expect(it.tick(now)).toEqual(QUIET);
      await it.settled();
      // The fifth item is filed by the third fire; nothing happens from then on.
      if (n !== 3) continue;
      git('add', '-A');
      git('-c', 'user.name=x', '-c', 'user.email=x@example.org', 'commit', '-qm', 'x');
    }
    expect(it.calls()).toHaveLength(5);
    expect(Object.keys(it.marks())).toHaveLength(5);
    expect(it.lines().filter((line) => line.startsWith('claimed'))).toEqual([
      'claimed 3: items/a.md, items/b.md, items/c.md',
      'claimed 2: items/d.md, items/e.md',
    ]);
    expect(it.lines().filter((line) => line.startsWith('stopped'))).toEqual(['stopped: daily cap of 5 items reached']);
    expect(it.state().paused).toBe(false);
    expect(git('status', '--porcelain')).toBe('');
  });

  test('D11: a clock that goes back gives no second day', async () => {
    const it = loop({ items: 6, settings: { slice: '2', caps: '{ items_per_day: 2 }' } });
    await it.live(at('08:00', 9));
    await it.live(at('08:00', 10));
    expect(it.calls()).toHaveLength(4);
    for (const day of [9, 8, 10]) await it.live(at('09:00', day), at('09:00', 13));
    expect(it.calls()).toHaveLength(4);
    expect(it.state().today).toMatchObject({ date: '2026-06-10', count: 2 });
    await it.live(at('09:00', 11), at('09:00', 13));
    expect(it.calls()).toHaveLength(6);
  });

  test('case C8: days that are only set on the clock give no more than twice the cap', () => {
    const it = loop({ items: 6, settings: { slice: '2', caps: '{ items_per_day: 2 }' } });
    for (const day of [9, 10, 11]) it.work(at('08:00', day));
    expect(it.calls()).toHaveLength(4);
  });

  test('A60: a cap that is left out is 20, and 0 runs nothing', () => {
    const twenty = loop({ items: 22, settings: { slice: '22', concurrency: '8', caps: '{}' } });
    twenty.work();
    expect(twenty.calls()).toHaveLength(20);
    const none = loop({ settings: { caps: '{ items_per_day: 0 }' } });
    expect(none.work()).toEqual(QUIET);
    expect(none.calls()).toEqual([]);
  });

  test('case E7: with $3 an item and $10 a day three items start, then the budget stops', () => {
    const it = loop({
      ...{ items: 9, worker: `result done '' ',"usage":{"usd":3}'` },
      settings: { slice: '5', caps: '{ items_per_day: 20, usd_per_day: 10 }' },
    });
    for (const time of ['08:00', '08:15', '08:30', '08:45']) it.work(at(time));
    expect(it.calls()).toHaveLength(3);
    expect(it.lines().filter((line) => line.startsWith('stopped'))).toEqual([
      'stopped: budget: 9 of 10 usd spent today',
    ]);
    it.work(at('08:00', 10));
    expect(it.calls()).toHaveLength(6);
  });
});

describe('the first tick', () => {
  test('A58, D18: only looks, and the second starts work', () => {
    const it = loop({ fresh: true });
    expect(it.work(at('07:45'))).toEqual(QUIET);
    expect(it.calls()).toEqual([]);
    expect(it.state().tick).toBe(1);
    expect(it.told()).toHaveLength(1);
    it.work(at('08:00'));
    expect(it.calls()).toHaveLength(3);
  });

  test('A13, A8: takes a bare YAML state as it is, and keeps its form and comments', () => {
    const state = [
      ...['# mine', 'paused: false', 'cursor: 0', 'done_count: 0', 'today:', '  date: 2026-06-08', '  count: 0'],
      ...['  errors_in_a_row: 0', 'in_flight: []', 'queued_learnings: []', ''],
    ].join('\n');
    const it = loop({ state });
    it.work();
    expect(it.state()).toMatchObject({ doneCount: 3, cursor: 3, today: { date: '2026-06-09', count: 3 } });
    const text = it.read('.jez/state.md');
    expect(text).toMatch(/^# mine\npaused: false\n/);
    expect(text).not.toContain('---');
  });
});

describe('reflections', () => {
  test('A10, A68: two working ticks of a day are entries of one page, the first keeps its bytes, and each mark is told once', async () => {
    const it = loop({ items: 4, settings: { slice: '2' } });
    it.tick(at('08:00'));
    await it.settled();
    const first = it.read('.jez/reflections/2026-06-09.md');
    it.tick(at('08:15'));
    await it.settled();
    it.tick(at('08:30'));
    const page = it.read('.jez/reflections/2026-06-09.md');
    expect(page.startsWith(first)).toBe(true);
    for (const [n, name] of ['a', 'b', 'c', 'd'].entries()) {
      const of = it
        .told()
        .filter(({ lines }) => lines.some((line) => line.startsWith(`done items/${name}.md (run 000${n + 1})`)));
      expect(of).toHaveLength(1);
    }
  });

  test('A70: an entry torn by a crash is followed by the whole, and told once', () => {
    const it = loop({ settings: { slice: '1' } });
    it.work(at('08:00'));
    const page = '.jez/reflections/2026-06-09.md';
    const whole = it.read(page);
    it.write(page, whole.slice(0, -30));
    it.edit('.jez/ticks/0003.json', '"state": "closed"', '"state": "closing"');
    it.work(at('08:15'));
    expect(it.told().filter(({ tick: number }) => number === 3)).toHaveLength(1);
    expect(it.told().map(({ tick: number }) => number)).toEqual([1, 2, 3, 4, 5]);
    expect(it.lines().filter((line) => line.startsWith('done items/a.md'))).toHaveLength(1);
  });
});

describe('a tick that has nothing to do', () => {
  const rests: [string, (it: Loop) => void | Promise<void>][] = [
    ['paused', (it) => it.edit('.jez/state.md', 'paused: false', 'paused: true')],
    ['held by a file PAUSE', (it) => it.write('.jez/PAUSE', '')],
    ['exhausted', (it) => void [it.work(), it.tick(), it.tick()]],
    ['waiting for an outage to pass', (it) => void [it.write('down', ''), it.work()]],
    [
      'in flight',
      async (it) => {
        it.write('slow', '');
        it.tick();
        await eventually(() => it.calls().length === 2);
      },
    ],
  ];

  test.each(rests)(
    'D15, A9, A48, case F2: %s: prints nothing, changes nothing, and needs nothing but its first file',
    async (_, rest) => {
      const worker = `[ -e "$PAWL_ROOT/slow" ] && wait_for go
if [ -e "$PAWL_ROOT/down" ]; then fail infra EAI_AGAIN; else result done; fi`;
      const it = loop({ worker });
      await rest(it);
      const before = it.snapshot();
      // Everything else of the program is loaded on use: here it is not there.
      const alone = folder().path('pawl.cjs');
      copyFileSync(PAWL, alone);
      const env = { ...process.env, PAWL_NOW: at('08:05') };
      expect(execFileSync(process.execPath, [alone, 'tick'], { cwd: it.root, encoding: 'utf8', env })).toBe('');
      expect(it.tick(at('08:05'))).toEqual(QUIET);
      expect(it.snapshot()).toEqual(before);
      it.write('go', '');
    },
  );

  test('A28: a pause is heeded before anything else is read', () => {
    const it = loop();
    it.edit('.jez/state.md', 'paused: false', 'paused: true');
    it.write('.jez/loop.md', '---\nslice: many\n');
    it.write('.jez/contract.md', '\0');
    it.write('.jez/outcomes.jsonl', '{{{\n');
    it.remove('items');
    const before = it.snapshot();
    expect(it.work()).toEqual(QUIET);
    expect(it.snapshot()).toEqual(before);
  });

  test('A49, case E3: 100 full looks at an exhausted backlog call no worker and write nothing', async () => {
    const it = loop();
    it.work();
    await tick({ workspace: it.workspace, machine: clocked(at('09:00')) });
    const before = it.snapshot();
    for (let hour = 0; hour < 100; hour += 1) {
      const now = new Date(Date.parse(at('10:00')) + hour * 3_660_000).toISOString();
      const { did, plan } = await tick({ workspace: it.workspace, machine: clocked(now) });
      expect([did, plan?.stop?.name]).toEqual(['idle', 'exhausted']);
    }
    expect(it.snapshot()).toEqual(before);
    expect(it.calls()).toHaveLength(3);
  });

  test('A86: a dry run says what would be done, and writes nothing but .jez/cache', async () => {
    const it = loop({ items: 5 });
    const before = it.snapshot();
    const { code, out } = it.run(at('08:00'), 'tick', '--dry-run');
    expect(code).toBe(0);
    for (const name of ['a', 'b', 'c']) expect(out).toContain(`would start items/${name}.md (try 1)`);
    expect(it.snapshot()).toEqual(before);
    it.tick();
    await it.settled();
    const finished = it.snapshot();
    expect(it.run(at('08:15'), 'tick', '--dry-run').out).toContain('would file items/a.md (run 1)');
    expect(it.snapshot()).toEqual(finished);
  });
});

describe('the truth is the mark', () => {
  test('A15: a cursor of 9999, or none, changes nothing; one that is no number is refused', () => {
    const it = loop({ items: 2, settings: { slice: '1' } });
    it.edit('.jez/state.md', /^cursor: .*\n/m, 'cursor: 9999\n');
    it.work(at('08:00'));
    it.edit('.jez/state.md', /^cursor: .*\n/m, '');
    it.work(at('08:15'));
    expect(it.calls()).toEqual(['a', 'b']);
    for (const cursor of ['-1', 'x']) {
      it.edit('.jez/state.md', /^cursor: .*$/m, `cursor: ${cursor}`);
      const { code, error } = it.work(at('08:30'));
      expect([code, error]).toEqual([2, expect.stringMatching(/^pawl: \.jez\/state\.md:\d+:\d+: .*\n$/)]);
    }
  });

  test('A16, A83, D16: a mark by hand counts, a removed one opens the item again, and so does a new item', () => {
    const it = loop({ items: 3, settings: { slice: '2', concurrency: '1' } });
    it.edit('items/b.md', 'title: b\n', 'title: b\nchecked: 2026-01-01\n');
    it.work(at('08:00'));
    it.work(at('08:15'));
    expect(it.calls()).toEqual(['a', 'c']);
    it.write('items/d.md', '# d\n');
    it.work(at('08:16'));
    expect(it.calls()).toEqual(['a', 'c', 'd']);
    expect(it.lines()).toContain('claimed 1: items/d.md');
    it.work(at('08:30'));
    it.edit('items/b.md', 'checked: 2026-01-01\n', '');
    // Taken out in place: seen when the seal of the empty backlog ends.
    it.work(at('09:45'));
    expect(it.calls()).toEqual(['a', 'c', 'd', 'b']);
  });

  test('A19: with a word as the mark, a person’s own word is theirs', () => {
    const source = '{ kind: folder, path: "items/*.md", mark: { field: status, value: done, todo: [open] } }';
    const text = (name: string) => `---\nstatus: ${{ a: 'open', b: 'doing', c: 'done' }[name]}\n---\n`;
    const it = loop({ text, settings: { source } });
    it.work();
    expect(it.calls()).toEqual(['a']);
    expect(it.marks('status')).toEqual({ a: 'done', b: 'doing', c: 'done' });
  });
});

describe('state.md', () => {
  test('D19: paused: a word that is neither true nor false is refused with its place, every time', () => {
    const it = loop();
    for (const word of ['yes', '"true"', 'no', 'null', 'False!']) {
      it.edit('.jez/state.md', /^paused: .*$/m, `paused: ${word}`);
      const before = it.snapshot();
      expect(it.work()).toEqual({
        ...{ code: 2, out: '', error: expect.stringMatching(/^pawl: \.jez\/state\.md:2:\d+: .*true or false.*\n$/) },
      });
      expect(it.snapshot()).toEqual(before);
    }
  });

  test('A45: is replaced whole, never written in place', () => {
    const it = loop();
    const before = it.read('.jez/state.md');
    linkSync(it.path('.jez/state.md'), it.path('old'));
    it.work();
    expect(it.read('.jez/state.md')).not.toBe(before);
    expect(it.read('old')).toBe(before);
  });

  test('A43, A44, A51, D13: a learning waits in state.md, and once deleted is not queued again', () => {
    const it = loop({
      items: 4,
      worker: 'case $name in a|c) learn "Be kind.";; esac; result done',
      settings: { slice: '2' },
    });
    it.work(at('08:00'));
    expect(it.state().queuedLearnings).toMatchObject([{ id: 'L1', tick: 3, level: 1, rule: 'Be kind.', veto: false }]);
    expect(it.lines()).toContain('queued L1 for tick 4: "Be kind." (veto: delete its line in state.md)');
    expect(it.read('.jez/rules.yaml')).toContain('state: queued');
    it.edit('.jez/state.md', /^ +- \{ id: L1.*\n/m, '');
    it.work(at('08:15'));
    expect(it.calls()).toEqual(['a', 'b', 'c', 'd']);
    expect(it.state().queuedLearnings).toEqual([]);
  });
});

describe('errors', () => {
  const FAILS = 'if [ -e "$PAWL_ROOT/mended" ]; then result done; else fail item "compile failed"; fi';

  test('A61, A65, case A3, D3: three in a row pause with the reason, mark nothing, and a person’s resume starts at 0', () => {
    const it = loop({ items: 3, worker: FAILS, settings: { concurrency: '1' } });
    expect(it.work(at('08:00')).code).toBe(3);
    expect(it.state()).toMatchObject({ paused: true, pauseReason: 'tick 3: 3 errors in a row' });
    expect(it.marks()).toEqual({});
    expect(it.lines().filter((line) => line.includes('compile failed'))).toHaveLength(3);
    const before = it.snapshot();
    expect(it.work(at('08:15'))).toEqual(QUIET);
    expect(it.snapshot()).toEqual(before);
    it.edit('.jez/state.md', 'paused: true', 'paused: false');
    it.write('mended', '');
    expect(it.work(at('08:30')).code).toBe(0);
    expect(it.state()).toMatchObject({ paused: false, pauseReason: null, doneCount: 3, today: { errorsInARow: 0 } });
    expect(it.lines().filter((line) => line.startsWith('paused'))).toHaveLength(1);
  });

  test('A62, D7: the streak goes on over ticks and midnight', () => {
    const it = loop({ items: 4, worker: FAILS, settings: { slice: '1' } });
    expect(it.work(at('23:50')).code).toBe(0);
    expect(it.work(at('23:55')).code).toBe(0);
    expect(it.work(at('00:05', 10)).code).toBe(3);
    expect(it.state()).toMatchObject({ paused: true, today: { date: '2026-06-10', count: 1, errorsInARow: 3 } });
  });

  test('A63, A64: a success between counts from 0, and what was not started is returned untouched', () => {
    const it = loop({
      items: 8,
      worker: 'case $name in c) result done;; *) fail item no;; esac',
      settings: { slice: '8', concurrency: '1' },
    });
    expect(it.work().code).toBe(3);
    expect(it.calls()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(it.state()).toMatchObject({ paused: true, today: { count: 6, errorsInARow: 3 } });
    expect(it.outcomes().map((line) => 'run' in line && line.run)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(it.lines()).toContain('released 2, not started after 3 errors in a row: items/g.md, items/h.md');
  });

  const OUTAGE = 'if [ -e "$PAWL_ROOT/up" ]; then result done; else fail infra "getaddrinfo EAI_AGAIN"; fi';

  test('A66, D9: an outage costs one call a batch, rests longer each time, then pauses', () => {
    const it = loop({ worker: OUTAGE, settings: { concurrency: '1' } });
    it.work(at('08:00'));
    expect(it.state().waitingUntil).toBe('2026-06-09T08:15:00.000Z');
    it.work(at('08:14'));
    expect(it.calls()).toHaveLength(1);
    it.work(at('08:15'));
    expect(it.state().waitingUntil).toBe('2026-06-09T08:45:00.000Z');
    expect(it.work(at('08:45')).code).toBe(3);
    expect(it.calls()).toHaveLength(3);
    expect(it.state().paused).toBe(true);
  });

  test('case D4: an outage is free for its item: the success after it is the first try', () => {
    const it = loop({ worker: OUTAGE, settings: { concurrency: '1' } });
    it.work(at('08:00'));
    it.write('up', '');
    it.work(at('08:20'));
    expect(Object.keys(it.marks())).toHaveLength(3);
    expect(it.outcomes()).toMatchObject([
      { item: 'items/a.md', class: 'infra', attempt: 1 },
      ...['b', 'c', 'a'].map((name) => ({ item: `items/${name}.md`, outcome: 'done', attempt: 1 })),
    ]);
  });

  test('D8, case D3: a broken login pauses at once and says so', () => {
    const it = loop({ worker: 'exit 78', settings: { concurrency: '1' } });
    expect(it.work().code).toBe(3);
    expect(it.calls()).toHaveLength(1);
    expect(it.state().pauseReason).toMatch(/^tick 3: auth: misconfigured/);
  });

  test('A67, case E8: an item that always fails is left to a person, the others go on, and its box gives it back', () => {
    const it = loop({
      ...{ items: 4, worker: '[ $name = a ] && [ ! -e "$PAWL_ROOT/mended" ] && exit 3\nresult done' },
      settings: { slice: '2', tries: '2', pause_after_errors: '9' },
    });
    for (const time of ['08:00', '08:15', '08:30', '08:45']) it.work(at(time));
    expect(it.calls()).toEqual(expect.arrayContaining(['b', 'c', 'd']));
    expect(it.calls().filter((name) => name === 'a')).toHaveLength(2);
    expect(Object.keys(it.marks())).toEqual(['b', 'c', 'd']);
    const box = '- [ ] items/a.md stuck after 2 tries: exit 3. Tick this box to try it again';
    expect(it.review()).toContain(box);
    it.work(at('10:00'));
    expect(it.review().split('items/a.md stuck')).toHaveLength(2);
    it.write('mended', '');
    it.edit('.jez/review.md', '- [ ] items/a.md', '- [x] items/a.md');
    it.work(at('10:15'));
    expect(it.marks()).toHaveProperty('a');
    expect(it.outcomes().at(-1)).toMatchObject({ item: 'items/a.md', outcome: 'done', attempt: 1 });
    expect(it.outcomes().filter((line) => 'release' in line)).toHaveLength(1);
  });
});
