import { dirname, join } from 'node:path';
import { fingerprint } from '../core/fingerprint.ts';
import { codeOf } from '../errors.ts';
import { byBytes, type Disk, type Stat } from './disk.ts';

/** Folders by their path from the root, each as it was just before it was listed. */
export type Folders = ReadonlyMap<string, Stat>;

/** A list of names on disk, of which only the part that is asked for is read. */
export interface Names {
  folders: string[];
  /**
   * Handfuls of names behind `after` (null = from the first), in order.
   * @returns undefined after the last one, or the name behind which the file turned out to be damaged.
   */
  behind(after: string | null): Generator<string[], string | null | undefined>;
}

interface Header {
  v: 1;
  pattern: string;
  folders: [path: string, stamp: string][];
  /** Parts of the rest of the file: offset, length, first name, digest. */
  pieces: [offset: number, length: number, first: string, digest: string][];
}

const PIECE_NAMES = 4096;
const FIRST_READ_BYTES = 16_384;
/** What a stamp must be older than the scan before it says that nothing changed: no file system counts in larger steps. */
const SLACK_NS = 2_000_000_000n;
const PREAMBLE = /^([0-9a-f]{16}) ([0-9]{1,9})\n/;

/**
 * Opens a snapshot that still holds: made for this pattern, undamaged, and each folder's stamps as they were.
 *
 * Shape: one line with digest and length of the header, the header (JSON, one line), then one name a line, sorted. It is not synced, so
 * every part carries a digest: what a power cut leaves is found out, never believed.
 * @returns null when it does not hold, for whatever reason.
 */
export function openNames(disk: Disk, root: string, file: string, pattern: string): Names | null {
  return quietly(() => {
    const header = readHeader(disk, file);
    if (header === null || header.v !== 1 || header.pattern !== pattern) return null;
    const holds = header.folders.every(([path, stamp]) => stampOf(disk.stat(join(root, path))) === stamp);
    if (!holds) return null;
    return { folders: header.folders.map(([path]) => path), behind: (after) => readBehind(disk, file, header, after) };
  });
}

/** The file system's own time, from a file just made on it: the clock of this machine may be another. @returns null when it can't be had. */
export function fileSystemTime(disk: Disk, file: string): bigint | null {
  return quietly(() => {
    const temporary = `${file}.tmp-${process.pid}`;
    disk.makeFolder(dirname(file));
    disk.create(temporary, '');
    const time = disk.stat(temporary)?.mtimeNs ?? null;
    disk.unlink(temporary);
    return time;
  });
}

/** Whether a folder last changed so long before `since` that any later change gives it another stamp. */
export const isSettled = ({ mtimeNs, ctimeNs }: Stat, since: bigint): boolean =>
  mtimeNs + SLACK_NS < since && ctimeNs + SLACK_NS < since;

/**
 * Leaves a snapshot for later, unless a folder changed so shortly before `since` that a change after it may bear the same stamp.
 *
 * Not synced, and a failure changes nothing: it is a cache.
 */
export function saveNames(
  disk: Disk,
  file: string,
  scan: { pattern: string; since: bigint; folders: Folders; names: readonly string[] },
): void {
  if (
    ![...scan.folders.values()].every((stat) => isSettled(stat, scan.since)) ||
    scan.names.some((name) => name.includes('\n'))
  )
    return;
  quietly(() => {
    const temporary = `${file}.tmp-${process.pid}`;
    disk.create(temporary, print(scan));
    disk.rename(temporary, file);
    return null;
  });
}

function print({ pattern, folders, names }: { pattern: string; folders: Folders; names: readonly string[] }): Buffer {
  const pieces: Header['pieces'] = [];
  const parts: Buffer[] = [];
  let offset = 0;
  for (let at = 0; at < names.length; at += PIECE_NAMES) {
    const part = Buffer.from(`${names.slice(at, at + PIECE_NAMES).join('\n')}\n`);
    pieces.push([offset, part.length, names[at] as string, fingerprint(part)]);
    parts.push(part);
    offset += part.length;
  }
  const stamps = [...folders].map(([path, stat]): [string, string] => [path, stampOf(stat)]);
  const header: Header = { v: 1, pattern, folders: stamps, pieces };
  const line = Buffer.from(`${JSON.stringify(header)}\n`);
  return Buffer.concat([Buffer.from(`${fingerprint(line)} ${line.length}\n`), line, ...parts]);
}

/** With the offsets of its pieces counted from the beginning of the file. */
function readHeader(disk: Disk, file: string): Header | null {
  const head = disk.readAt(file, 0, FIRST_READ_BYTES);
  const found = head === null ? null : PREAMBLE.exec(head.toString('latin1', 0, 80));
  if (head === null || found === null) return null;
  const from = found[0].length;
  const to = from + Number(found[2]);
  const rest = to > head.length ? disk.readAt(file, head.length, to - head.length) : null;
  const line = (rest === null ? head : Buffer.concat([head, rest])).subarray(from, to);
  if (fingerprint(line) !== found[1]) return null;
  const header = JSON.parse(line.toString('utf8')) as Header;
  return { ...header, pieces: header.pieces.map(([offset, ...rest]) => [to + offset, ...rest]) };
}

function* readBehind(
  disk: Disk,
  file: string,
  { pieces }: Header,
  after: string | null,
): Generator<string[], string | null | undefined> {
  let last = after;
  for (const [offset, length, , digest] of pieces.slice(pieceOf(pieces, after))) {
    const part = quietly(() => disk.readAt(file, offset, length));
    if (part === null || fingerprint(part) !== digest) return last;
    const names = part.toString('utf8').split('\n').slice(0, -1);
    const behind = last === after ? names.slice(firstBehind(names, after)) : names;
    yield behind;
    last = behind.at(-1) ?? last;
  }
  return undefined;
}

/** The last piece that begins at or before `after`. */
function pieceOf(pieces: Header['pieces'], after: string | null): number {
  const firsts = pieces.map(([, , first]) => first);
  return Math.max(0, firstBehind(firsts, after) - 1);
}

/** Where the names behind `after` begin in a sorted list, found in some twenty steps however long it is. */
export function firstBehind(names: readonly string[], after: string | null): number {
  let low = 0;
  let high = after === null ? 0 : names.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (byBytes(names[middle] ?? '', after ?? '') <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const stampOf = (stat: Stat | null): string =>
  stat?.kind === 'folder' ? `${stat.dev} ${stat.ino} ${stat.mtimeNs} ${stat.ctimeNs}` : 'none';

/** A cache that can't be read or written is no cache; anything but an error of the system is a bug and rises. */
function quietly<T>(work: () => T | null): T | null {
  try {
    return work();
  } catch (error) {
    if (codeOf(error) === null && !(error instanceof SyntaxError)) throw error;
    return null;
  }
}
