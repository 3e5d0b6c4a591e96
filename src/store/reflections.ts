import type { Day } from '../core/model.ts';
import type { Disk } from './disk.ts';
import type { Workspace } from './workspace.ts';
import { appendLines, makeFolder } from './write.ts';

/** A block that may still have to be written is among the last ones. */
const TAIL_BYTES = 256 * 1024;

/** Step 13: adds a block unless the whole of it is there; a torn one is left as it is and followed by the whole. */
export function appendEntry(disk: Disk, workspace: Workspace, day: Day, entry: string): void {
  const path = workspace.reflection(day);
  makeFolder(disk, workspace.path('reflections'));
  const size = Number(disk.stat(path)?.size ?? 0n);
  const span = TAIL_BYTES + Buffer.byteLength(entry);
  const tail = disk.readAt(path, Math.max(0, size - span), span);
  if (tail?.includes(entry)) return;
  appendLines(disk, path, entry);
}
