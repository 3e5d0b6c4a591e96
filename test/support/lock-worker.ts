import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../src/errors.ts';
import { realClock } from '../../src/store/clock.ts';
import { realDisk } from '../../src/store/disk.ts';
import { acquire, acquireWithin, fenced, type Held, type LockOptions } from '../../src/store/lock.ts';
import { realProcesses } from '../../src/store/process.ts';

/** What a test may ask of a process of its own; answered by one message. */
export type Order =
  | {
      do: 'acquire';
      folder: string;
      settings?: Partial<LockOptions>;
      /** Wall clock in ms, spun towards so that many processes start together. */
      at?: number;
      /** Tries that long instead of once. */
      within?: number;
    }
  | { do: 'write'; path: string }
  | { do: 'release' }
  | { do: 'block'; ms: number }
  | { do: 'shift-clock'; ms: number }
  /** From now on this process says that it lives in another pid namespace, as one in a container would. */
  | { do: 'move-namespace' }
  /** Takes and releases the lock so often, and counts how often somebody else was inside. */
  | { do: 'take-turns'; folder: string; turns: number }
  /** Deletes all lock files but those of the newest generation, until `stop` is there. */
  | { do: 'tidy'; folder: string; stop: string }
  /** Ends by itself if nothing keeps it alive. */
  | { do: 'let-go' };

let held: Held | null = null;
let processes = realProcesses;

async function obey(order: Order): Promise<unknown> {
  if (order.do === 'acquire') return take(order);
  if (order.do === 'write') return write(order.path);
  if (order.do === 'release') return held?.release();
  if (order.do === 'block') return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, order.ms);
  if (order.do === 'take-turns') return takeTurns(order.folder, order.turns);
  if (order.do === 'tidy') return tidy(order.folder, order.stop);
  if (order.do === 'move-namespace')
    processes = { ...realProcesses, self: () => ({ ...realProcesses.self(), namespace: 'pid:[1]' }) };
  if (order.do === 'shift-clock') {
    const now = Date.now;
    Date.now = () => now() + order.ms;
  }
  return null;
}

async function take({ folder, settings = {}, at = 0, within }: Extract<Order, { do: 'acquire' }>) {
  const options = { disk: realDisk, folder, processes, clock: realClock, ...settings };
  while (Date.now() < at);
  held = within === undefined ? await acquire(options) : await acquireWithin(options, within);
  return held?.generation ?? null;
}

/** @returns the code of the error, or null when it was written. */
function write(path: string): string | null {
  try {
    if (held !== null) fenced(realDisk, held).create(path, 'written');
    return null;
  } catch (error) {
    return codeOf(error);
  }
}

async function takeTurns(folder: string, turns: number): Promise<number> {
  let overlaps = 0;
  for (let turn = 0; turn < turns; turn++) {
    await take({ do: 'acquire', folder, within: 60_000 });
    try {
      writeFileSync(join(folder, 'inside'), '', { flag: 'wx' });
    } catch {
      overlaps++;
    }
    rmSync(join(folder, 'inside'), { force: true });
    await held?.release();
  }
  return overlaps;
}

async function tidy(folder: string, stop: string): Promise<number> {
  let deleted = 0;
  while (!existsSync(stop)) {
    const names = realDisk.list(folder).filter((name) => /^g\d{10}(\.rel)?$/.test(name));
    const newest = names.at(-1)?.slice(0, 11) ?? '';
    for (const name of names.filter((name) => !name.startsWith(newest))) {
      rmSync(join(folder, name), { force: true });
      deleted++;
    }
    await new Promise(setImmediate);
  }
  return deleted;
}

process.on('message', async (order: Order) => {
  if (order.do === 'let-go') process.disconnect();
  else process.send?.({ answer: await obey(order) });
});
