import type { Alive, Claim, FiledBatch, Owner } from '../core/model.ts';
import type { Disk } from './disk.ts';
import type { Workspace } from './workspace.ts';
import { makeFolder, putNew, putUnsynced, readJson, toJson } from './write.ts';

/** Batches are filed in order, so only the newest few can lack filed.json; looked at with a wide margin. */
const LOOK_BACK = 8;

/** What `batches/` says. */
export interface Batches {
  /** The highest number that was ever given, 0 without any. */
  highest: number;
  newest: Claim | null;
  newestFiled: FiledBatch | null;
  /** Of the last batch that was filed, which may be an older one. */
  lastFiled: FiledBatch | null;
  /** Claims without filed.json, oldest first. */
  open: Claim[];
}

export function readBatches(disk: Disk, workspace: Workspace): Batches {
  const numbers = disk
    .list(workspace.path('batches'))
    .map(Number)
    .filter(Number.isSafeInteger)
    .sort((a, b) => a - b);
  const batches: Batches = { highest: numbers.at(-1) ?? 0, newest: null, newestFiled: null, lastFiled: null, open: [] };
  for (const batch of numbers.slice(-LOOK_BACK)) {
    const claim = readJson<Claim>(disk, workspace.batch(batch, 'claim.json'));
    if (claim === null) continue;
    batches.newest = claim;
    batches.newestFiled = readJson<FiledBatch>(disk, workspace.batch(batch, 'filed.json'));
    if (batches.newestFiled === null) batches.open.push(claim);
    else batches.lastFiled = batches.newestFiled;
  }
  return batches;
}

/** Step 8: the commit point of a claim. @returns false when the number is taken. */
export function makeClaim(disk: Disk, workspace: Workspace, claim: Claim): boolean {
  makeFolder(disk, workspace.batch(claim.batch));
  return putNew(disk, workspace.batch(claim.batch, 'claim.json'), toJson(claim));
}

export const readOwner = (disk: Disk, workspace: Workspace, batch: number): Owner | null =>
  readJson<Owner>(disk, workspace.batch(batch, 'owner.json'));

/** @returns false when somebody owns the batch already. */
export const makeOwner = (disk: Disk, workspace: Workspace, batch: number, owner: Owner): boolean =>
  putNew(disk, workspace.batch(batch, 'owner.json'), toJson(owner));

/** alive.json is not synced: after a power cut it may be anything, which is as good as nothing. */
export function readAlive(disk: Disk, workspace: Workspace, batch: number): Alive | null {
  try {
    return readJson<Alive>(disk, workspace.batch(batch, 'alive.json'));
  } catch {
    return null;
  }
}

export function writeAlive(disk: Disk, workspace: Workspace, batch: number, alive: Alive): void {
  putUnsynced(disk, workspace.batch(batch, 'alive.json'), toJson(alive));
}

/** Step 12: spent. Making it twice changes nothing. */
export function makeFiled(disk: Disk, workspace: Workspace, filed: FiledBatch): void {
  const path = workspace.batch(filed.batch, 'filed.json');
  if (disk.stat(path) === null) putNew(disk, path, toJson(filed));
}
