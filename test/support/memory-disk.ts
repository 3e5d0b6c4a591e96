import { dirname } from 'node:path';
import { byBytes, type Disk, type Stat } from '../../src/store/disk.ts';

interface Inode {
  id: bigint;
  bytes: Buffer;
  mode: number;
  changed: bigint;
}

const error = (code: string, path: string) => Object.assign(new Error(`${code}: ${path}`), { code });

/** A disk in memory that never fails: quick enough for thousands of ticks, since each folder knows its names. */
export class MemoryDisk implements Disk {
  private files = new Map<string, Inode>();
  private folders = new Map<string, Set<string>>([['/', new Set()]]);
  private touched = new Map<string, bigint>();
  private nextId = 1n;
  private now = 1n;

  /** What a person writes: with all its folders, over what is there. */
  write(path: string, text: string): void {
    this.makeFolder(dirname(path));
    this.set(path, { id: this.nextId++, bytes: Buffer.from(text), mode: 0o644, changed: this.now++ });
  }

  text = (path: string): string => this.read(path)?.toString('utf8') ?? '';

  read = (path: string) => this.files.get(path)?.bytes ?? null;
  readHead = (path: string, bytes: number) => this.read(path)?.subarray(0, bytes) ?? null;
  readAt = (path: string, offset: number, length: number) => this.read(path)?.subarray(offset, offset + length) ?? null;
  list = (path: string) => [...(this.folders.get(path) ?? [])].sort(byBytes);

  entries = (path: string) =>
    this.list(path).map((name) => ({
      name,
      kind: this.folders.has(`${path}/${name}`) ? ('folder' as const) : ('file' as const),
    }));

  stat(path: string): Stat | null {
    const node = this.files.get(path);
    if (node === undefined && !this.folders.has(path)) return null;
    const folder = { id: 0n, bytes: '', mode: 0o755, changed: this.touched.get(path) ?? 0n };
    const { id, bytes, mode, changed } = node ?? folder;
    const kind = node === undefined ? 'folder' : 'file';
    const size = BigInt(bytes.length);
    return { kind, dev: 1n, ino: id, size, mode: BigInt(mode), nlink: 1n, mtimeNs: changed, ctimeNs: changed };
  }

  create(path: string, bytes: Uint8Array | string, mode = 0o644): void {
    if (this.files.has(path)) throw error('EEXIST', path);
    this.set(path, { id: this.nextId++, bytes: Buffer.from(bytes as Uint8Array), mode, changed: this.now++ });
  }

  append(path: string, bytes: Uint8Array | string): void {
    const before = this.files.get(path);
    if (before === undefined) this.create(path, bytes);
    else {
      before.bytes = Buffer.concat([before.bytes, Buffer.from(bytes as Uint8Array)]);
      before.changed = this.now++;
    }
  }

  overwrite(path: string, offset: number, expected: Uint8Array, bytes: Uint8Array): boolean {
    const node = this.files.get(path);
    const there = node?.bytes.subarray(offset, offset + expected.length);
    if (node === undefined || there?.compare(expected) !== 0) return false;
    const rest = node.bytes.subarray(offset + expected.length);
    node.bytes = Buffer.concat([node.bytes.subarray(0, offset), bytes, rest]);
    node.changed = this.now++;
    return true;
  }

  sync = () => {};
  syncFolder = () => {};

  rename(from: string, to: string): void {
    const node = this.files.get(from);
    if (node === undefined) throw error('ENOENT', from);
    this.set(to, node);
    this.unlink(from);
  }

  link(from: string, to: string): boolean {
    const node = this.files.get(from);
    if (node === undefined) throw error('ENOENT', from);
    if (this.files.has(to)) return false;
    this.set(to, node);
    return true;
  }

  unlink(path: string): void {
    if (this.files.delete(path)) this.names(path).delete(nameOf(path));
  }

  makeFolder(path: string): boolean {
    if (this.folders.has(path)) return false;
    this.makeFolder(dirname(path));
    this.names(path).add(nameOf(path));
    this.folders.set(path, new Set());
    return true;
  }

  removeFolder(path: string): void {
    if (!this.folders.delete(path)) return;
    this.names(path).delete(nameOf(path));
  }

  private set(path: string, node: Inode): void {
    this.names(path).add(nameOf(path));
    this.files.set(path, node);
  }

  /** The names beside `path`, which are about to change. */
  private names(path: string): Set<string> {
    const names = this.folders.get(dirname(path));
    if (names === undefined) throw error('ENOENT', path);
    this.touched.set(dirname(path), this.now++);
    return names;
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
