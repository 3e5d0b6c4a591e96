import type { Rule } from '../core/rule.ts';
import { activeOf, type Bad, type Blocks, OWNED, type Owned, type Version } from '../core/version.ts';
import { PawlError } from '../errors.ts';
import { blockLines } from '../formats/block.ts';
import { printWhy } from '../formats/why.ts';
import type { Disk } from './disk.ts';
import { number, sha256, type Workspace } from './workspace.ts';
import { makeFolder, put, putNew, readJson, toJson } from './write.ts';

/** `versions/NNNN/manifest.json`, made exclusively and last: without it the folder is debris. */
interface Manifest extends Omit<Version, 'blocks' | 'bad'> {
  v: 1;
  /** Settings that the loop may change itself: none yet. */
  settings: Record<string, never>;
  /** Of the lines between the markers, each with a line end. */
  sha256: Record<Owned, string>;
}

/** So many of the newest are always looked at: what was taken back lately, and what a killed tick had made. */
const LOOK_BACK = 16;
const KEPT = 50;

export type Texts = Record<Owned, string>;

const folder = (workspace: Workspace, n: number, ...file: string[]) => workspace.path('versions', number(n), ...file);

/** Numbers of all version folders, newest first. */
const numbers = (disk: Disk, workspace: Workspace): number[] =>
  disk
    .list(workspace.path('versions'))
    .flatMap((name) => (/^\d{4,}$/.test(name) ? [Number(name)] : []))
    .sort((a, b) => b - a);

const isMade = (disk: Disk, workspace: Workspace, n: number) =>
  disk.stat(folder(workspace, n, 'manifest.json')) !== null;

/**
 * The newest versions, oldest of them first, at least down to the one below the active one; `all` = every one.
 *
 * @throws PawlError `E_FORMAT` when the active one or the one below it is not what its manifest says: only pawl writes there.
 */
export function readVersions(disk: Disk, workspace: Workspace, all = false): Version[] {
  const versions: Version[] = [];
  for (const n of numbers(disk, workspace)) {
    if (!all && versions.length >= LOOK_BACK && versions.filter(({ bad }) => bad === null).length > 1) break;
    const version = readVersion(disk, workspace, n);
    if (version !== null) versions.unshift(version);
  }
  return versions;
}

function readVersion(disk: Disk, workspace: Workspace, n: number): Version | null {
  const manifest = readJson<Manifest>(disk, folder(workspace, n, 'manifest.json'));
  if (manifest === null) return null;
  const bad = readJson<Bad>(disk, folder(workspace, n, 'bad.json'));
  const { v: _, settings: __, sha256: digests, ...rest } = manifest;
  const blocks = Object.fromEntries(OWNED.map((file) => [file, linesOf(disk, workspace, n, file)])) as Blocks;
  const changed = OWNED.find((file) => bad === null && digest(blocks[file]) !== digests[file]);
  if (changed !== undefined)
    throw new PawlError('E_FORMAT', 'this file is written by pawl alone, and was changed since', {
      at: folder(workspace, n, changed),
    });
  return { ...rest, blocks, bad };
}

const linesOf = (disk: Disk, workspace: Workspace, n: number, file: Owned): string[] =>
  blockLines(disk.read(folder(workspace, n, file))?.toString('utf8') ?? '');

const digest = (lines: readonly string[]): string => sha256(lines.map((line) => `${line}\n`).join(''));

/** The highest version with a manifest and without bad.json; 0 is the text as it came, which is always there. */
export const activeVersion = (disk: Disk, workspace: Workspace): number =>
  numbers(disk, workspace).find(
    (n) => isMade(disk, workspace, n) && disk.stat(folder(workspace, n, 'bad.json')) === null,
  ) ?? 0;

/** The tick that made the newest version, or took it back; 0 without any: tick numbers are never given twice. */
export function highestVersionTick(disk: Disk, workspace: Workspace): number {
  const newest = numbers(disk, workspace).find((n) => isMade(disk, workspace, n));
  if (newest === undefined) return 0;
  const of = (file: string) => readJson<{ tick?: number }>(disk, folder(workspace, newest, file))?.tick ?? 0;
  return Math.max(of('manifest.json'), of('bad.json'));
}

/**
 * Step 3: writes a version, its manifest last; what a killed tick left in its folder is overwritten.
 *
 * @param texts the two files as they are with its blocks.
 * @returns false when there is a version of this number.
 */
export function makeVersion(
  disk: Disk,
  workspace: Workspace,
  { bad: _, blocks, ...version }: Version,
  texts: Texts,
  rules: readonly Rule[],
): boolean {
  const { n } = version;
  if (isMade(disk, workspace, n)) return false;
  makeFolder(disk, folder(workspace, n));
  const digests = Object.fromEntries(OWNED.map((file) => [file, digest(blocks[file])])) as Record<Owned, string>;
  for (const file of OWNED) put(disk, folder(workspace, n, file), texts[file]);
  put(disk, folder(workspace, n, 'why.md'), printWhy(version, digests, rules));
  const manifest: Manifest = { v: 1, ...version, settings: {}, sha256: digests };
  return putNew(disk, folder(workspace, n, 'manifest.json'), toJson(manifest));
}

/** Final: a version that is bad stays so. @returns false when it was bad before. */
export const markBad = (disk: Disk, workspace: Workspace, n: number, bad: Bad): boolean =>
  putNew(disk, folder(workspace, n, 'bad.json'), toJson(bad));

/** Takes away old versions that were taken back: all but 0, the newest 50, and those that the active one came from. */
export function pruneVersions(disk: Disk, workspace: Workspace): void {
  const all = numbers(disk, workspace);
  if (all.length <= KEPT + 1) return;
  const versions = readVersions(disk, workspace, true);
  const kept = new Set([0, ...all.slice(0, KEPT)]);
  let at = activeOf(versions);
  while (at !== null && at.n > 0) {
    kept.add(at.n);
    const { parent } = at;
    at = versions.find(({ n }) => n === parent) ?? null;
  }
  for (const { n } of versions.filter((version) => !kept.has(version.n) && version.bad !== null))
    remove(disk, workspace, n);
}

/** The manifest first: from there on the folder is debris. */
function remove(disk: Disk, workspace: Workspace, n: number): void {
  disk.unlink(folder(workspace, n, 'manifest.json'));
  for (const name of disk.list(folder(workspace, n))) disk.unlink(folder(workspace, n, name));
  disk.removeFolder(folder(workspace, n));
}
