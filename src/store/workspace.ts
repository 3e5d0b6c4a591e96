import { dirname, join, resolve } from 'node:path';
import { encodeId } from '../core/encode-id.ts';
import { PawlError } from '../errors.ts';
import { builtin } from './builtin.ts';
import type { Disk } from './disk.ts';

export const number = (n: number): string => String(n).padStart(4, '0');
export const sha256 = (bytes: Uint8Array | string): string =>
  builtin('node:crypto').createHash('sha256').update(bytes).digest('hex');

/** The files of one loop: the only code that knows their names. `root` is the folder that holds `.jez/`. */
export class Workspace {
  readonly root: string;
  readonly jez: string;

  constructor(root: string) {
    this.root = resolve(root);
    this.jez = join(this.root, '.jez');
  }

  path(...parts: string[]): string {
    return join(this.jez, ...parts);
  }

  /** An item's own path, or an output's: always below the root. @throws PawlError `E_OUTSIDE`. */
  inRoot(path: string): string {
    const whole = resolve(this.root, path);
    if (whole !== this.root && !whole.startsWith(`${this.root}/`))
      throw new PawlError('E_OUTSIDE', 'a path has to stay below the project', { at: path });
    return whole;
  }

  state = () => this.path('state.md');
  loop = () => this.path('loop.md');
  contract = () => this.path('contract.md');
  pause = () => this.path('PAUSE');
  heartbeat = () => this.path('heartbeat');
  review = () => this.path('review.md');
  rules = () => this.path('rules.yaml');
  outcomes = () => this.path('outcomes.jsonl');
  batch = (batch: number, ...file: string[]) => this.path('batches', number(batch), ...file);
  run = (run: number, item: string, ...file: string[]) =>
    this.path('runs', `${number(run)}-${encodeId(item, sha256)}`, ...file);
  tick = (tick: number) => this.path('ticks', `${number(tick)}.json`);
  reflection = (day: string) => this.path('reflections', `${day}.md`);
  history = (tick: number) => this.path('history', number(tick));
  cache = (...file: string[]) => this.path('cache', ...file);
}

/** The nearest folder upward that has a `.jez/`. @returns null when there is none. */
export function findRoot(disk: Disk, from: string): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    if (disk.stat(join(folder, '.jez'))?.kind === 'folder') return folder;
    if (folder === dirname(folder)) return null;
  }
}
