import type { Disk } from './disk.ts';
import type { Workspace } from './workspace.ts';
import { readJson } from './write.ts';

const numbers = (disk: Disk, workspace: Workspace): number[] =>
  disk
    .list(workspace.path('versions'))
    .flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
    .sort((a, b) => b - a);

/** The highest version with a manifest and without bad.json; 0 is the text as it came, which is always there. */
export function activeVersion(disk: Disk, workspace: Workspace): number {
  const has = (version: number, file: string) =>
    disk.stat(workspace.path('versions', String(version).padStart(4, '0'), file)) !== null;
  return numbers(disk, workspace).find((version) => has(version, 'manifest.json') && !has(version, 'bad.json')) ?? 0;
}

/** The tick that made the newest version, 0 without any: tick numbers are never given twice. */
export function highestVersionTick(disk: Disk, workspace: Workspace): number {
  const [newest] = numbers(disk, workspace);
  if (newest === undefined) return 0;
  const manifest = workspace.path('versions', String(newest).padStart(4, '0'), 'manifest.json');
  return readJson<{ tick?: number }>(disk, manifest)?.tick ?? 0;
}
