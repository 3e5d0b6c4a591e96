import type { Base, Claim, OutcomeName, Result } from '../core/model.ts';
import type { Disk } from '../store/disk.ts';
import type { Workspace } from '../store/workspace.ts';
import { makeFolder, putNew, readJson, toJson } from '../store/write.ts';

type Run = Claim['runs'][number];

export const readResult = (disk: Disk, workspace: Workspace, { run, item }: Pick<Run, 'run' | 'item'>): Result | null =>
  readJson<Result>(disk, workspace.run(run, item, 'result.json'));

export const readBase = (disk: Disk, workspace: Workspace, { run, item }: Pick<Run, 'run' | 'item'>): Base | null =>
  readJson<Base>(disk, workspace.run(run, item, 'base.json'));

/** Hands a result over, exclusively: the first stands, a later one is kept beside it. @returns false when it came late. */
export function handOver(disk: Disk, workspace: Workspace, result: Result): boolean {
  const folder = workspace.run(result.run, result.item);
  makeFolder(disk, folder);
  if (putNew(disk, `${folder}/result.json`, toJson(result))) return true;
  putNew(disk, `${folder}/result.late.json`, toJson(result));
  return false;
}

/** A result for a run that nobody finished. */
export function unfinished(
  claim: Claim,
  { run, item, attempt }: Run,
  outcome: Extract<OutcomeName, 'lost' | 'released' | 'needs-human'>,
  summary: string,
  by: Result['by'],
  now: Date,
): Result {
  return {
    ...{ v: 1, run, item, attempt, version: claim.version, outcome, summary, error: null, fields: {}, outputs: {} },
    ...{ learnings: [], surprises: [], unsure: [], usage: {}, startedAt: null, endedAt: now.toISOString(), by },
  };
}
