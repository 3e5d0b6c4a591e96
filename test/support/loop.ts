import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Claim, OutcomeLine, Result, State } from '../../src/core/model.ts';
import type { Machine } from '../../src/engine/machine.ts';
import { readResult } from '../../src/engine/results.ts';
import { supervise } from '../../src/engine/supervise.ts';
import { tick } from '../../src/engine/tick.ts';
import { loadExecutor } from '../../src/executors/index.ts';
import { parseReflection, type Told } from '../../src/formats/reflection.ts';
import { parseState } from '../../src/formats/state.ts';
import { openSource } from '../../src/sources/index.ts';
import { readBatches, readOwner } from '../../src/store/batches.ts';
import { realClock } from '../../src/store/clock.ts';
import { realDisk } from '../../src/store/disk.ts';
import { realProcesses } from '../../src/store/process.ts';
import { Workspace } from '../../src/store/workspace.ts';
import { eventually } from './processes.ts';
import { folder } from './workspace.ts';

export const PAWL = resolve(process.env.PAWL_OUT ?? 'dist', 'pawl.cjs');
const SLOWEST_MS = 60_000;
/** When the first tick has been. */
const LIGHT = '2026-06-01T00:00:00Z';

/** A moment of 9 June 2026, or of a later day, in UTC. */
export const at = (time: string, day = 9): string => `2026-06-${String(day).padStart(2, '0')}T${time}:00Z`;

/** What a worker of these tests begins with: it notes each call where nothing undoes it. `$name` is the item's. */
const HEAD = `#!/bin/sh
read -r job
id=\${job#*'"item":{"id":"'}; id=\${id%%'"'*}
name=\${id##*/}; name=\${name%.md}
try=\${job#*'"attempt":'}; try=\${try%%,*}
echo "$name" >> "$PAWL_ROOT/calls"
say() { printf '%s\\n' "$1"; }
result() { say '{"type":"result","outcome":"'$1'","summary":"'"$2"'"'"$3"'}'; }
fail() { result failed '' ',"error":{"class":"'$1'","message":"'"$2"'"}'; }
learn() { say '{"type":"learning","rule":"'"$1"'"}'; }
wait_for() { while [ ! -e "$PAWL_ROOT/$1" ]; do sleep 0.02; done; }
`;

export interface LoopSpec {
  /** Names, or so many: `items/a.md`, `items/b.md`, ... */
  items?: number | readonly string[];
  /** The text of an item's file. */
  text?: (name: string) => string;
  /** Lines of sh behind the helpers of HEAD. */
  worker?: string;
  /** Lines of loop.md; they take the place of the default of the same key. */
  settings?: Record<string, string>;
  state?: string;
  /** The first tick, which only looks, is left to the test. */
  fresh?: boolean;
}

const SETTINGS = {
  cohort: 'a few items',
  done_when: 'all are checked',
  source: '{ kind: folder, path: "items/*.md", mark: { field: checked }, write: [size] }',
  workspace: '{ kind: scratch, copy_in: ["{path}"], outputs: ["items/*.md", "out/**"] }',
  executor: '{ kind: command, run: [/bin/sh, worker.sh] }',
  slice: '3',
  concurrency: '2',
  caps: '{ items_per_day: 20 }',
  timezone: 'UTC',
  learn: '{ mode: on, sightings: 1, per_day: 50 }',
};

const names = (items: number | readonly string[]): readonly string[] =>
  typeof items === 'number' ? Array.from({ length: items }, (_, index) => nameOf(index, items)) : items;

/** `a`, `b`, ... while letters last, then `001`. */
const nameOf = (index: number, of: number) =>
  of <= 26 ? String.fromCharCode(97 + index) : String(index + 1).padStart(3, '0');

export type Loop = ReturnType<typeof loop>;

/** Real files and workers, each batch worked on before its tick returns. `boot` is the time by the boot clock, which nobody sets. */
export function machineAt(now: string, boot = now): Machine {
  const clock = {
    now: () => new Date(now),
    uptime: () => realClock.uptime() + (Date.parse(boot) - Date.parse(LIGHT)) / 1000,
    bootId: realClock.bootId,
  };
  const hands = { disk: realDisk, clock, processes: realProcesses };
  return {
    ...hands,
    gate: true,
    executor: {
      async start({ root, claim }) {
        const workspace = new Workspace(root);
        const { worker } = await loadExecutor(claim.settings.executor.kind);
        const procedure = { source: claim.settings.source };
        const source = await openSource({ disk: realDisk, workspace, procedure, keep: () => {} });
        await supervise({ hands, workspace, claim, worker, source, signal: new AbortController().signal });
      },
      poll: async () => ({ state: 'ended' }),
      stop: async () => {},
    },
  };
}

/** A loop on disk, run by the built program at a pinned time. */
export function loop(spec: LoopSpec = {}) {
  const { items = 3, worker = 'result done', settings = {}, fresh = false } = spec;
  const text = spec.text ?? ((name: string) => `---\ntitle: ${name}\n---\nText of ${name}.\n`);
  const lines = Object.entries({ ...SETTINGS, ...settings }).map(([key, value]) => `${key}: ${value}\n`);
  const files = folder({
    ...Object.fromEntries(names(items).map((name) => [`items/${name}.md`, text(name)])),
    'worker.sh': `${HEAD}${worker}\n`,
    '.jez/state.md': spec.state ?? '---\npaused: false\n---\nNotes of a person.\n',
    '.jez/loop.md': `---\n${lines.join('')}---\n## Boundary\nnone\n`,
  });
  const { root, path, read } = files;
  const workspace = new Workspace(root);
  onTestFinished(ended);

  const run = (now: string, ...args: string[]) => {
    const env = { ...process.env, PAWL_NOW: now };
    const ended = spawnSync(process.execPath, [PAWL, ...args], {
      cwd: root,
      encoding: 'utf8',
      env,
      timeout: SLOWEST_MS,
    });
    return { code: ended.status, out: ended.stdout, error: ended.stderr };
  };
  const write = (name: string, content: string) => writeFileSync(path(name), content);
  const readOr = (name: string, otherwise: string) => (existsSync(path(name)) ? read(name) : otherwise);

  const self = {
    ...files,
    workspace,
    run,
    write,
    /** A fire of the clock: exit code, and what it printed. */
    tick: (now = at('08:00')) => run(now, 'tick'),
    /** A tick that stays until its slice is filed. */
    work: (now = at('08:00')) => run(now, 'tick', '--wait'),
    /**
     * The same in this process, with a machine that has been up since the first tick: PAWL_NOW moves days, but not the boot clock,
     * under which no more than twice the cap is dispatched.
     */
    async live(now: string, boot = now) {
      const machine = machineAt(now, boot);
      await tick({ workspace, machine });
      await tick({ workspace, machine, collectOnly: true });
    },
    /** Changes a file with a replacement that has to find something. */
    edit(name: string, from: string | RegExp, to: string) {
      const before = read(name);
      const after = before.replace(from, to);
      if (after === before) throw new Error(`${name} has no ${from}: ${before}`);
      write(name, after);
    },
    remove: (name: string) => rmSync(path(name), { recursive: true, force: true }),
    /** Names of the items a worker was called for, in order. */
    calls: (): string[] => readOr('calls', '').split('\n').filter(Boolean),
    state: (): State => parseState(readFileSync(path('.jez/state.md')), 'state.md'),
    /** The mark of each item that has one. */
    marks(field = 'checked'): Record<string, string> {
      const found = readdirSync(path('items')).flatMap((file) => {
        const mark = new RegExp(`^${field}: *(.+)$`, 'm').exec(read(`items/${file}`))?.[1];
        return mark === undefined ? [] : [[file.replace(/\.md$/, ''), mark]];
      });
      return Object.fromEntries(found);
    },
    /** The entries of all days, oldest first. */
    told(): Told[] {
      const pages = existsSync(path('.jez/reflections')) ? readdirSync(path('.jez/reflections')).sort() : [];
      return pages.flatMap((page) => parseReflection(read(`.jez/reflections/${page}`)));
    },
    /** Every line of every entry. */
    lines: (): string[] => self.told().flatMap((entry) => entry.lines),
    review: () => readOr('.jez/review.md', ''),
    outcomes: (): OutcomeLine[] =>
      readOr('.jez/outcomes.jsonl', '')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    openClaims: (): Claim[] => readBatches(realDisk, workspace).open,
    results: (claim: Claim): (Result | null)[] => claim.runs.map((each) => readResult(realDisk, workspace, each)),
    settled,
    /** All files with their bytes, but those an idle tick may touch. */
    snapshot(): Record<string, string> {
      const entries = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
      const kept = entries.filter((name) => !/^\.jez\/(heartbeat$|cache|lock)|\/alive\.json|^\.git/.test(name));
      const isFile = (name: string) => lstatSync(join(root, name)).isFile();
      return Object.fromEntries(
        kept.map((name) => [name, isFile(name) ? readFileSync(join(root, name), 'latin1') : '/']),
      );
    },
  };

  const owners = () =>
    readBatches(realDisk, workspace).open.flatMap(({ batch }) => {
      const owner = readOwner(realDisk, workspace, batch);
      return owner !== null && 'pid' in owner && realProcesses.look(owner) === 'alive' ? [owner] : [];
    });

  /** Resolves when nobody works on a batch any more. */
  async function settled(): Promise<void> {
    await eventually(() => owners().length === 0);
  }

  /** What a failed test left running is ended, so that the folder can be removed. */
  async function ended(): Promise<void> {
    for (const owner of owners()) await realProcesses.end(owner, 5_000);
  }

  if (!fresh) run(LIGHT, 'tick');
  return self;
}
