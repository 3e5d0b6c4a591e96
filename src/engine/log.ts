import { parseReflection, type Told } from '../formats/reflection.ts';
import type { Disk } from '../store/disk.ts';
import type { Workspace } from '../store/workspace.ts';

/** What one tick did, with the local day it did it on. */
export interface Entry extends Told {
  day: string;
}

const NAME = /^(\d{4}-\d\d-\d\d)\.md$/;

/** Days that have a reflection, oldest first. */
function days(disk: Disk, workspace: Workspace): string[] {
  return disk.list(workspace.path('reflections')).flatMap((name) => NAME.exec(name)?.[1] ?? []);
}

/** @returns the entries of a day, oldest first; [] when nothing was told that day. */
export function entriesOf(disk: Disk, workspace: Workspace, day: string): Entry[] {
  const text = disk.read(workspace.reflection(day))?.toString('utf8') ?? '';
  return parseReflection(text).map((told) => ({ day, ...told }));
}

/** @returns the newest day with something in it; [] before the first. */
export function newestDay(disk: Disk, workspace: Workspace): Entry[] {
  for (const day of days(disk, workspace).reverse()) {
    const entries = entriesOf(disk, workspace, day);
    if (entries.length > 0) return entries;
  }
  return [];
}

/** @returns the last `count` entries over all days, oldest first. */
export function lastEntries(disk: Disk, workspace: Workspace, count: number): Entry[] {
  let entries: Entry[] = [];
  for (const day of days(disk, workspace).reverse()) {
    if (entries.length >= count) break;
    entries = [...entriesOf(disk, workspace, day), ...entries];
  }
  return entries.slice(Math.max(0, entries.length - count));
}
