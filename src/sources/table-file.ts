import { dirname, join } from 'node:path';
import { isPrivateFolder } from '../core/private-folders.ts';
import { PawlError } from '../errors.ts';
import type { Format } from '../formats/table.ts';
import { HEAD_BYTES, readFormat, type TableSpec, tableKind } from '../formats/table-header.ts';
import type { Disk, Stat } from '../store/disk.ts';
import type { SourceContext } from './source.ts';
import { plainSteps } from './walk.ts';

/** One file of rows, as loop.md names it. */
export interface Table {
  disk: Disk;
  /** Absolute. */
  path: string;
  spec: TableSpec;
}

/** @throws PawlError `E_FORMAT` for settings that name no table, `E_OUTSIDE` for a file outside the project. */
export function tableOf({
  disk,
  workspace,
  procedure,
}: Pick<SourceContext, 'disk' | 'workspace' | 'procedure'>): Table {
  const { path, mark, id, write } = procedure.source;
  const refuse = (why: string) => new PawlError('E_FORMAT', why, { at: '.jez/loop.md' });
  if (tableKind(path) === null)
    throw refuse(`source.path should end in .csv, .tsv, .jsonl or .ndjson, got ${JSON.stringify(path)}`);
  if (id === null) throw refuse('source.id should be the column (or key) whose value names a row, such as email');
  if (id === mark.field) throw refuse(`source.id should be another column than the mark, ${JSON.stringify(id)}`);
  const fixed = write.find((name) => name === id || name === mark.field);
  if (fixed !== undefined)
    throw refuse(`source.write should hold neither the id nor the mark, got ${JSON.stringify(fixed)}`);
  const whole = workspace.inRoot(path);
  const folders = dirname(whole)
    .slice(workspace.root.length + 1)
    .split('/')
    .filter((step) => step !== '');
  if (plainSteps(disk, workspace.root, folders).length < folders.length || folders.some(isPrivateFolder))
    throw refuse(
      `source.path should lead through folders, no links and none of .jez, .git and node_modules, got ${path}`,
    );
  return {
    disk,
    path: join(workspace.root, ...folders, whole.slice(whole.lastIndexOf('/') + 1)),
    spec: { path, mark, id, write },
  };
}

/** @throws PawlError `E_FORMAT` when it is not there: an editor that saves may have taken it away for a moment, so no row is called gone. */
export function statTable({ disk, path, spec }: Table): Stat {
  const stat = disk.stat(path);
  if (stat?.kind === 'file') return stat;
  const why = stat === null ? 'there should be a table here' : 'the table should be a plain file, no link';
  throw new PawlError('E_FORMAT', why, { at: spec.path });
}

/** Bytes of a table from an offset on: as many as were asked for, fewer only at its end. They may lie in `into`, where one is lent. */
export type ReadAt = (offset: number, length: number, into?: Buffer) => Buffer;

/** As they are when they are asked for. */
export const readAt =
  ({ disk, path }: Table): ReadAt =>
  (offset, length, into) =>
    disk.readAt(path, offset, length, into) ?? Buffer.alloc(0);

/** @throws PawlError `E_FORMAT` as `readFormat` does. */
export function formatOf({ spec }: Table, read: ReadAt): Format {
  const head = read(0, HEAD_BYTES);
  return readFormat(head, head.length < HEAD_BYTES, spec);
}

/** Whether these tell the same state of a file, as far as stamps can. */
export const isSame = (left: Stat, right: Stat | null): boolean =>
  right !== null &&
  left.dev === right.dev &&
  left.ino === right.ino &&
  left.size === right.size &&
  left.mtimeNs === right.mtimeNs &&
  left.ctimeNs === right.ctimeNs;

export const changing = ({ spec }: Table) =>
  new PawlError('E_CHANGED', 'this table keeps changing while it is read', { at: spec.path });
