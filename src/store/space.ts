import { statfsSync } from 'node:fs';

/** @returns the bytes that we may still write to the file system of `path`. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path);
  return bavail * bsize;
}
