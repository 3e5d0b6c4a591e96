import {
  appendFileSync,
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmdirSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { codeOf, PawlError } from '../errors.ts';

/** What `lstat` says, exact: nanosecond stamps are bigints, since milliseconds as numbers have 244 ns steps. */
export interface Stat {
  kind: 'file' | 'folder' | 'link' | 'other';
  dev: bigint;
  ino: bigint;
  size: bigint;
  mode: bigint;
  nlink: bigint;
  mtimeNs: bigint;
  ctimeNs: bigint;
}

/** `link` is a symbolic link, whatever it points to. */
export interface Entry {
  name: string;
  kind: Stat['kind'];
}

/**
 * Every file operation of the engine, so that one place can be made to fail.
 *
 * Promises:
 * - Each method that changes something is ONE step: a crash is before it or after it (`create` and `append` may also stop half-way).
 * - Nothing but `sync`, `syncFolder` and `overwrite` makes a change survive a power cut.
 * - Paths are absolute. A missing file is null or an empty list where that is an answer; other errors rise as they come.
 *
 * The engine runs on `realDisk`; the power-loss model in the tests is a second implementation.
 */
export interface Disk {
  read(path: string): Buffer | null;
  /** At most the first `bytes` bytes. */
  readHead(path: string, bytes: number): Buffer | null;
  /** Up to `length` bytes from `offset`, at the beginning of `into` where one is lent; null when the file is not there. */
  readAt(path: string, offset: number, length: number, into?: Buffer): Buffer | null;
  /** Names in a folder with their kind, sorted by UTF-8 bytes; [] when it is not there. */
  entries(path: string): Entry[];
  /** Names in a folder, sorted by UTF-8 bytes; [] when it is not there. */
  list(path: string): string[];
  stat(path: string): Stat | null;
  /** Makes a new file with all of `bytes`. @throws EEXIST. */
  create(path: string, bytes: Uint8Array | string, mode?: number): void;
  /** One write at the end of the file, which is made when missing. */
  append(path: string, bytes: Uint8Array | string): void;
  /**
   * Changes a file in place, synced: of `bytes`, as long as `expected`, what differs is written at `offset`.
   *
   * @returns false when the file is not there, does not hold `expected`, or was replaced by another while it was written to.
   * @throws ELOOP for a symbolic link.
   */
  overwrite(path: string, offset: number, expected: Uint8Array, bytes: Uint8Array): boolean;
  sync(path: string): void;
  syncFolder(path: string): void;
  rename(from: string, to: string): void;
  /** @returns false when `to` is there already. */
  link(from: string, to: string): boolean;
  unlink(path: string): void;
  /** With all its parents. @returns true when it was missing. */
  makeFolder(path: string): boolean;
  removeFolder(path: string): void;
}

/** To write into a file that is there, and through no symbolic link. */
const IN_PLACE = constants.O_RDWR | constants.O_NOFOLLOW;

const missing = (error: unknown) => ['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '');

function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (missing(error)) return null;
    throw error;
  }
}

function withFile<T>(path: string, flags: string | number, work: (fd: number) => T, mode = 0o644): T {
  const fd = openSync(path, flags, mode);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

function readPart(path: string, offset: number, length: number, into?: Buffer): Buffer | null {
  return orNull(() =>
    withFile(path, 'r', (fd) => {
      const buffer = into ?? Buffer.allocUnsafe(length);
      return buffer.subarray(0, readSync(fd, buffer, 0, length, offset));
    }),
  );
}

type Kinds = { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean };
const kindOf = (entry: Kinds): Stat['kind'] =>
  entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other';

const toBuffer = (bytes: Uint8Array | string) => (typeof bytes === 'string' ? Buffer.from(bytes) : bytes);

/** The file system of this machine. */
export const realDisk: Disk = {
  read: (path) => orNull(() => readFileSync(path)),

  readHead: (path, bytes) => readPart(path, 0, bytes),
  readAt: readPart,

  entries: (path) =>
    (orNull(() => readdirSync(path, { withFileTypes: true })) ?? [])
      .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
      .sort((left, right) => byBytes(left.name, right.name)),

  list: (path) => (orNull(() => readdirSync(path)) ?? []).sort(byBytes),

  stat: (path) =>
    orNull(() => {
      // Most looks are for a file that is not there: an error with its stack would cost ten times the call.
      const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      return stat === undefined ? null : { ...pick(stat), kind: kindOf(stat) };
    }),

  create(path, bytes, mode = 0o644) {
    const buffer = toBuffer(bytes);
    withFile(
      path,
      'wx',
      (fd) => {
        // A nearly full disk writes less than it was given, without an error.
        for (let at = 0; at < buffer.length; ) at += writeSync(fd, buffer, at);
        const { size } = fstatSync(fd);
        if (size !== buffer.length)
          throw new PawlError('E_SHORT_WRITE', `wrote ${size} of ${buffer.length} bytes`, { at: path });
      },
      mode,
    );
  },

  append: (path, bytes) => appendFileSync(path, toBuffer(bytes)),

  overwrite: (path, offset, expected, bytes) =>
    orNull(() => withFile(path, IN_PLACE, (fd) => overwritten(fd, path, offset, expected, bytes))) ?? false,

  sync: (path) => withFile(path, 'r', fsyncSync),
  syncFolder: (path) => withFile(path, 'r', fsyncSync),
  rename: (from, to) => renameSync(from, to),

  link(from, to) {
    try {
      linkSync(from, to);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    }
  },

  unlink: (path) => void orNull(() => unlinkSync(path)),
  makeFolder: (path) => mkdirSync(path, { recursive: true }) !== undefined,
  removeFolder: (path) => void orNull(() => rmdirSync(path)),
};

function overwritten(fd: number, path: string, offset: number, expected: Uint8Array, bytes: Uint8Array): boolean {
  const there = Buffer.alloc(expected.length);
  const length = readSync(fd, there, 0, there.length, offset);
  if (length < there.length || there.compare(expected) !== 0) return false;
  const { from, to } = difference(expected, bytes);
  for (let at = from; at < to; ) at += writeSync(fd, bytes, at, to - at, offset + at);
  fdatasyncSync(fd);
  // An editor may have put another file in its place meanwhile: what was written then went to the old one.
  const { dev, ino } = fstatSync(fd, { bigint: true });
  const now = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return now?.dev === dev && now.ino === ino;
}

/** The stretch in which two texts of one length differ. */
function difference(left: Uint8Array, right: Uint8Array): { from: number; to: number } {
  let from = 0;
  let to = left.length;
  while (from < to && left[from] === right[from]) from += 1;
  while (to > from && left[to - 1] === right[to - 1]) to -= 1;
  return { from, to };
}

function pick({ dev, ino, size, mode, nlink, mtimeNs, ctimeNs }: Omit<Stat, 'kind'>): Omit<Stat, 'kind'> {
  return { dev, ino, size, mode, nlink, mtimeNs, ctimeNs };
}

const SURROGATE = /[\ud800-\udfff]/;

/** UTF-8 byte order, which is the order of every list in this program. */
export function byBytes(left: string, right: string): number {
  if (left === right) return 0;
  // Without surrogates the order of UTF-16 units is the order of UTF-8 bytes, and far cheaper to compare.
  if (SURROGATE.test(left) || SURROGATE.test(right)) return Buffer.compare(Buffer.from(left), Buffer.from(right));
  return left < right ? -1 : 1;
}
