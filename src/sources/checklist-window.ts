import { fingerprint } from '../core/fingerprint.ts';
import { codeOf } from '../errors.ts';
import type { Disk } from '../store/disk.ts';
import { putUnsynced } from '../store/write.ts';
import type { Place } from './checklist-scan.ts';

/** Open tasks one behind the other, as of a state of the file: where to go on without reading all that is before them. */
export interface Window {
  v: 1;
  stamp: string;
  name: string;
  /** The id before the first, null = it is the first of the file. */
  after: string | null;
  places: Place[];
  /** Lines of ids that more than one task has, in the whole file; null = not looked for, since none of these has its own. */
  doubles: [id: string, lines: number[]][] | null;
}

const SHAPE = /^([0-9a-f]{16})\n(.*)\n$/s;

/** @returns the places behind `after`; none when the window does not hold that id. */
export function placesBehind({ after: first, places }: Window, after: string | null): Place[] {
  const found = places.findIndex(({ id }) => id === after);
  return after === first || found !== -1 ? places.slice(found + 1) : [];
}

/** Not synced, so it carries a digest. @returns null when it is not there, damaged, or made of another state of the file. */
export function readWindow(disk: Disk, path: string, name: string, stamp: string): Window | null {
  const [, digest, text] = SHAPE.exec(disk.read(path)?.toString('utf8') ?? '') ?? [];
  if (text === undefined || fingerprint(Buffer.from(text)) !== digest) return null;
  const window = JSON.parse(text) as Window;
  return window.v === 1 && window.name === name && window.stamp === stamp ? window : null;
}

/** A failure changes nothing: it is a cache. */
export function saveWindow(disk: Disk, path: string, window: Window): void {
  const text = JSON.stringify(window);
  try {
    putUnsynced(disk, path, `${fingerprint(Buffer.from(text))}\n${text}\n`);
  } catch (error) {
    if (codeOf(error) === null) throw error;
  }
}
