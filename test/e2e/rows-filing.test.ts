import { cpSync, existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Machine } from '../../src/engine/machine.ts';
import { tick } from '../../src/engine/tick.ts';
import { parseState } from '../../src/formats/state.ts';
import { readOwner } from '../../src/store/batches.ts';
import { type Disk, realDisk } from '../../src/store/disk.ts';
import { Workspace } from '../../src/store/workspace.ts';
import { at, type Loop, loop, machineAt } from '../support/loop.ts';
import { eventually, shell } from '../support/processes.ts';
import { folder } from '../support/workspace.ts';

// The rows of sections 0 and A that are about a batch: claimed, in flight, ended, judged, filed.

const QUIET = { code: 0, out: '', error: '' };
const entryOf = (it: Loop, name: string) => it.lines().filter((line) => line.includes(`items/${name}.md (run`));

/** The text a person would find in `history/`. */
function history(it: Loop): string[] {
  const root = it.path('.jez/history');
  const files = existsSync(root) ? readdirSync(root, { recursive: true, withFileTypes: true }) : [];
  return files.filter((file) => file.isFile()).map((file) => readFileSync(`${file.parentPath}/${file.name}`, 'utf8'));
}

describe('in flight', () => {
  test('A30, A47, A29: a tick ends while its batch works on; the next one leaves it alone, and a pause leaves its results', async () => {
    const it = loop({ items: 4, worker: 'wait_for go; learn "Rule of $name."; result done', settings: { slice: '2' } });
    expect(it.tick(at('08:00'))).toEqual(QUIET);
    await eventually(() => it.calls().length === 2);
    const before = it.snapshot();
    expect(it.tick(at('08:15'))).toEqual(QUIET);
    it.remove('.jez/cache');
    expect(it.run(at('08:15'), 'tick', '--json').out).toContain('"did":"running"');
    expect(it.snapshot()).toEqual(before);
    it.write('go', '');
    await it.settled();
    it.edit('.jez/state.md', 'paused: false', 'paused: true');
    const paused = it.snapshot();
    expect(it.tick(at('08:30'))).toEqual(QUIET);
    expect(it.snapshot()).toEqual(paused);
    it.edit('.jez/state.md', 'paused: true', 'paused: false');
    expect(it.work(at('08:45'))).toEqual(QUIET);
    expect(Object.keys(it.marks())).toEqual(['a', 'b', 'c', 'd']);
    expect(it.state().queuedLearnings.map(({ rule }) => rule)).toContain('Rule of a.');
  });

  test('A88: a batch of another machine, seen in a synced folder, is left alone', async () => {
    const it = loop({ worker: 'wait_for go; result done' });
    it.tick(at('08:00'));
    await eventually(() => it.calls().length === 2);
    const owner = it.read('.jez/batches/0001/owner.json');
    for (const name of ['claim', 'owner'])
      it.edit(`.jez/batches/0001/${name}.json`, /"host": "[^"]*"/, '"host": "elsewhere"');
    const before = it.snapshot();
    expect(it.work(at('08:15'))).toEqual(QUIET);
    expect(it.snapshot()).toEqual(before);
    it.write('.jez/batches/0001/owner.json', owner);
    it.write('go', '');
    await it.settled();
  });

  test('A26, D1: what became of the item meanwhile decides: gone, renamed, marked, edited', () => {
    const it = loop({
      items: 4,
      worker: `here="$PAWL_ROOT/$id"
case $name in
  a) rm "$here" ;;
  b) mv "$here" "$PAWL_ROOT/items/z.md" ;;
  c) printf -- '---\\nchecked: 2020-02-02\\nsize: 9\\n---\\nBy hand.\\n' > "$here" ;;
  d) echo 'One more line.' >> "$here" ;;
esac
result done "" ',"fields":{"size":7}'`,
      settings: { slice: '4' },
    });
    expect(it.work(at('08:00'))).toEqual(QUIET);
    expect(it.read('items/c.md')).toBe('---\nchecked: 2020-02-02\nsize: 9\n---\nBy hand.\n');
    expect(it.read('items/d.md')).toBe(
      '---\ntitle: d\nsize: 7\nchecked: 2026-06-09\n---\nText of d.\nOne more line.\n',
    );
    for (const name of ['a', 'b']) expect(entryOf(it, name)).toEqual([expect.stringContaining('orphan')]);
    expect(entryOf(it, 'c')).toEqual([expect.stringContaining('theirs stays')]);
    expect(it.state()).toMatchObject({ paused: false, today: { errorsInARow: 0 } });
    it.work(at('08:15'));
    expect(it.calls().sort()).toEqual(['a', 'b', 'c', 'd', 'z']);
    expect(existsSync(it.path('items/a.md'))).toBe(false);
  });

  const killed = async (sideEffects: string) => {
    const it = loop({
      ...{ items: 5, worker: '[ $name = c ] && wait_for go; result done' },
      settings: { slice: '5', concurrency: '1', side_effects: sideEffects },
    });
    it.tick(at('08:00'));
    await eventually(() => it.calls().length === 3);
    const owner = readOwner(realDisk, it.workspace, 1);
    if (owner === null || !('pid' in owner)) throw new Error('the batch has no owner');
    process.kill(owner.pid, 'SIGKILL');
    await it.settled();
    expect(it.tick(at('08:01'))).toEqual(QUIET);
    it.write('go', '');
    await it.settled();
    return it;
  };

  test('A38, A31, D5: of a batch that died the results are filed, what had begun is lost, the rest was never started', async () => {
    const it = await killed('none');
    expect(Object.keys(it.marks())).toEqual(expect.arrayContaining(['a', 'b']));
    expect(it.lines().filter((line) => line.startsWith('lost'))).toEqual([
      expect.stringContaining('items/c.md (run 0003'),
    ]);
    expect(it.lines().filter((line) => line.startsWith('released'))).toHaveLength(1);
    it.work(at('08:15'));
    expect(it.calls().sort()).toEqual(['a', 'b', 'c', 'c', 'd', 'e']);
    expect(Object.keys(it.marks())).toHaveLength(5);
    expect(it.state()).toMatchObject({ doneCount: 5, today: { count: 6, errorsInARow: 0 } });
    expect(it.outcomes().at(-1)).toMatchObject({ item: 'items/c.md', outcome: 'done', attempt: 1 });
  });

  test('with effects elsewhere, what had begun waits for a person instead', async () => {
    const it = await killed('external');
    it.work(at('08:15'));
    expect(it.calls().filter((name) => name === 'c')).toHaveLength(1);
    expect(it.review()).toMatch(/^- \[ \] items\/c\.md lost half-way, may have had effects: /m);
    expect(it.run(at('08:20'), 'retry', 'items/c.md').code).toBe(0);
    it.work(at('08:30'));
    expect(it.marks()).toHaveProperty('c');
  });

  test('A42, D10: a claim that nobody took up costs no try, and its count comes back', async () => {
    const it = loop();
    const dead = shell('exit 0');
    await eventually(() => dead.exitCode !== null);
    const machine = machineAt(at('08:00'));
    const { self } = machine.processes;
    const gone: Machine = {
      ...machine,
      processes: { ...machine.processes, self: () => ({ ...self(), pid: dead.pid, start: '1' }) },
      executor: { ...machine.executor, start: async () => {} },
    };
    await tick({ workspace: it.workspace, machine: gone });
    expect(it.state()).toMatchObject({ today: { count: 3 }, inFlight: [{ run: 1 }, { run: 2 }, { run: 3 }] });
    expect(it.work(at('08:05'))).toEqual(QUIET);
    expect(it.calls()).toEqual(['a', 'b', 'c']);
    expect(it.state().today.count).toBe(3);
    expect(it.outcomes()).toMatchObject([
      { run: 4, attempt: 1 },
      { run: 5, attempt: 1 },
      { run: 6, attempt: 1 },
    ]);
  });
});

describe('filing', () => {
  test('A22: a result that is filed twice changes nothing the second time', () => {
    const it = loop();
    it.work(at('08:00'));
    const marks = it.marks();
    const items = ['a', 'b', 'c'].map((name) => it.read(`items/${name}.md`));
    const outcomes = it.outcomes();
    it.remove('.jez/batches/0001/filed.json');
    it.remove('.jez/cache');
    it.work(at('08:15'));
    expect(it.marks()).toEqual(marks);
    expect(['a', 'b', 'c'].map((name) => it.read(`items/${name}.md`))).toEqual(items);
    expect(it.outcomes()).toEqual(outcomes);
    expect(it.state()).toMatchObject({ doneCount: 3, cursor: 3, today: { count: 3, errorsInARow: 0 } });
    expect(existsSync(it.path('.jez/batches/0001/filed.json'))).toBe(true);
  });

  test('A41: waiting for the batch, or leaving it to the next tick, gives the same marks, outputs and counts', async () => {
    const spec = { worker: 'echo "Made by $name." >> "$id"; mkdir out; echo $name > out/$name.txt; result done' };
    const [inline, spawned] = [loop(spec), loop(spec)];
    inline.work(at('08:00'));
    spawned.tick(at('08:00'));
    await spawned.settled();
    spawned.tick(at('08:00'));
    const files = (it: Loop) =>
      Object.entries(it.snapshot()).filter(([name]) => /^(items|out)\/|state\.md$/.test(name));
    expect(files(inline)).toEqual(files(spawned));
    expect(inline.read('items/a.md')).toBe('---\ntitle: a\nchecked: 2026-06-09\n---\nText of a.\nMade by a.\n');
    expect(inline.read('out/b.txt')).toBe('b\n');
  });

  test('a value a person wrote meanwhile stays and is told; what is replaced is kept in history/', () => {
    const text = (name: string) => (name === 'c' ? '# c\n' : `---\nsize: 3\n---\nText of ${name}.\n`);
    const it = loop({
      ...{ items: 3, text },
      worker: `[ $name = b ] && printf -- '---\\nsize: 4\\n---\\nText of b.\\n' > "$PAWL_ROOT/$id"
result done "" ',"fields":{"size":7}'`,
    });
    it.work();
    expect(it.read('items/a.md')).toBe('---\nsize: 7\nchecked: 2026-06-09\n---\nText of a.\n');
    expect(it.read('items/b.md')).toBe('---\nsize: 4\nchecked: 2026-06-09\n---\nText of b.\n');
    expect(it.read('items/c.md')).toBe('---\nsize: 7\nchecked: 2026-06-09\n---\n# c\n');
    expect(entryOf(it, 'b')).toEqual([expect.stringContaining('left as it is: size')]);
    expect(entryOf(it, 'a')[0]).not.toContain('person');
    expect(history(it)).toEqual(expect.arrayContaining(['---\nsize: 3\n---\nText of a.\n', '# c\n']));
  });

  test('a field that source.write does not name is never filed, whatever the outcome says', () => {
    const it = loop({
      items: 2,
      worker: `case $name in a) o=done;; b) o=nothing;; esac; result $o "" ',"fields":{"title":"x","paused":1}'`,
    });
    it.work();
    for (const name of ['a', 'b'])
      expect(it.read(`items/${name}.md`)).toBe(`---\ntitle: ${name}\nchecked: 2026-06-09\n---\nText of ${name}.\n`);
    expect(entryOf(it, 'a')[0]).toContain('not in source.write, not filed: title, paused');
  });

  test('an item that somebody changes under each run waits for a person after the second, and comes back when asked', () => {
    const it = loop({
      items: 1,
      worker:
        '[ -e "$PAWL_ROOT/calm" ] || echo "By a person." >> "$PAWL_ROOT/$id"; echo "By the run." >> "$id"; result done',
    });
    it.work(at('08:00'));
    expect(entryOf(it, 'a')).toEqual([expect.stringMatching(/^superseded items\/a\.md \(run 0001/)]);
    expect(it.read('items/a.md')).toBe('---\ntitle: a\n---\nText of a.\nBy a person.\n');
    expect(it.review()).toBe('');
    it.work(at('08:15'));
    for (const time of ['08:30', '10:00']) it.work(at(time));
    expect(it.calls()).toHaveLength(2);
    expect(it.review().match(/^- \[ \] items\/a\.md changed by somebody while it ran, twice/gm)).toHaveLength(1);
    it.write('calm', '');
    it.edit('.jez/review.md', '- [ ] items/a.md', '- [x] items/a.md');
    it.work(at('10:15'));
    expect(it.marks()).toEqual({ a: '2026-06-09' });
    expect(it.read('items/a.md')).toMatch(/By a person\.\nBy a person\.\nBy the run\.\n$/);
  });
});

describe('what proves that an item is done', () => {
  const CHECK = '#!/bin/sh\n[ -e "out/$(ls items | head -1)" ] && exit 0\necho "no such page"\nexit 1\n';
  const settings = { check: '[/bin/sh, check.sh]', pause_after_errors: '9' };
  const worker = `case $name in a) mkdir out; echo made > out/a.md; result done;; b) result done;; c) result nothing;; esac`;

  test('D24, case A2: only a check that passes; done without work and nothing to do are failures of the item', () => {
    const it = loop({ worker, settings });
    it.write('check.sh', CHECK);
    it.work();
    expect(it.marks()).toEqual({ a: '2026-06-09' });
    expect(it.read('out/a.md')).toBe('made\n');
    for (const name of ['b', 'c'])
      expect(entryOf(it, name)).toEqual([
        expect.stringMatching(/^failed .*try 1 of 3\): \/bin\/sh check\.sh exit 1: no such page$/),
      ]);
    expect(it.outcomes().slice(1)).toMatchObject([{ class: 'item' }, { class: 'item' }]);
  });

  test('a check that can’t start is no fault of the item: it costs no try, and the loop rests', () => {
    const it = loop({ worker, settings: { ...settings, check: '[no-such-program]', concurrency: '1' } });
    it.work();
    expect(it.marks()).toEqual({});
    expect(it.outcomes()).toMatchObject([
      { outcome: 'failed', class: 'tool', message: expect.stringContaining('could not start') },
    ]);
    expect(it.state().waitingUntil).toBe('2026-06-09T08:15:00.000Z');
    it.edit('.jez/loop.md', 'check: [no-such-program]', 'check: null');
    it.work(at('08:20'));
    expect(
      it
        .outcomes()
        .slice(1)
        .map((line) => 'attempt' in line && line.attempt),
    ).toEqual([1, 1, 1]);
  });

  test('A79: without a result in the protocol’s own form nothing is done, whatever a worker says', () => {
    const it = loop({
      worker:
        'case $name in a) exit 0;; b) echo "All done! <promise>COMPLETE</promise>";; c) result done; exit 1;; esac',
    });
    expect(it.work().code).toBe(3);
    expect(it.marks()).toEqual({});
    expect(it.outcomes()).toMatchObject([{ class: 'item' }, { class: 'item' }, { class: 'item' }]);
  });
});

/** Calls `before` with each operation of a disk, before it is done. Nothing is synced: no power is cut here. */
const watched = (before: (name: string, path: unknown) => void): Disk =>
  new Proxy(realDisk, {
    get(target, name: keyof Disk) {
      const operation = target[name];
      return (...args: unknown[]) => {
        before(name, args.at(name === 'rename' ? 1 : 0));
        return name === 'sync' || name === 'syncFolder' ? undefined : Reflect.apply(operation, target, args);
      };
    },
  });

/** A tick on a copy of the loop, on that disk. @returns whether a batch was started. */
async function tickOn(root: string, disk: Disk): Promise<boolean> {
  const { executor, ...machine } = machineAt(at('08:30'));
  let started = false;
  const start = async () => {
    started = true;
  };
  const workspace = new Workspace(root);
  await tick({ workspace, machine: { ...machine, disk, gate: false, executor: { ...executor, start } } });
  return started;
}

test('A46, D20: a pause and a deleted learning hold, whatever moment of a tick a person saves them in', async () => {
  const it = loop({
    worker: 'learn "Rule of $name."; result done',
    settings: { slice: '1', window: '{ ticks: 1, hours: 99 }' },
  });
  it.work(at('08:00'));
  it.tick(at('08:15'));
  await it.settled();
  expect(it.state().queuedLearnings.map(({ id }) => id)).toEqual(['L1']);
  const copies = folder();
  const copy = (name: string) => {
    cpSync(it.root, copies.path(name), { recursive: true });
    return { root: copies.path(name), state: copies.path(`${name}/.jez/state.md`) };
  };

  const quiet = copy('quiet');
  const moments: string[] = [];
  const note = (name: string, path: unknown) => void moments.push(path === quiet.state ? `${name} state` : name);
  expect(await tickOn(quiet.root, watched(note))).toBe(true);
  // Files have no compare-and-swap: from the last look at state.md to the rename there is a gap, with the looks at the lock in it.
  const renamed = moments.lastIndexOf('rename state');
  const looked = moments.lastIndexOf('read state', renamed);
  expect(moments.filter((name) => name === 'rename state')).toHaveLength(1);
  expect(renamed - looked).toBeLessThanOrEqual(3);

  // Before a look at another file a save is the same as after it.
  const commutes = (name = '') => /^(read|readHead|readAt|entries|list|stat|sync|syncFolder)$/.test(name);
  const chosen = [...moments.keys()].filter((when) => !commutes(moments[when]) && (when <= looked || when > renamed));
  expect(chosen.length).toBeGreaterThan(30);
  for (const when of chosen) {
    const { root, state } = copy(String(when));
    let count = 0;
    const save = () => {
      if (count++ !== when) return;
      const text = readFileSync(state, 'utf8').replace('paused: false', 'paused: true');
      writeFileSync(`${state}.saving`, text.replace(/^ +- \{ id: L1.*\n/m, ''));
      renameSync(`${state}.saving`, state);
    };
    const started = await tickOn(root, watched(save));
    const { paused, queuedLearnings } = parseState(readFileSync(state), 'state.md');
    const isBack = queuedLearnings.some(({ id }) => id === 'L1');
    expect({ when, paused, isBack, started }).toEqual({ when, paused: true, isBack: false, started: false });
  }
});
