import { beforeAll, describe, expect, test } from 'vitest';
import { learningId, rulesIn } from '../../src/core/block.ts';
import { activeOf, OWNED, type Version } from '../../src/core/version.ts';
import { readLedger } from '../../src/engine/observe.ts';
import { tick } from '../../src/engine/tick.ts';
import type { Worker } from '../../src/executors/executor.ts';
import { blockLines, setBlock } from '../../src/formats/block.ts';
import { readVersions } from '../../src/store/versions.ts';
import { Workspace } from '../../src/store/workspace.ts';
import { MemoryDisk } from '../support/memory-disk.ts';
import { isSealed, memoryMachine } from '../support/memory-machine.ts';

// A loop that lives for 104 days of quarter hours: items come and go, workers learn, every few days something that breaks them all.

const TICKS = 10_000;
const CAP = 8;
const START = Date.parse('2026-01-05T00:00:00Z');
const LOOP = `---
cohort: what comes in
done_when: all are checked
source: { kind: folder, path: "items/*.md", mark: { field: checked } }
workspace: { kind: scratch, copy_in: [], outputs: [] }
executor: { kind: command, run: [worker] }
slice: 3
concurrency: 1
tries: 9
caps: { items_per_day: ${CAP} }
timezone: UTC
learn: { mode: on, sightings: 1, per_day: 9 }
---
## Boundary
none

<!-- pawl:rules:start -->
<!-- pawl:rules:end -->
`;
const CONTRACT = 'Work.\n<!-- pawl:rules:start -->\n<!-- pawl:rules:end -->\nMore.\n';

const workspace = new Workspace('/w');
const path = (name: string) => `/w/.jez/${name}`;

/** What was seen from outside, where no tick can change it. */
interface Seen {
  dispatched: Record<string, number>;
  /** The mark of each item that was put away, by name, once for each time. */
  marks: Record<string, string[]>;
  added: number;
  paused: number;
  looked: number;
  largestState: number;
  filesAtHalf: Record<string, number>;
  wrong: string[];
}

const nothing = { fields: {}, surprises: [], unsure: [], usage: {}, summary: '', error: null, learnings: [] };

/** Fails whatever it is given while its contract says so; otherwise a line of the contract is no matter. */
function workerOf(seen: Seen, day: () => string): Worker {
  let calls = 0;
  return async (_spec, { item, contract }) => {
    calls += 1;
    seen.dispatched[day()] = (seen.dispatched[day()] ?? 0) + 1;
    const failed = (errorClass: 'item' | 'infra') =>
      ({ ...nothing, outcome: 'failed', error: { class: errorClass, message: `${item.title} fails` } }) as const;
    if (contract.text.includes('Break ')) return failed('item');
    if (calls % 97 === 0) return failed('infra');
    if (calls % 11 === 0) return failed('item');
    const rule = calls % 25 === 0 ? `Break number ${calls}.` : calls % 4 === 0 ? `Mind number ${calls}.` : null;
    const level = calls % 8 === 0 ? (1.5 as const) : (1 as const);
    return { ...nothing, outcome: 'done', learnings: rule === null ? [] : [{ rule, target: null, level }] };
  };
}

const marksIn = (text: string) => [...text.matchAll(/^checked: (.+)$/gm)].map(([, mark = '']) => mark);

/** Each morning a person puts away what is done, adds some items, and looks at the rules now and then. */
function morning(disk: MemoryDisk, seen: Seen, day: number): void {
  for (const name of disk.list('/w/items')) {
    const marks = marksIn(disk.text(`/w/items/${name}`));
    if (marks.length === 0) continue;
    seen.marks[name] = [...(seen.marks[name] ?? []), ...marks];
    disk.unlink(`/w/items/${name}`);
  }
  // More than the cap on some days, none on others, none at all towards the end.
  const more = day < TICKS / 96 - 12 ? (day * 7) % 13 : 0;
  for (let n = 0; n < more; n++)
    disk.write(`/w/items/i${String(seen.added++).padStart(5, '0')}.md`, `---\ntitle: t${seen.added}\n---\nText.\n`);
  if (day % 9 === 5)
    edit(disk, 'contract.md', /(rules:start -->\n)(?:- \[R-\d+\] Mind .*\n){1,6}/, '$1* my own line\n');
  if (day % 9 === 6) edit(disk, 'contract.md', '* my own line\n', '');
  if (day % 13 === 7) edit(disk, 'rules.yaml', /(state: )applied(.*Mind )/, '$1vetoed$2');
  if (day % 5 === 3) edit(disk, 'state.md', / *- \{ id: L\d+, .*\n/, '');
}

function edit(disk: MemoryDisk, name: string, from: string | RegExp, to: string): void {
  disk.write(path(name), disk.text(path(name)).replace(from, to));
}

/** Whoever looks at a loop that stopped takes out what breaks everything, wherever it came from. */
function resume(disk: MemoryDisk, seen: Seen): void {
  seen.paused += 1;
  for (const file of OWNED) edit(disk, file, /- \[R-\d+\] Break .*\n/g, '');
  edit(disk, 'state.md', 'paused: true', 'paused: false');
}

const FOLDERS = ['ticks', 'history', 'cache', 'lock'];
const counts = (disk: MemoryDisk) =>
  Object.fromEntries([
    ...FOLDERS.map((name) => [name, disk.list(path(name)).length]),
    ['.jez', disk.list('/w/.jez').length],
  ]);

async function live(disk: MemoryDisk): Promise<Seen> {
  const seen: Seen = {
    dispatched: {},
    marks: {},
    added: 0,
    paused: 0,
    looked: 0,
    largestState: 0,
    filesAtHalf: {},
    wrong: [],
  };
  let at = START;
  const day = () => new Date(at).toISOString().slice(0, 10);
  const machine = memoryMachine(disk, START, () => at, workerOf(seen, day));
  for (let n = 0; n < TICKS; n++, at += 15 * 60_000) {
    if (n % 96 === 32) morning(disk, seen, Math.floor(n / 96));
    // Some of those that the command would not even begin are looked at all the same, and must come to nothing.
    const sealed = isSealed(disk, workspace, at);
    if (sealed && n % 20 !== 0) continue;
    const { did } = await tick({ workspace, machine });
    seen.looked += 1;
    if (sealed && did !== 'idle') seen.wrong.push(`tick ${n} was sealed and ${did}`);
    if (did === 'paused') resume(disk, seen);
    seen.largestState = Math.max(seen.largestState, disk.text(path('state.md')).length);
    if (n === TICKS / 2) seen.filesAtHalf = counts(disk);
    if (n % 50 === 0) seen.wrong.push(...wrongNow(disk, n));
  }
  morning(disk, seen, 9_999);
  return seen;
}

/** The blocks of the files are those of the active version, which is not bad. */
function wrongNow(disk: MemoryDisk, n: number): string[] {
  const active = activeOf(readVersions(disk, workspace));
  if (active === null) return [];
  const differs = OWNED.filter(
    (file) => blockLines(disk.text(path(file))).join('\n') !== active.blocks[file].join('\n'),
  );
  return differs.map((file) => `tick ${n}: ${file} is not as in version ${active.n}`);
}

describe('P7: ten thousand ticks', () => {
  const disk = new MemoryDisk();
  let seen: Seen;
  let versions: Version[];

  beforeAll(async () => {
    for (const [name, text] of [
      ['loop.md', LOOP],
      ['contract.md', CONTRACT],
      ['state.md', '---\npaused: false\n---\nMine.\n'],
    ] as const)
      disk.write(path(name), text);
    disk.makeFolder('/w/items');
    seen = await live(disk);
    versions = readVersions(disk, workspace, true);
  }, 120_000);

  test('every item is marked, once', () => {
    expect(seen.added).toBeGreaterThan(400);
    const all = Object.values(seen.marks);
    expect(all).toHaveLength(seen.added);
    expect(all.filter((marks) => marks.length !== 1)).toEqual([]);
    expect(disk.list('/w/items')).toEqual([]);
  });

  test('P4: the cap is met on many days and passed on none', () => {
    const days = Object.values(seen.dispatched);
    expect(days.filter((count) => count === CAP).length).toBeGreaterThan(30);
    expect(Math.max(...days)).toBe(CAP);
  });

  test('much happened: versions of the loop and of a person, failures that took them back, vetoes, pauses', () => {
    const told = disk.list(path('reflections')).flatMap((name) => disk.text(path(`reflections/${name}`)).split('\n'));
    const times = (start: string) => told.filter((line) => line.startsWith(`- ${start}`)).length;
    expect(seen.looked).toBeGreaterThan(2_500);
    expect(times('applied L')).toBeGreaterThan(100);
    expect(times('took version')).toBeGreaterThan(8);
    expect(times('took out R-')).toBeGreaterThan(3);
    expect(times('vetoed L')).toBeGreaterThan(8);
    expect(times('done ')).toBe(seen.added);
    expect(seen.paused).toBeGreaterThan(4);
  });

  test('C14, D23: the blocks were those of the active version all along, and no sealed tick had anything to do', () => {
    expect(seen.wrong).toEqual([]);
  });

  test('C8, C18: each version has its parent, down to 0, and only a version of the loop was ever taken back', () => {
    const numbers = new Set(versions.map(({ n }) => n));
    expect(versions.filter(({ parent, n }) => !numbers.has(parent) || (parent >= n && n > 0))).toEqual([]);
    expect(versions[0]).toMatchObject({ n: 0, by: 'human', bad: null });
    expect(versions.filter(({ by, bad }) => by === 'human' && bad !== null)).toEqual([]);
  });

  test('the ledger and the blocks say the same', () => {
    const rules = readLedger(disk, workspace);
    const inForce = OWNED.flatMap((file) => rulesIn(blockLines(disk.text(path(file))))).map(({ id }) => learningId(id));
    expect(
      rules
        .filter(({ state }) => state === 'applied')
        .map(({ id }) => id)
        .sort(),
    ).toEqual(inForce.sort());
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  });

  test('C27: nothing grows for ever but runs, their batches, outcomes, reflections and the versions in force', () => {
    expect(seen.largestState).toBeLessThan(8 * 1024);
    expect(counts(disk).ticks).toBeLessThanOrEqual(100);
    expect(counts(disk).history).toBeLessThanOrEqual(50);
    for (const [name, most] of Object.entries(seen.filesAtHalf)) expect(counts(disk)[name]).toBeLessThanOrEqual(most);
    const kept = new Set([0, ...versions.slice(-50).map(({ n }) => n)]);
    expect(versions.filter(({ n, bad }) => bad !== null && !kept.has(n))).toEqual([]);
    expect(versions.at(-1)?.n).toBeGreaterThan(versions.length);
    expect(OWNED.every((file) => disk.text(path(file)).length < 8 * 1024)).toBe(true);
  });

  test('what a person wrote outside the blocks is as it was', () => {
    expect(OWNED.map((file) => setBlock(disk.text(path(file)), []))).toEqual([CONTRACT, LOOP]);
    expect(disk.text(path('state.md'))).toMatch(/\n---\nMine\.\n$/);
  });
});
