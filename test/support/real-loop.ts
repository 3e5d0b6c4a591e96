import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { afterAll } from 'vitest';
import { isReaped } from '../../src/core/liveness.ts';
import type { Claim } from '../../src/core/model.ts';
import { readBatches, readOwner } from '../../src/store/batches.ts';
import { realDisk } from '../../src/store/disk.ts';
import { realProcesses } from '../../src/store/process.ts';
import { Workspace } from '../../src/store/workspace.ts';

// Loops run by the built program, with workers that are a few lines of sh.

const PAWL = resolve(process.env.PAWL_OUT ?? 'dist', 'pawl.cjs');
export const DAY = '2026-06-09';
export const at = (hour: number, minute = 0) =>
  `${DAY}T${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00Z`;
/** Two of them on two cores: the rest of the time is spent waiting. */
const AT_ONCE = 2;

export const ITEMS = ['a', 'b', 'c', 'd', 'e', 'f'];
export const idOf = (name: string) => `items/${name}.md`;
/** Every second item is rewritten by its worker, the others are only marked. */
export const rewrites = (name: string) => ITEMS.indexOf(name) % 2 === 0;
export const addition = (name: string) => `More of ${name}.`;

/** The block of contract.md in which a person has a line of their own, and their text around it. */
export const CONTRACT = `Keep this.
<!-- pawl:rules:start -->
* A line of a person.
<!-- pawl:rules:end -->
And this.
`;

/** Notes each call beside the workspace, where nothing can undo it. What it learns is for contract.md and loop.md in turn. */
export const WORKER = `#!/bin/sh
read -r job
id=\${job#*'"item":{"id":"'}
id=\${id%%'"'*}
echo "$id" >> "$PAWL_ROOT.calls"
name=\${id#items/}
name=\${name%.md}
level=1.5
case $name in [ace]) level=1; echo "More of $name." >> "$id" ;; esac
echo '{"type":"learning","rule":"Remember '"$name"'.","level":'$level'}'
echo '{"type":"result","outcome":"done","summary":"did it"}'
`;

/** Teaches a rule that it then obeys: with it in the contract every item fails. */
export const BREAKING = WORKER.replace(
  'level=1.5\n',
  `case $job in *"Break it."*) echo '{"type":"result","outcome":"failed","summary":"it broke"}'; exit ;; esac
case $name in a) echo '{"type":"learning","rule":"Break it.","level":1.5}' ;; esac
level=1.5
`,
);

export interface LoopSpec {
  items?: number;
  slice?: number;
  concurrency?: number;
  cap?: number;
  minutes?: number;
  /** Errors in a row after which it pauses. */
  errors?: number;
  worker?: string;
}

/** The files of a fresh loop. */
function loopFiles(spec: LoopSpec = {}): Record<string, string> {
  const { items = 4, slice = 2, concurrency = 2, cap = 20, minutes = 30, errors = 3, worker = WORKER } = spec;
  const pages = ITEMS.slice(0, items).map((name) => [idOf(name), `---\ntitle: ${name}\n---\nText of ${name}.\n`]);
  return {
    ...Object.fromEntries(pages),
    'worker.sh': worker,
    '.jez/state.md': '---\npaused: false\n---\nNotes of a person.\n',
    '.jez/contract.md': CONTRACT,
    '.jez/loop.md': `---
cohort: a few items
done_when: all are checked
source: { kind: folder, path: "items/*.md", mark: { field: checked } }
workspace: { kind: scratch, copy_in: ["{path}"], outputs: ["items/*.md"] }
executor: { kind: command, run: [/bin/sh, worker.sh] }
slice: ${slice}
concurrency: ${concurrency}
caps: { items_per_day: ${cap}, minutes_per_item: ${minutes} }
pause_after_errors: ${errors}
timezone: UTC
learn: { mode: on, sightings: 1, per_day: 50 }
---
## Boundary
none
`,
  };
}

/** A folder for the workspaces of one test file, removed after it. */
export interface Home {
  make(name: string, spec?: LoopSpec): string;
  /** Done before it is removed. */
  atEnd(work: () => void): void;
}

export function home(): Home {
  const root = mkdtempSync(join(tmpdir(), 'pawl-real-'));
  const last: (() => void)[] = [];
  afterAll(() => {
    for (const work of last) work();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  return {
    make(name, spec) {
      for (const [path, text] of Object.entries(loopFiles(spec))) {
        mkdirSync(dirname(join(root, name, path)), { recursive: true });
        writeFileSync(join(root, name, path), text);
      }
      return join(root, name);
    },
    atEnd: (work) => void last.push(work),
  };
}

/** A loop as it stands, with the calls of its workers so far. */
export function copyLoop(from: string, to: string): string {
  cpSync(from, to, { recursive: true, preserveTimestamps: true });
  writeFileSync(`${to}.calls`, existsSync(`${from}.calls`) ? readFileSync(`${from}.calls`) : '');
  return to;
}

export function removeLoop(root: string): void {
  for (const path of [root, `${root}.calls`, `${root}.log`]) rmSync(path, { recursive: true, force: true });
}

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  error: string;
}

/** Starts the built program at a pinned time. */
export function start(root: string, args: readonly string[], env: Record<string, string> = {}) {
  return watch(root, process.execPath, [PAWL, ...args, '--dir', root], env);
}

/** The same below a shell that leads a process group of its own, as below npm or a terminal. */
export function startBelowShell(root: string, args: readonly string[]) {
  const words = [process.execPath, PAWL, ...args, '--dir', root].map((word) => `'${word}'`).join(' ');
  return watch(root, '/bin/sh', ['-c', `${words}; exit $?`], {}, true);
}

function watch(root: string, program: string, args: string[], env: Record<string, string>, detached = false) {
  const child: ChildProcess = spawn(program, args, {
    cwd: root,
    detached,
    env: { ...process.env, PAWL_NOW: at(8), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let error = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    error += chunk;
  });
  const ended = new Promise<Ended>((done) => child.once('close', (code, signal) => done({ code, signal, out, error })));
  return { child, ended };
}

export const pawl = (root: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ended> =>
  start(root, args, env).ended;

/** The newest batch that was not filed. */
export function openClaim(root: string): Claim | null {
  return readBatches(realDisk, new Workspace(root)).open.at(-1) ?? null;
}

/** Resolves when no supervisor of this workspace is alive any more. */
export async function supervisorsEnded(root: string): Promise<void> {
  const workspace = new Workspace(root);
  const isAlive = ({ batch }: Claim) => {
    const owner = readOwner(realDisk, workspace, batch);
    return owner !== null && !isReaped(owner) && realProcesses.look(owner) === 'alive';
  };
  while (readBatches(realDisk, workspace).open.some(isAlive)) await sleep(10);
}

/** Ordinary ticks, an hour apart, until there is nothing more to do today. @returns what any of them complained about. */
export async function driveOn(root: string): Promise<string[]> {
  for (let hour = 9; hour < 21; hour++) {
    await supervisorsEnded(root);
    const { code, out, error } = await pawl(root, ['tick', '--wait', '--json'], { PAWL_NOW: at(hour) });
    if (code !== 0 || error !== '') return [`a tick afterwards ended with ${code}: ${error}`];
    const [first] = out.split('\n').map((line) => JSON.parse(line || 'null'));
    const stop = first?.plan?.stop?.name;
    if (stop !== undefined && stop !== 'waiting') return [];
  }
  return ['the loop does not come to rest'];
}

/** Does `work` for each, two at once; @returns what they found. */
export async function each<T, R>(list: readonly T[], work: (one: T, index: number) => Promise<R>): Promise<R[]> {
  const limit = pLimit(AT_ONCE);
  return Promise.all(list.map((one, index) => limit(() => work(one, index))));
}

/** So many of a list, spread evenly. */
export function spread<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  return Array.from({ length: most }, (_, index) => list[Math.floor((index * list.length) / most)] as T);
}
