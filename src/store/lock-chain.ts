import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Instant, ProcessId } from '../core/model.ts';
import type { Clock } from './clock.ts';
import type { Disk } from './disk.ts';
import type { Processes } from './process.ts';
import { putNew, toJson } from './write.ts';

/** What the chain needs to know. Units: milliseconds. */
export interface Chain {
  disk: Disk;
  /** `.jez/lock` */
  folder: string;
  processes: Processes;
  clock: Clock;
  /** A holder on another host or in another pid namespace is silent when its heartbeat is older than this ... */
  ttlMs: number;
  /** ... and does not move for this long: clocks differ and step, and a laptop that wakes has old stamps everywhere. */
  observeMs: number;
  /** A holder on this machine that is alive for longer than this hangs, and is ended. */
  hardLimitMs: number;
}

/** `g0000000042`: complete from the moment it is there. */
interface Generation extends ProcessId {
  gen: number;
  at: Instant;
  /** Seconds of the boot clock. */
  uptime: number;
}

const KEEP = 16;
const GRACE_MS = 2_000;
const NAME = /^g(\d{10})(\.rel)?$/;

export const generationFile = (folder: string, generation: number): string =>
  join(folder, `g${String(generation).padStart(10, '0')}`);

export const releaseFile = (folder: string, generation: number): string => `${generationFile(folder, generation)}.rel`;

/**
 * Takes the generation after the newest, if that one is free.
 *
 * The newest generation is never deleted and each is made exclusively, so of any number of contenders that judge the same
 * one to be free only one makes the next.
 * @returns null when it is held elsewhere.
 */
export async function takeNext(chain: Chain): Promise<number | null> {
  const newest = newestOf(chain.disk.list(chain.folder));
  if (newest > 0 && !(await isFree(chain, newest))) return null;
  return make(chain, newest + 1) ? newest + 1 : null;
}

/** The generation a name belongs to, 0 for any other file. */
const numberOf = (name: string) => Number(NAME.exec(name)?.[1] ?? 0);
const newestOf = (names: string[]) => Math.max(0, ...names.filter((name) => !name.endsWith('.rel')).map(numberOf));

function make(chain: Chain, gen: number): boolean {
  const { disk, folder, processes, clock } = chain;
  const file = generationFile(folder, gen);
  const generation: Generation = {
    gen,
    ...processes.self(),
    at: clock.now().toISOString(),
    uptime: clock.uptime(),
  };
  if (!putNew(disk, file, toJson(generation))) return false;
  const names = disk.list(folder);
  if (newestOf(names) !== gen) {
    // We were away for so long that this number had come, gone and been tidied away.
    disk.unlink(file);
    return false;
  }
  tidy(chain, names, gen - KEEP);
  return true;
}

/** Oldest first, as they are listed: a holder whose next generation is gone finds that its own is gone too. */
function tidy({ disk, folder }: Chain, names: string[], last: number): void {
  for (const name of names) if (numberOf(name) > 0 && numberOf(name) <= last) disk.unlink(join(folder, name));
}

async function isFree(chain: Chain, gen: number): Promise<boolean> {
  const { disk, folder, processes, clock } = chain;
  if (disk.stat(releaseFile(folder, gen)) !== null) return true;
  const holder = read(disk, generationFile(folder, gen));
  const judged = holder === null ? 'elsewhere' : processes.look(holder);
  if (holder === null || judged === 'elsewhere') return isSilent(chain, gen);
  if (judged === 'dead') return true;
  const overdue = clock.uptime() - holder.uptime > chain.hardLimitMs / 1000;
  return overdue && processes.end(holder, GRACE_MS);
}

async function isSilent({ disk, folder, ttlMs, observeMs }: Chain, gen: number): Promise<boolean> {
  const beat = () => disk.stat(generationFile(folder, gen))?.mtimeNs;
  const before = beat();
  // The wall clock itself, since PAWL_NOW says nothing about who lives. A stamp from the future is no sign of life either.
  if (before === undefined || Math.abs(Date.now() - Number(before / 1_000_000n)) <= ttlMs) return false;
  await sleep(observeMs);
  return beat() === before;
}

/** Null when it is gone, or spoilt: then its heartbeat alone is judged, so that a bad byte does not stop the loop for ever. */
function read(disk: Disk, file: string): Generation | null {
  try {
    const generation = JSON.parse(disk.read(file)?.toString('utf8') ?? 'null') as Generation | null;
    return typeof generation?.pid === 'number' && typeof generation.uptime === 'number' ? generation : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
