import { dirname } from 'node:path';
import { byBytes, type Disk, type Stat } from '../../../src/store/disk.ts';

/** A file: what programs see, and what a power cut leaves of it. */
interface Inode {
  id: bigint;
  seen: Buffer;
  safe: Buffer;
  mode: number;
  changed: bigint;
}

/** What one step does to the names in a folder: all of it reaches the disk, or nothing. */
type NameChange = { folder: string; changes: [path: string, to: Inode | 'folder' | null][] };

/** Paths and their bytes; `null` = a folder. What is on a disk when the machine starts again. */
export type Image = Map<string, Buffer | null>;

/** How a machine may stop: a killed process loses nothing that was written, a power cut all that was not synced, or any part of it. */
export type Cut = { kind: 'kill' | 'strict' | 'names' } | { kind: 'random' | 'prefix'; seed: number };

export class Crash extends Error {}

const error = (code: string, path: string) => Object.assign(new Error(`${code}: ${path}`), { code });

/**
 * A file system in memory with two views: names and bytes as programs see them, and as they would be after a power cut.
 *
 * `sync` makes a file's bytes safe, `syncFolder` the names in one folder; nothing else does. `onStep` is called before each
 * change, so that every state in which the machine could have stopped can be taken down in one run.
 */
export class SimDisk implements Disk {
  steps = 0;
  onStep: (step: string, half: (() => () => void) | null) => void = () => {};
  /** When set, everything from this step on fails: the process is gone. */
  deadFrom = Number.POSITIVE_INFINITY;
  private names = new Map<string, Inode | 'folder'>();
  /** The paths in each folder, since looking through all names costs more than all the rest. */
  private inFolder = new Map<string, Set<string>>();
  private safeNames = new Map<string, Inode | 'folder'>();
  private pending: NameChange[] = [];
  private nextId = 1n;
  private now = 1n;

  constructor(image: Image) {
    for (const [path, bytes] of image) {
      const node = bytes === null ? 'folder' : this.inode(bytes, bytes);
      this.show(path, node);
      this.safeNames.set(path, node);
    }
  }

  /** Sets what programs see under a name. */
  private show(path: string, to: Inode | 'folder' | null): void {
    const folder = dirname(path);
    const there = this.inFolder.get(folder) ?? new Set();
    if (to === null) {
      this.names.delete(path);
      there.delete(path);
    } else {
      this.names.set(path, to);
      this.inFolder.set(folder, there.add(path));
    }
  }

  /** What a person saves while nothing else is at work: no step, and safe at once. */
  edit(path: string, text: string): void {
    const node = this.inode(Buffer.from(text), Buffer.from(text));
    this.pending = this.pending.filter(({ changes }) => !changes.some(([changed]) => changed === path));
    this.show(path, node);
    this.safeNames.set(path, node);
  }

  private inode(seen: Buffer, safe: Buffer, mode = 0o644): Inode {
    return { id: this.nextId++, seen, safe, mode, changed: this.now++ };
  }

  private step(what: string, half: (() => () => void) | null = null): void {
    this.steps += 1;
    if (this.steps >= this.deadFrom) throw new Crash(what);
    this.onStep(what, half);
  }

  private file(path: string): Inode | null {
    if (this.steps >= this.deadFrom) throw new Crash(path);
    const node = this.names.get(path);
    return node === undefined || node === 'folder' ? null : node;
  }

  private setNames(folder: string, ...changes: NameChange['changes']): void {
    this.pending.push({ folder, changes });
    for (const [path, to] of changes) this.show(path, to);
  }

  private setName(path: string, to: Inode | 'folder' | null): void {
    this.setNames(dirname(path), [path, to]);
  }

  read = (path: string) => this.file(path)?.seen ?? null;
  readHead = (path: string, bytes: number) => this.read(path)?.subarray(0, bytes) ?? null;
  readAt = (path: string, offset: number, length: number) => this.read(path)?.subarray(offset, offset + length) ?? null;
  list = (path: string) => this.entries(path).map(({ name }) => name);

  entries(path: string) {
    return [...(this.inFolder.get(path) ?? [])]
      .map((each) => ({
        name: each.slice(path.length + 1),
        kind: this.names.get(each) === 'folder' ? ('folder' as const) : ('file' as const),
      }))
      .sort((left, right) => byBytes(left.name, right.name));
  }

  stat(path: string): Stat | null {
    const node = this.names.get(path);
    if (node === undefined) return null;
    const [ino, size, mode, at] =
      node === 'folder' ? [0n, 0n, 0o755n, 0n] : [node.id, BigInt(node.seen.length), BigInt(node.mode), node.changed];
    const kind = node === 'folder' ? 'folder' : 'file';
    return { kind, dev: 1n, ino, size, mode, nlink: 1n, mtimeNs: at, ctimeNs: at };
  }

  create(path: string, bytes: Uint8Array | string, mode = 0o644): void {
    const content = Buffer.from(bytes as Uint8Array);
    const make = (seen: Buffer) => this.setName(path, this.inode(seen, Buffer.alloc(0), mode));
    if (this.names.has(path)) throw error('EEXIST', path);
    if (this.names.get(dirname(path)) !== 'folder') throw error('ENOENT', path);
    this.step(`create ${path}`, () => {
      make(content.subarray(0, content.length >> 1));
      return () => {
        this.show(path, null);
        this.pending.pop();
      };
    });
    make(content);
  }

  append(path: string, bytes: Uint8Array | string): void {
    const added = Buffer.from(bytes as Uint8Array);
    const isNew = this.file(path) === null;
    const add = (part: Buffer) => {
      if (isNew && !this.names.has(path)) this.setName(path, this.inode(Buffer.alloc(0), Buffer.alloc(0)));
      const node = this.names.get(path) as Inode;
      node.seen = Buffer.concat([node.seen, part]);
      node.changed = this.now++;
    };
    this.step(`append ${path}`, () => {
      const before = this.read(path);
      add(added.subarray(0, added.length >> 1));
      return () => {
        if (before !== null) (this.names.get(path) as Inode).seen = before;
        else {
          this.show(path, null);
          this.pending.pop();
        }
      };
    });
    add(added);
  }

  overwrite(path: string, offset: number, expected: Uint8Array, bytes: Uint8Array): boolean {
    const node = this.file(path);
    const before = node?.seen;
    if (node === null || before?.subarray(offset, offset + expected.length).compare(expected) !== 0) return false;
    const after = Buffer.concat([before.subarray(0, offset), bytes, before.subarray(offset + expected.length)]);
    const write = () => {
      node.seen = after;
      node.changed = this.now++;
    };
    // Half-way it is written and not yet synced.
    this.step(`overwrite ${path}`, () => {
      write();
      return () => {
        node.seen = before;
      };
    });
    write();
    node.safe = after;
    return true;
  }

  sync(path: string): void {
    this.step(`sync ${path}`);
    const node = this.file(path);
    if (node === null) throw error('ENOENT', path);
    node.safe = node.seen;
  }

  syncFolder(path: string): void {
    this.step(`sync folder ${path}`);
    for (const { folder, changes } of this.pending) if (folder === path) apply(this.safeNames, changes);
    this.pending = this.pending.filter(({ folder }) => folder !== path);
  }

  rename(from: string, to: string): void {
    this.step(`rename to ${to}`);
    const node = this.names.get(from);
    if (node === undefined) throw error('ENOENT', from);
    if (dirname(from) !== dirname(to)) throw error('EXDEV', to);
    this.setNames(dirname(to), [to, node], [from, null]);
  }

  link(from: string, to: string): boolean {
    this.step(`link ${to}`);
    const node = this.file(from);
    if (node === null) throw error('ENOENT', from);
    if (this.names.has(to)) return false;
    this.setName(to, node);
    return true;
  }

  unlink(path: string): void {
    if (!this.names.has(path)) return;
    this.step(`unlink ${path}`);
    this.setName(path, null);
  }

  makeFolder(path: string): boolean {
    if (this.names.get(path) === 'folder') return false;
    this.step(`make folder ${path}`);
    for (const each of parents(path)) if (!this.names.has(each)) this.setName(each, 'folder');
    return true;
  }

  removeFolder(path: string): void {
    if (!this.names.has(path)) return;
    this.step(`remove folder ${path}`);
    this.setName(path, null);
  }

  /** The disk as it would be found if the machine stopped here in this way. */
  image(cut: Cut): Image {
    const random = 'seed' in cut ? generator(cut.seed) : () => 0;
    const names = new Map(cut.kind === 'kill' ? this.names : this.safeNames);
    if (cut.kind !== 'kill') {
      const ended = new Set<string>();
      for (const { folder, changes } of this.pending) {
        // `prefix`: names of one folder reach the disk in order, and stop somewhere; `random`: in any order.
        if (cut.kind === 'prefix' && random() < 0.3) ended.add(folder);
        const lands =
          cut.kind === 'names' ||
          (cut.kind === 'random' && random() < 0.5) ||
          (cut.kind === 'prefix' && !ended.has(folder));
        if (lands) apply(names, changes);
      }
    }
    const bytes = new Map<Inode, Buffer>();
    const content = (node: Inode): Buffer => {
      if (cut.kind === 'kill' || node.seen === node.safe) return node.seen;
      if (!('seed' in cut)) return node.safe;
      let found = bytes.get(node);
      if (found === undefined) {
        const luck = random();
        const torn = node.seen.subarray(0, Math.max(node.safe.length, node.seen.length >> 1));
        found = luck < 0.34 ? node.safe : luck < 0.67 ? node.seen : torn;
        bytes.set(node, found);
      }
      return found;
    };
    const image: Image = new Map();
    const whole = new Map<string, boolean>();
    const isWhole = (folder: string): boolean => {
      const known = whole.get(folder);
      if (known !== undefined) return known;
      const found = folder === '/' || (names.get(folder) === 'folder' && isWhole(dirname(folder)));
      whole.set(folder, found);
      return found;
    };
    for (const [path, node] of names)
      if (isWhole(dirname(path))) image.set(path, node === 'folder' ? null : content(node));
    return image;
  }
}

function apply(names: Map<string, Inode | 'folder'>, changes: NameChange['changes']): void {
  for (const [path, to] of changes)
    if (to === null) names.delete(path);
    else names.set(path, to);
}

/** `/a/b` -> `/a`, `/a/b` */
function parents(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`);
}

/** A small linear congruential generator: the same seed gives the same disk. */
function generator(seed: number): () => number {
  let state = (seed * 2654435761 + 12345) >>> 0;
  return () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
