import { createHash } from 'node:crypto';
import type { Edited } from './rules.ts';
import { DAYS, type Dispatch, drive, firstImage, paidRuns, violations } from './scenario.ts';
import { Crash, type Cut, type Image, SimDisk } from './sim-disk.ts';

/** A place at which the machine could have stopped. */
interface Stop {
  step: number;
  what: string;
  half: boolean;
  cut: Cut;
  image: Image;
  dispatched: Dispatch[];
  edited: Edited;
  day: string;
}

export interface Explored {
  steps: number;
  /** Disks that differ, each driven to its end. */
  states: number;
  bad: number;
  kinds: Record<string, number>;
  first: string | null;
}

const CUTS: Cut[] = [{ kind: 'kill' }, { kind: 'strict' }, { kind: 'names' }];

/** A step that shares no factor with the number of stops visits all of them, far apart ones first. */
const LEAP = 7919;

/**
 * Runs the scenario once, takes down the disk at every step in every way the machine could stop, and drives each of them
 * to its end.
 *
 * @param seeds how many random and ordered subsets of what was not synced are tried at each step
 * @param part which of how many parts of the disks to drive
 * @param untilFirst ends at the first violation
 */
export async function explore(
  seeds: number,
  part: { index: number; of: number },
  untilFirst: boolean,
): Promise<Explored> {
  const { stops, steps, bad: uncrashed } = await record(seeds);
  const explored: Explored = { steps, states: 0, bad: 0, kinds: {}, first: null };
  if (uncrashed.length > 0) return { ...explored, bad: 1, first: `without any crash: ${uncrashed.join('; ')}` };
  const leap = stops.length % LEAP === 0 ? LEAP + 2 : LEAP;
  for (let n = part.index; n < stops.length; n += part.of) {
    const stop = stops[(n * leap) % stops.length] as Stop;
    const bad = await driveOn(stop);
    explored.states += 1;
    if (bad.length === 0) continue;
    explored.bad += 1;
    for (const kind of bad) explored.kinds[kind] = (explored.kinds[kind] ?? 0) + 1;
    explored.first ??= `step ${stop.step} ${stop.half ? 'half of ' : 'before '}${stop.what}, ${JSON.stringify(stop.cut)}: ${bad.join('; ')}`;
    if (untilFirst) break;
  }
  return explored;
}

async function record(seeds: number): Promise<{ stops: Stop[]; steps: number; bad: string[] }> {
  const cuts = [...CUTS];
  for (let seed = 1; seed <= seeds; seed++) cuts.push({ kind: 'random', seed }, { kind: 'prefix', seed });
  const disk = new SimDisk(firstImage());
  const dispatched: Dispatch[] = [];
  const today = { day: DAYS[0] as string };
  const edited = { setting: false, block: false };
  const stops: Stop[] = [];
  const seen = new Set<string>();
  const take = (what: string, half: boolean) => {
    for (const cut of cuts) {
      const image = disk.image('seed' in cut ? { ...cut, seed: cut.seed * 7919 + disk.steps } : cut);
      const print = fingerprint(image, cut.kind === 'kill', dispatched.length);
      if (seen.has(print)) continue;
      seen.add(print);
      stops.push({
        step: disk.steps,
        what,
        half,
        cut,
        image,
        dispatched: [...dispatched],
        edited: { ...edited },
        day: today.day,
      });
    }
  };
  disk.onStep = (what, half) => {
    take(what, false);
    if (half === null) return;
    const undo = half();
    take(what, true);
    undo();
  };
  await drive({ disk, dispatched, boot: 'boot 1', life: 1, today, edited });
  return { stops, steps: disk.steps, bad: violations(disk, dispatched, 0, [], edited) };
}

/** Temporary names are random, so they are left out. */
function fingerprint(image: Image, killed: boolean, calls: number): string {
  const lines = [...image].map(
    ([path, bytes]) => `${path.replace(/tmp-[0-9a-f-]+$/, 'tmp')} ${bytes === null ? 'folder' : digest(bytes)}`,
  );
  return sha256(`${killed} ${calls}\n${lines.sort().join('\n')}`);
}

/** The bytes of most files are the same ones in thousands of images. */
const digests = new WeakMap<Buffer, string>();

function digest(bytes: Buffer): string {
  const known = digests.get(bytes);
  if (known !== undefined) return known;
  const found = sha256(bytes);
  digests.set(bytes, found);
  return found;
}

const sha256 = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('base64');

async function driveOn({ image, cut, dispatched, edited, day }: Stop): Promise<string[]> {
  const disk = new SimDisk(image);
  const calls = [...dispatched];
  const person = { ...edited };
  try {
    // A process that was killed leaves the machine running; after a power cut it has started anew.
    await drive({
      disk,
      dispatched: calls,
      boot: cut.kind === 'kill' ? 'boot 1' : 'boot 2',
      life: 2,
      today: { day },
      edited: person,
      ghosts: true,
    });
    return violations(disk, calls, 1, paidRuns(image), person);
  } catch (error) {
    if (error instanceof Crash) return [`stopped by the lock: ${error.message}`];
    return [`threw ${(error as Error).message.slice(0, 120)}`];
  }
}

/** `node explore.js <seeds> <part> <of> [first]` prints what was found as one JSON line. */
if (process.argv[2] !== undefined) {
  const [seeds, index, of, first] = process.argv.slice(2);
  const explored = await explore(Number(seeds), { index: Number(index), of: Number(of) }, first === 'first');
  process.stdout.write(`${JSON.stringify(explored)}\n`);
}
