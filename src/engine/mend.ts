import { monotoneDay } from '../core/day.ts';
import type { Procedure } from '../core/model.ts';
import { type Remains, rebuildState } from '../core/rebuild-state.ts';
import { countOn, emptyTally, free, withBatch } from '../core/tally.ts';
import { PawlError } from '../errors.ts';
import { parseRules } from '../formats/rules.ts';
import { newState, parseState, printState } from '../formats/state.ts';
import { localTime, systemZone } from '../formats/zone.ts';
import { openSource } from '../sources/index.ts';
import { type Batches, readBatches } from '../store/batches.ts';
import type { Disk } from '../store/disk.ts';
import { tickNumbers } from '../store/ticks.ts';
import { highestVersionTick } from '../store/versions.ts';
import type { Workspace } from '../store/workspace.ts';
import { putIfUnchanged, putNew } from '../store/write.ts';
import { makeIgnores } from './init.ts';
import type { Machine } from './machine.ts';
import { readLoop } from './observe.ts';
import { readResult } from './results.ts';

const NAME = '.jez/state.md';

/** What mending acts on: the fenced disk of whoever holds the lock. */
type Hands = Pick<Machine, 'clock'> & { disk: Disk };

/** Mends what can be mended without a decision of a person's. To be called under the lock. @returns what was done, in sentences. */
export async function mend(hands: Hands, workspace: Workspace): Promise<string[]> {
  const done: string[] = [];
  const state = await mendState(hands, workspace);
  if (state !== null) done.push(state);
  const ignores = makeIgnores(hands.disk, workspace);
  if (ignores !== null && !ignores.what.startsWith('complete')) done.push(`.jez/.gitignore: ${ignores.what}`);
  return done;
}

/**
 * Replaces a state.md that can't be read by one that is paused, rebuilt from claims, results, marks, versions and rules.yaml.
 * The old bytes are kept first.
 *
 * @returns what was done, or null when state.md is valid. @throws PawlError `E_CHANGED` when somebody writes to it meanwhile.
 */
export async function mendState({ disk, clock }: Hands, workspace: Workspace): Promise<string | null> {
  const path = workspace.state();
  const old = disk.read(path);
  if (old !== null && isValid(old)) return null;
  const kept = old === null ? null : keepOld(disk, workspace, old, clock.now());
  const lost = kept === null ? 'state.md was missing' : `state.md could not be read and is kept as ${kept}`;
  const why = `${lost}; this one was rebuilt by \`pawl doctor --fix\``;
  const remains = await gather(disk, workspace, clock.now(), old?.toString('utf8') ?? '', why);
  const bytes = printState(Buffer.from(newState({ day: remains.day })), rebuildState(remains), NAME);
  if (!putIfUnchanged(disk, path, old, bytes))
    throw new PawlError('E_CHANGED', 'somebody wrote to this file meanwhile; look again', { at: NAME });
  return `${lost}: a new one is there, paused. Read it, then: pawl resume`;
}

function isValid(bytes: Uint8Array): boolean {
  try {
    return parseState(bytes, NAME) !== null;
  } catch (error) {
    if (error instanceof PawlError) return false;
    throw error;
  }
}

/** @returns the name under which the bytes are kept. */
function keepOld(disk: Disk, workspace: Workspace, old: Uint8Array, now: Date): string {
  const time = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '');
  for (let n = 1; ; n++) {
    const name = `state.md.corrupt-${time}Z${n === 1 ? '' : `-${n}`}`;
    if (putNew(disk, workspace.path(name), old)) return name;
  }
}

async function gather(disk: Disk, workspace: Workspace, now: Date, torn: string, why: string): Promise<Remains> {
  const procedure = orNull(() => readLoop(disk, workspace).procedure);
  const batches = readBatches(disk, workspace);
  const ticks = [
    tickNumbers(disk, workspace).at(-1) ?? 0,
    batches.newest?.tick ?? 0,
    highestVersionTick(disk, workspace),
  ];
  const { tally, counted } = countBatches(disk, workspace, batches);
  const zone = procedure?.timezone ?? systemZone();
  const day = monotoneDay(localTime(now, zone).day, tally.day);
  const rules = orNull(() => parseRules(disk.read(workspace.rules())?.toString('utf8') ?? '', '.jez/rules.yaml')) ?? [];
  return {
    ...{ day, tick: Math.max(...ticks), count: countOn(tally, day), counted, open: batches.open, rules, torn, why },
    marked: procedure === null ? null : await marks(disk, workspace, procedure),
  };
}

function countBatches(disk: Disk, workspace: Workspace, { newest, newestFiled }: Batches) {
  if (newest === null) return { tally: emptyTally, counted: { done: 0, cursor: 0, streak: 0 } };
  const results = newest.runs.flatMap((run) => readResult(disk, workspace, run) ?? []);
  // A batch that is not filed yet is counted by the tick that files it.
  const good =
    newestFiled === null ? 0 : results.filter(({ outcome }) => outcome === 'done' || outcome === 'nothing').length;
  return {
    tally: withBatch(newest, newestFiled?.free ?? free(results)),
    counted: { done: newest.before.done + good, cursor: newest.before.cursor + good, streak: newest.streak },
  };
}

async function marks(disk: Disk, workspace: Workspace, procedure: Procedure): Promise<number> {
  const source = await openSource({ disk, workspace, procedure, keep: () => {} });
  return (await source.count()).done;
}

/** What a person broke as well is told by its own row of `doctor`; here it is only missing. */
function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof PawlError) return null;
    throw error;
  }
}
