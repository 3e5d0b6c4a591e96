import { existsSync } from 'node:fs';
import { failing, type Step, stepsIn } from './failpoint.ts';
import { BREAKING, copyLoop, type Ended, type Home, type LoopSpec, pawl, supervisorsEnded } from './real-loop.ts';

/** A workspace one tick before the one that something happens to. */
export interface Scene {
  name: string;
  spec: LoopSpec;
  /** Ticks before it; the first of a loop does no work. */
  before: number;
  /** The process it happens to. */
  who: 'tick' | 'supervise';
  /** Items that are done when the day is over. */
  done: string[];
  cap?: number;
  /** As `faults` expects it. */
  failed?: Record<string, number>;
  reverted?: string[];
  /** What it makes for good in versions/. */
  versions?: string[];
}

const ALL = ['a', 'b', 'c', 'd', 'e', 'f'];

export const scenes: Scene[] = [
  { name: 'a tick that claims', spec: { items: 2 }, before: 1, who: 'tick', done: ['a', 'b'] },
  { name: 'a tick that files and claims', spec: { items: 4 }, before: 2, who: 'tick', done: ['a', 'b', 'c', 'd'] },
  {
    ...{ name: 'a tick that files and meets the cap of the day', spec: { items: 3, cap: 2 }, before: 2 },
    ...{ who: 'tick', done: ['a', 'b'], cap: 2 },
  },
  {
    ...{ name: 'a tick that applies what was learned', spec: { items: 6 }, before: 3, who: 'tick', done: ALL },
    versions: ['0000/manifest.json', '0001/manifest.json'],
  },
  {
    ...{ name: 'a tick that takes a version back', spec: { items: 6, errors: 2, worker: BREAKING }, before: 4 },
    ...{ who: 'tick', done: ALL, failed: { e: 1, f: 1 }, reverted: ['a', 'b'], versions: ['0001/bad.json'] },
  },
  // One worker at a time, so that its steps come in the same order each time.
  { name: 'a supervisor', spec: { items: 2, concurrency: 1 }, before: 1, who: 'supervise', done: ['a', 'b'] },
];

export interface Stage {
  /** The workspace before the tick: to be copied. */
  start: string;
  /** One that nothing happened to. */
  clean: string;
  /** What the process did there. */
  steps: Step[];
}

/** Sets a scene, and lets it happen once undisturbed so that its steps are known. */
export async function stage(at: Home, { name, spec, before, who }: Scene): Promise<Stage> {
  const start = at.make(name.replaceAll(' ', '-'), spec);
  for (let tick = 0; tick < before; tick++) {
    const { code, error } = await pawl(start, ['tick']);
    if (code !== 0 || error !== '') throw new Error(`no scene: a tick before it ended with ${code}: ${error}`);
    await supervisorsEnded(start);
  }
  const clean = copyLoop(start, `${start}-clean`);
  const log = `${clean}.log`;
  await pawl(clean, ['tick'], failing({ who: [who], root: clean, log }));
  await supervisorsEnded(clean);
  return { start, clean, steps: stepsIn(log) };
}

/** What a tick says of a supervisor that something happened to: nothing, once that one owned the first batch. */
export function launcherFaults(root: string, { code, error }: Ended): string[] {
  const isOwned = existsSync(`${root}/.jez/batches/0001/owner.json`);
  const asWished = isOwned
    ? code === 0 && error === ''
    : code === 2 && /^pawl: [^\n]*could not start[^\n]*\n$/.test(error);
  return asWished ? [] : [`the tick that launched it ended with ${code}: ${error}`];
}
