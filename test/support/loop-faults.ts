import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { State } from '../../src/core/model.ts';
import type { Rule } from '../../src/core/rule.ts';
import { parseRules } from '../../src/formats/rules.ts';
import { parseState } from '../../src/formats/state.ts';
import { realDisk } from '../../src/store/disk.ts';
import { addition, DAY, ITEMS, idOf, rewrites } from './real-loop.ts';
import { versionFaults } from './version-faults.ts';

export interface Expected {
  /** Items that are done; the others have to be as they were. */
  done: readonly string[];
  /** So often something was killed or broke: each may have cost one more call of a worker. */
  crashes: number;
  cap?: number;
  /** Items whose learnings a person turned down. */
  struck?: readonly string[];
  /** Items whose learnings may have gone with a version that was taken back. */
  reverted?: readonly string[];
  /** So often workers failed of their own, by item: each cost one more call. */
  failed?: Record<string, number>;
  /** Runs that were handed over as done before the crash. */
  paid?: readonly number[];
}

/** @returns every promise that is broken in a loop that rests. */
export function faults(root: string, expected: Expected): string[] {
  const { done, crashes, cap, paid = [], failed = {} } = expected;
  const bad: string[] = [];
  const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '');
  const calls = callsOf(root);
  const state = parseState(readFileSync(join(root, '.jez/state.md')), 'state.md');
  const blocks = wholeBlocks(read(`.jez/reflections/${DAY}.md`));
  const outcomes = outcomeLines(read('.jez/outcomes.jsonl'));
  const rules = parseRules(read('.jez/rules.yaml'), 'rules.yaml');

  for (const name of ITEMS) {
    const id = idOf(name);
    if (!existsSync(join(root, id))) continue;
    const isDone = done.includes(name);
    if (count(read(id), `checked: ${DAY}`) !== (isDone ? 1 : 0)) bad.push(`${name} is not marked as it should be`);
    if (isDone) bad.push(...textFaults(name, read(id)).map((what) => `${name}: ${what}`));
    if (!isDone) continue;
    bad.push(...learnedFaults(name, rules, state, expected));
    const called = calls.filter((call) => call === id).length;
    if (called < 1 || called > 1 + crashes + (failed[name] ?? 0))
      bad.push(`the worker of ${name} was called ${called} times`);
    const runs = new Set(outcomes.filter((line) => line.item === id && line.outcome === 'done').map(({ run }) => run));
    if (runs.size !== 1) bad.push(`${name} was done by ${runs.size} runs`);
    const told = blocks.filter(({ text }) => text.includes(`- done ${id} `)).length;
    if (told !== 1) bad.push(`${name} is told ${told} times`);
  }
  if (outcomes.some(({ run, outcome }) => paid.includes(run as number) && outcome !== 'done'))
    bad.push('work that was handed over is lost');
  if (cap !== undefined && calls.length > cap) bad.push(`the cap was passed: ${calls.length}`);
  if (cap !== undefined && state.today.count > cap) bad.push(`the day counts ${state.today.count}`);
  if (new Set(blocks.map(({ tick }) => tick)).size !== blocks.length) bad.push('a reflection block is there twice');
  if (state.doneCount !== done.length) bad.push(`done_count is ${state.doneCount}`);
  if (state.inFlight.length > 0) bad.push('something is in flight for ever');
  if (!read('.jez/state.md').includes('Notes of a person.')) bad.push("a person's notes are gone");
  const entries = blocks.flatMap(({ text }) => text.split('\n'));
  return [...bad, ...versionFaults(realDisk, root, entries), ...recordFaults(root, read), ...leftFaults(root)];
}

/** What an item taught is in the queue or in a block unless a person or a rollback took it out; it is never lost, and never there twice. */
function learnedFaults(
  name: string,
  rules: readonly Rule[],
  { queuedLearnings }: State,
  { struck = [], reverted = [] }: Expected,
): string[] {
  const text = `Remember ${name}.`;
  const [rule, ...more] = rules.filter((each) => each.rule === text);
  if (rule === undefined || more.length > 0) return [`the learning of ${name} is not recorded once`];
  const wanted = struck.includes(name)
    ? ['vetoed']
    : ['queued', 'applied', ...(reverted.includes(name) ? ['reverted'] : [])];
  const queued = queuedLearnings.filter((each) => each.rule === text).length;
  return [
    ...(wanted.includes(rule.state) ? [] : [`the learning of ${name} is ${rule.state}`]),
    ...(queued === (rule.state === 'queued' ? 1 : 0) ? [] : [`the learning of ${name} is queued ${queued} times`]),
  ];
}

export const callsOf = (root: string): string[] =>
  existsSync(`${root}.calls`) ? readFileSync(`${root}.calls`, 'utf8').split('\n').filter(Boolean) : [];

/** Runs whose result says that they are done. */
export function paidRuns(root: string): number[] {
  const runs = join(root, '.jez/runs');
  if (!existsSync(runs)) return [];
  return readdirSync(runs).flatMap((name) => {
    const path = join(runs, name, 'result.json');
    const result = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : null;
    return result?.outcome === 'done' ? [result.run as number] : [];
  });
}

const count = (text: string, part: string) => text.split(part).length - 1;

function textFaults(name: string, text: string): string[] {
  const bad: string[] = [];
  if (count(text, `title: ${name}`) !== 1 || count(text, `\nText of ${name}.\n`) !== 1) bad.push('its text is wrong');
  if (count(text, addition(name)) !== (rewrites(name) ? 1 : 0)) bad.push('what its worker wrote is not there once');
  return bad;
}

function outcomeLines(text: string): { run?: number; item?: string; outcome?: string }[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      // Torn by a crash, and written again as a whole.
      return [];
    }
  });
}

/** A block that was torn by a crash stays, and is followed by the whole. */
function wholeBlocks(text: string): { tick: string; text: string }[] {
  const blocks = text.matchAll(/^<!-- tick:(\d+) -->\n## [^\n]*\n(?:- [^\n]*\n)*<!-- \/tick:\1 -->\n/gm);
  return [...blocks].map(([whole, tick = '']) => ({ tick, text: whole }));
}

function recordFaults(root: string, read: (path: string) => string): string[] {
  const bad: string[] = [];
  for (const name of readdirSync(join(root, '.jez/ticks'))) {
    if (!/^\d+\.json$/.test(name)) continue;
    const record = JSON.parse(read(`.jez/ticks/${name}`));
    if (record.state !== 'closed') bad.push(`tick ${name} was never closed`);
    if (!read(`.jez/reflections/${record.day}.md`).includes(record.entry)) bad.push(`tick ${name} is not told`);
  }
  for (const batch of readdirSync(join(root, '.jez/batches'))) {
    const isClaimed = existsSync(join(root, '.jez/batches', batch, 'claim.json'));
    if (isClaimed && !existsSync(join(root, '.jez/batches', batch, 'filed.json')))
      bad.push(`batch ${batch} is not filed`);
  }
  return bad;
}

/** Temporary files where people look. */
function leftFaults(root: string): string[] {
  const folders = ['', 'items', '.jez', '.jez/ticks', '.jez/reflections'].map((name) => join(root, name));
  return folders.flatMap((folder) =>
    readdirSync(folder).flatMap((name) => (name.includes('.tmp-') ? [`a temporary file is left: ${name}`] : [])),
  );
}
