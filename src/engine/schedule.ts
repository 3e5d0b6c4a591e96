import { statSync } from 'node:fs';
import { type Job, searchFolders } from '../core/schedule/job.ts';
import { entry } from '../store/package.ts';

/** The job of a loop as this process would be started again: same node, same command, same PATH. */
export function jobOf(root: string, everyMs: number): Job {
  const node = process.execPath;
  return { ...{ root, node, everyMs }, entry: entry(), path: searchFolders(process.env.PATH ?? '', node, isFolder) };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    // Whatever keeps us from looking would keep a program from being found there.
    return false;
  }
}
