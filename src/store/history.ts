import { relative } from 'node:path';
import { encodeId } from '../core/encode-id.ts';
import { codeOf } from '../errors.ts';
import type { Disk } from './disk.ts';
import { sha256, type Workspace } from './workspace.ts';

const KEPT_TICKS = 50;

/**
 * Keeps the bytes that a tick is about to replace: hard-linked, copied across file systems.
 *
 * Not synced: it is a second chance against the last gap of compare-and-swap, never the truth.
 */
export function keeper(disk: Disk, workspace: Workspace, tick: number): (path: string) => void {
  let made = false;
  return (path) => {
    if (disk.stat(path)?.kind !== 'file') return;
    if (!made) disk.makeFolder(workspace.history(tick));
    made = true;
    const name = encodeId(relative(workspace.root, path), sha256);
    const to = freeName(disk, `${workspace.history(tick)}/${name}`);
    try {
      disk.link(path, to);
    } catch (error) {
      if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error;
      disk.create(to, disk.read(path) ?? '');
    }
  };
}

function freeName(disk: Disk, path: string): string {
  for (let n = 0; ; n++) {
    const name = n === 0 ? path : `${path}.${n}`;
    if (disk.stat(name) === null) return name;
  }
}

export function pruneHistory(disk: Disk, workspace: Workspace): void {
  const folders = disk.list(workspace.path('history')).sort((a, b) => Number(a) - Number(b));
  for (const folder of folders.slice(0, Math.max(0, folders.length - KEPT_TICKS))) {
    const path = workspace.path('history', folder);
    for (const name of disk.list(path)) disk.unlink(`${path}/${name}`);
    disk.removeFolder(path);
  }
}
