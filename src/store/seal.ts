import type { Instant } from '../core/model.ts';
import type { Seal } from '../core/world.ts';
import type { Disk, Stat } from './disk.ts';
import type { Workspace } from './workspace.ts';
import { putUnsynced } from './write.ts';

/** With more folders than this the stamps would cost more than they save: the seal then holds by time alone. */
export const FOLDERS_MOST = 200;
const BY_TIME_MS = 15 * 60_000;
const FILES = ['state.md', 'loop.md', 'contract.md', 'glue.js', 'review.md', 'rules.yaml', 'outcomes.jsonl'];

/** `cache/seal.json`: nothing to do until then, unless a stamp differs. `stamps` are pairs of path and stamp. */
export interface SealFile extends Seal {
  v: 1;
  stamps: [string, string][];
}

/** Tells two states of a file or folder apart; '' = not there. Exact figures, since milliseconds as numbers are rounded. */
export const stampOf = (stat: Pick<Stat, 'ino' | 'size' | 'mtimeNs' | 'ctimeNs'> | null): string =>
  stat === null ? '' : `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;

/** Stamps of the loop's own files, to be taken before they are read. */
export function fileStamps(disk: Disk, workspace: Workspace): [string, string][] {
  return FILES.map((name) => [workspace.path(name), stampOf(disk.stat(workspace.path(name)))]);
}

/** Not synced: a lost seal costs one full look. */
export function writeSeal(
  disk: Disk,
  workspace: Workspace,
  seal: Seal,
  files: [string, string][],
  folders: readonly string[],
  now: Instant,
): void {
  const byTime = folders.length === 0 || folders.length > FOLDERS_MOST;
  const short = new Date(Date.parse(now) + BY_TIME_MS).toISOString();
  const sealed: SealFile = {
    v: 1,
    why: seal.why,
    until: byTime && short < seal.until ? short : seal.until,
    stamps: [...files, ...(byTime ? [] : folders.map((path): [string, string] => [path, stampOf(disk.stat(path))]))],
  };
  disk.makeFolder(workspace.cache());
  putUnsynced(disk, workspace.cache('seal.json'), JSON.stringify(sealed));
}
