import type { Machine } from '../../../src/engine/machine.ts';
import { handOver, readResult } from '../../../src/engine/results.ts';
import { supervise } from '../../../src/engine/supervise.ts';
import { type TickReport, tick } from '../../../src/engine/tick.ts';
import { codeOf } from '../../../src/errors.ts';
import type { Worker } from '../../../src/executors/executor.ts';
import { openSource } from '../../../src/sources/index.ts';
import { readBatches, readOwner } from '../../../src/store/batches.ts';
import { Workspace } from '../../../src/store/workspace.ts';
import { badRules, type Edited, OWN_LINE } from './rules.ts';
import { Crash, type Image, type SimDisk } from './sim-disk.ts';

// Six items, three days, slice 2, five a day: own-file outputs, side outputs, fields, learnings that become versions, failures in a row
// that take one back, a setting edited by hand before that, and a block edited after it.

const ITEMS = ['a', 'b', 'c', 'd', 'e', 'f'];
const CAP = 5;
export const DAYS = ['2026-06-09', '2026-06-10', '2026-06-11'];
const LOOP = `---
cohort: six items
done_when: all are checked
source: { kind: folder, path: "items/*.md", mark: { field: checked }, write: [size] }
workspace: { kind: scratch, copy_in: ["{path}"], outputs: ["items/*.md", "out/**"] }
executor: { kind: command, run: [worker] }
slice: 2
concurrency: 1
caps: { items_per_day: ${CAP} }
pause_after_errors: 2
timezone: UTC
learn: { mode: on, sightings: 1, per_day: 50 }
---
## Boundary
none
`;
const STATE = '---\npaused: false\n---\nNotes of a person.\n';

/** One dispatch of a worker, as it was seen outside the disk: nothing can undo it. */
export interface Dispatch {
  item: string;
  day: string;
}

export function firstImage(): Image {
  const image: Image = new Map();
  for (const folder of ['/w', '/w/.jez', '/w/items']) image.set(folder, null);
  image.set('/w/.jez/loop.md', Buffer.from(LOOP));
  image.set('/w/.jez/contract.md', Buffer.from('Work.\n'));
  image.set('/w/.jez/state.md', Buffer.from(STATE));
  for (const name of ITEMS)
    image.set(`/w/items/${name}.md`, Buffer.from(`---\ntitle: ${name}\n---\nText of ${name}.\n`));
  return image;
}

export interface Drive {
  disk: SimDisk;
  dispatched: Dispatch[];
  /** Told apart, so that the supervisor and the ticks of a dead process are not taken for alive. */
  boot: string;
  life: number;
  /** The day it is: clocks go on while a machine is down. */
  today: { day: string };
  edited: Edited;
  ghosts?: boolean;
}

/** Fires the clock until the backlog rests, day by day, with a person who edits, and resumes a loop that has paused. @throws Crash. */
export async function drive({ disk, dispatched, boot, life, today, edited, ghosts = false }: Drive): Promise<void> {
  const workspace = new Workspace('/w');
  const machine = machineOf(disk, boot, life, () => today.day, dispatched);
  const late = ghosts ? ghostsOf(disk, workspace) : null;
  for (const day of DAYS.filter((each) => each >= today.day)) {
    today.day = day;
    if (day === DAYS[1]) editSetting(disk, edited);
    if (day === DAYS[2]) editBlock(disk, edited);
    for (let rests = false, resumed = 0; !rests; ) {
      const report: TickReport = await tick({ workspace, machine }).catch((error: unknown) => {
        throw codeOf(error) === 'E_FENCED' ? new Crash(String(error)) : error;
      });
      await late?.(machine);
      if (report.did === 'paused' && resumed++ < 3) resume(disk);
      else rests = report.did !== 'acted';
    }
  }
}

const textAt = (disk: SimDisk, path: string) => disk.read(path)?.toString() ?? '';

function editSetting(disk: SimDisk, edited: Edited): void {
  if (edited.setting) return;
  disk.edit('/w/.jez/loop.md', textAt(disk, '/w/.jez/loop.md').replace('slice: 2\n', 'slice: 2 # mine\n'));
  edited.setting = true;
}

/** The person says no to one rule by deleting its line, and writes one of their own. */
function editBlock(disk: SimDisk, edited: Edited): void {
  const text = textAt(disk, '/w/.jez/contract.md');
  if (edited.block || !text.includes('pawl:rules:end')) return;
  const lines = text.split('\n').filter((line) => !line.endsWith(' Remember a.'));
  const end = lines.findIndex((line) => line.includes('pawl:rules:end'));
  disk.edit('/w/.jez/contract.md', lines.toSpliced(end, 0, OWN_LINE).join('\n'));
  edited.block = true;
}

const resume = (disk: SimDisk) =>
  disk.edit('/w/.jez/state.md', textAt(disk, '/w/.jez/state.md').replace('paused: true', 'paused: false'));

/**
 * What a killed tick may have left running: a supervisor that starts only now, and one that hands over only now. They come
 * after the first tick of the next life, which has taken both for dead.
 */
function ghostsOf(disk: SimDisk, workspace: Workspace): (machine: Machine) => Promise<void> {
  const open = readBatches(disk, workspace).open;
  const unowned = open.filter(({ batch }) => readOwner(disk, workspace, batch) === null);
  const begun = open.flatMap((claim) =>
    claim.runs.filter((run) => readResult(disk, workspace, run) === null).map((run) => ({ claim, run })),
  );
  let came = false;
  return async (machine) => {
    if (came) return;
    came = true;
    for (const claim of unowned) await machine.executor.start({ root: '/w', claim: { ...claim, batch: claim.batch } });
    for (const { claim, run } of begun) {
      const first = readResult(disk, workspace, run);
      if (first?.by !== 'reaper') continue;
      handOver(disk, workspace, { ...first, outcome: 'needs-human', by: 'supervisor', version: claim.version });
      if (readResult(disk, workspace, run)?.by !== 'reaper')
        throw new Error('a late result took the place of the first');
    }
  };
}

function machineOf(disk: SimDisk, boot: string, life: number, day: () => string, dispatched: Dispatch[]): Machine {
  let minute = 0;
  let seconds = 1000 * life;
  const id = (pid: number) => ({ pid, start: String(life), boot, namespace: 'n', host: 'h' });
  const clock = {
    now: () => new Date(Date.parse(`${day()}T08:00:00Z`) + 1000 * minute++),
    uptime: () => seconds++,
    bootId: () => boot,
  };
  const processes: Machine['processes'] = {
    self: () => id(life),
    identify: id,
    look: (other) => (other.boot === boot && other.start === String(life) ? 'alive' : 'dead'),
    end: async () => true,
    endGroup: async () => true,
    present: () => new Set(),
    findRun: () => [],
    endRun: async () => true,
  };
  const hands = { disk, clock, processes };
  const executor: Machine['executor'] = {
    async start({ root, claim }) {
      const workspace = new Workspace(root);
      const source = await openSource({
        disk,
        workspace,
        procedure: { source: claim.settings.source },
        keep: () => {},
      });
      const worker = workerOn(disk, (item) => dispatched.push({ item, day: day() }));
      const once = () => supervise({ hands, workspace, claim, worker, source, signal: new AbortController().signal });
      // Started twice, as a launcher that was not sure would: only one may own the batch.
      await Promise.all([once(), once()]);
    },
    poll: async () => ({ state: 'lost' }),
    stop: async () => {},
  };
  return { ...hands, gate: false, executor };
}

/** `b` fills in nothing: for it the mark is all there is. */
const fieldsOf = (index: number) => (index === 1 ? {} : { size: index });
/** What `e` teaches goes to loop.md, so that its version is taken back in the file that holds the settings. */
const levelOf = (index: number): 1 | 1.5 => (index === 4 || index % 2 === 1 ? 1.5 : 1);
const outputOf = (name: string) => `Made of ${name}.\n`;
const editOf = (text: string, name: string) => text.replace(`Text of ${name}.`, `Better text of ${name}.`);

/** How often the worker fails on an item before it succeeds: in a row, under one version of the loop's. */
const FAILURES: Record<string, number> = { f: 2 };

/** Every second item rewrites its own file, every third makes a file of its own. */
function workerOn(disk: SimDisk, note: (item: string) => void): Worker {
  return async (_spec, { item, scratch, attempt }) => {
    note(item.id);
    const name = item.title;
    const index = ITEMS.indexOf(name);
    const nothing = { fields: {}, learnings: [], surprises: [], unsure: [], usage: {} };
    if (attempt <= (FAILURES[name] ?? 0))
      return { ...nothing, outcome: 'failed', summary: '', error: { class: 'item', message: 'this try fails' } };
    if (index % 2 === 0) {
      const own = `${scratch}/${item.path}`;
      const text = disk.read(own)?.toString() ?? '';
      disk.unlink(own);
      disk.create(own, editOf(text, name));
    }
    if (index % 3 === 0) {
      disk.makeFolder(`${scratch}/out`);
      disk.create(`${scratch}/out/${name}.txt`, outputOf(name));
    }
    const learnings = [{ rule: `Remember ${name}.`, target: `about.${name}`, level: levelOf(index) }];
    return { ...nothing, outcome: 'done', summary: `did ${name}`, error: null, fields: fieldsOf(index), learnings };
  };
}

/** What must hold when the backlog rests after a crash; @returns every promise that is broken. */
export function violations(
  disk: SimDisk,
  dispatched: readonly Dispatch[],
  crashes: number,
  paid: readonly number[],
  edited: Edited,
): string[] {
  const bad: string[] = [];
  const read = (path: string) => disk.read(`/w/${path}`)?.toString() ?? '';
  const count = (text: string, part: string) => text.split(part).length - 1;
  const days = disk.list('/w/.jez/reflections').map((name) => read(`.jez/reflections/${name}`));
  const blocks = days.flatMap(wholeBlocks);
  const state = read('.jez/state.md');
  const rules = read('.jez/rules.yaml');
  const outcomes = outcomeLines(read('.jez/outcomes.jsonl'));

  for (const [index, name] of ITEMS.entries()) {
    const id = `items/${name}.md`;
    const text = read(id);
    const body = index % 2 === 0 ? editOf(`Text of ${name}.`, name) : `Text of ${name}.`;
    if (count(text, 'checked: 2026-06-') !== 1) bad.push('an item is not marked exactly once');
    if (!text.includes(`\n${body}\n`) || count(text, 'title: ') !== 1) bad.push('the text of an item is wrong');
    if (count(text, `size: ${index}`) !== (index === 1 ? 0 : 1)) bad.push('a field is not filed');
    if (index % 3 === 0 && read(`out/${name}.txt`) !== outputOf(name)) bad.push('an output is missing or wrong');
    if (count(state, `rule: "Remember ${name}."`) !== 0) bad.push('a learning waits for ever');
    if (count(rules, `rule: Remember ${name}.`) !== 1) bad.push('a learning is not recorded exactly once');
    const calls = dispatched.filter(({ item }) => item === id).length;
    if (calls > 1 + (FAILURES[name] ?? 0) + crashes) bad.push('a worker was called too often');
    const done = new Set(outcomes.filter((line) => line.item === id && line.outcome === 'done').map(({ run }) => run));
    if (done.size !== 1) bad.push('an item was not done by exactly one run');
    if (paid.some((run) => outcomes.some((line) => line.run === run && line.outcome !== 'done')))
      bad.push('paid work that was handed over is lost');
    const told = blocks.filter(({ text }) => text.includes(`- done ${id} `)).length;
    if (told !== 1) bad.push(told === 0 ? 'a done item is not told' : 'a done item is told twice');
  }
  if (count(read('.jez/outcomes.jsonl'), '"message":"this try fails"') < 2) bad.push('a failure left no line');
  bad.push(...badRules(disk, ITEMS, edited, blocks));
  for (const day of DAYS)
    if (dispatched.filter((each) => each.day === day).length > CAP) bad.push('the daily cap was passed');
  if (new Set(blocks.map(({ tick }) => tick)).size !== blocks.length) bad.push('a reflection block is there twice');
  bad.push(...badRecords(disk));
  if (!state.includes(`done_count: ${ITEMS.length}`)) bad.push('done_count differs from the marks');
  if (!state.includes('Notes of a person.')) bad.push("a person's notes are gone");
  if (!/^paused: false/m.test(state)) bad.push('the loop ends paused');
  if (!state.includes('in_flight: []')) bad.push('something is in flight for ever');
  return [...new Set(bad)];
}

function outcomeLines(text: string): { item?: string; outcome?: string; run?: number }[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

/** A block that was torn by a crash stays, and is followed by the whole. */
function wholeBlocks(text: string): { tick: string; text: string }[] {
  const blocks = text.matchAll(/<!-- tick:(\d+) -->\n## [^\n]*\n(?:- [^\n]*\n)*<!-- \/tick:\1 -->\n/g);
  return [...blocks].map(([whole, tick = '']) => ({ tick, text: whole }));
}

function badRecords(disk: SimDisk): string[] {
  const bad: string[] = [];
  for (const name of disk.list('/w/.jez/ticks')) {
    if (!/^\d+\.json$/.test(name)) continue;
    const record = JSON.parse(disk.read(`/w/.jez/ticks/${name}`)?.toString() ?? '{}');
    if (record.state !== 'closed') bad.push('a tick was never closed');
    const day = disk.read(`/w/.jez/reflections/${record.day}.md`)?.toString() ?? '';
    if (!day.includes(record.entry)) bad.push('the block of a closed tick is missing');
  }
  for (const batch of disk.list('/w/.jez/batches'))
    if (
      disk.stat(`/w/.jez/batches/${batch}/claim.json`) !== null &&
      disk.stat(`/w/.jez/batches/${batch}/filed.json`) === null
    )
      bad.push('a batch was never filed');
  const left = ['/w/items', '/w/.jez', '/w/.jez/ticks'].flatMap((folder) =>
    disk.list(folder).filter((name) => name.includes('.tmp-')),
  );
  if (left.length > 0) bad.push('a temporary file is left');
  return bad;
}

/** Runs whose result a disk holds as done: whatever happens after, that work is filed and not done again. */
export function paidRuns(image: Image): number[] {
  return [...image].flatMap(([path, bytes]) => {
    if (!/\/runs\/[^/]+\/result\.json$/.test(path) || bytes === null) return [];
    try {
      const result = JSON.parse(bytes.toString()) as { run: number; outcome: string };
      return result.outcome === 'done' ? [result.run] : [];
    } catch {
      return [];
    }
  });
}
