import type { Hash } from 'node:crypto';
import { dirname } from 'node:path';
import { builtin } from '../store/builtin.ts';
import type { Disk, Stat } from '../store/disk.ts';
import { putIfUnchanged } from '../store/write.ts';
import type { Filed, Filing } from './source.ts';
import { changing, formatOf, isSame, type ReadAt, readAt, statTable, type Table } from './table-file.ts';
import { judgeBatch, type RowEdit } from './table-filing.ts';
import { hashOfId, idHash } from './table-index.ts';
import { eachRow } from './table-rows.ts';
import { type Found, TRIES } from './table-view.ts';

/** Units: bytes. A file up to this size is held whole, and replaced as any other file is. */
const HELD_MOST = 1024 * 1024;
const COPY_BYTES = 1024 * 1024;

/** Sets all marks and fields of a batch in one rename. @throws PawlError `E_CHANGED` when the file keeps changing meanwhile. */
export function fileRows(table: Table, batch: readonly Filing[], keep: (path: string) => void): Filed[] {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const filed = statTable(table).size <= HELD_MOST ? fileHeld(table, batch, keep) : fileStreamed(table, batch, keep);
    if (filed !== null) return filed;
  }
  throw changing(table);
}

/** @returns null when the file changed meanwhile; then nothing is written. */
function fileHeld(table: Table, batch: readonly Filing[], keep: (path: string) => void): Filed[] | null {
  const { disk, path } = table;
  const bytes = disk.read(path);
  if (bytes === null) return null;
  const { filed, edits } = judgeNow(table, batch, (offset, length) => bytes.subarray(offset, offset + length));
  const isThere =
    edits.length === 0
      ? settle(table, filed)
      : putIfUnchanged(disk, path, bytes, Buffer.concat([...spliced([bytes], edits)]), () => keep(path));
  return isThere ? filed : null;
}

/** For a file too large to hold: what was read, what is copied and what is replaced have to be the same bytes, by their digest. */
function fileStreamed(table: Table, batch: readonly Filing[], keep: (path: string) => void): Filed[] | null {
  const stat = statTable(table);
  const digest = sha256();
  const { filed, edits } = judgeNow(table, batch, heard(readAt(table), digest));
  const isThere =
    edits.length === 0 ? settle(table, filed) : replace(table, { stat, digest: digest.digest('hex'), edits }, keep);
  return isThere ? filed : null;
}

function judgeNow(table: Table, batch: readonly Filing[], read: ReadAt) {
  const hashes = new Set(batch.map(({ item }) => hashOfId(item)));
  const found = new Map<string, Found[]>(batch.map(({ item }) => [item, []]));
  const format = formatOf(table, read);
  eachRow(table.spec.path, format, read, (bytes, from, spot, offset, line) => {
    const hash = idHash(format, bytes, from, spot);
    if (!hashes.has(hash)) return;
    const own = Buffer.from(bytes.subarray(from, spot.next));
    const row = format.read(own);
    const others = 'id' in row ? found.get(row.id) : undefined;
    if (others !== undefined && others.length < 2) others.push({ row, bytes: own, offset, line });
  });
  return judgeBatch(batch, format, table.spec.mark, (id) => found.get(id) ?? []);
}

/** A mark that is there may be that of this call's forerunner, killed before the name of the new file was safe. */
function settle({ disk, path }: Table, filed: readonly Filed[]): true {
  if (filed.some(({ as }) => as === 'already')) disk.syncFolder(dirname(path));
  return true;
}

interface Replacement {
  stat: Stat;
  digest: string;
  edits: readonly RowEdit[];
}

/**
 * What `putIfUnchanged` promises, for a file too large to hold.
 *
 * Its bytes are read once more before the rename, and its stamps compared after that. What is left is the gap between that comparison and
 * the rename; and where the stamps of a file system are coarse, a change of the same size within one grain of them while it is read again.
 */
function replace(table: Table, { stat, digest, edits }: Replacement, keep: (path: string) => void): boolean {
  const { disk, path } = table;
  const temporary = `${path}.tmp-${builtin('node:crypto').randomUUID()}`;
  try {
    if (copy(table, temporary, Number(stat.mode & 0o777n), edits) !== digest) return dropped(disk, temporary);
    disk.sync(temporary);
    keep(path);
    if (digestOf(table) !== digest || !isSame(stat, disk.stat(path))) return dropped(disk, temporary);
    disk.rename(temporary, path);
  } catch (error) {
    try {
      disk.unlink(temporary);
    } catch {
      // The first error is the one to tell; a later tick sweeps the temporary file.
    }
    throw error;
  }
  disk.syncFolder(dirname(path));
  return true;
}

function dropped(disk: Disk, temporary: string): false {
  disk.unlink(temporary);
  return false;
}

/** @returns the digest of what was copied, as it was before the edits. */
function copy(table: Table, to: string, mode: number, edits: readonly RowEdit[]): string {
  const digest = sha256();
  table.disk.create(to, '', mode);
  for (const piece of spliced(chunksOf(heard(readAt(table), digest)), edits)) table.disk.append(to, piece);
  return digest.digest('hex');
}

function digestOf(table: Table): string {
  const digest = sha256();
  for (const _ of chunksOf(heard(readAt(table), digest)));
  return digest.digest('hex');
}

const sha256 = () => builtin('node:crypto').createHash('sha256');

/** Each holds until the next is asked for. */
function* chunksOf(read: ReadAt): Generator<Buffer> {
  const lent = Buffer.allocUnsafe(COPY_BYTES);
  for (let offset = 0; ; ) {
    const chunk = read(offset, COPY_BYTES, lent);
    if (chunk.length === 0) return;
    yield chunk;
    offset += chunk.length;
  }
}

/** Digests each byte the first time it is read, in the order of the file: what is read again was read before. */
function heard(read: ReadAt, digest: Hash): ReadAt {
  let until = 0;
  return (offset, length, into) => {
    const bytes = read(offset, length, into);
    digest.update(bytes.subarray(Math.max(0, until - offset)));
    until = Math.max(until, offset + bytes.length);
    return bytes;
  };
}

/** The bytes with each edit in its place; edits lie in the order of the file and do not meet. */
function* spliced(chunks: Iterable<Buffer>, edits: readonly RowEdit[]): Generator<Buffer> {
  let [offset, next] = [0, 0];
  for (const chunk of chunks) {
    const end = offset + chunk.length;
    let at = offset;
    while (at < end) {
      const edit = edits[next];
      if (edit === undefined || at < edit.from) {
        const to = Math.min(end, edit?.from ?? end);
        yield chunk.subarray(at - offset, to - offset);
        at = to;
        continue;
      }
      if (at === edit.from) yield edit.bytes;
      at = Math.min(end, edit.to);
      if (at === edit.to) next += 1;
    }
    offset = end;
  }
}
