import type { Day, Instant } from './model.ts';

/** The two files of which the loop owns a block. */
export const OWNED = ['contract.md', 'loop.md'] as const;
export type Owned = (typeof OWNED)[number];

/** What stands between the markers of each, line by line, to the letter. */
export type Blocks = Record<Owned, string[]>;

/** `versions/NNNN/`: a numbered procedure. Made once, never changed. */
export interface Version {
  n: number;
  /** The version that was active before; 0 has itself. */
  parent: number;
  tick: number;
  day: Day;
  at: Instant;
  by: 'loop' | 'human';
  /** In words for people: what it came from. */
  cause: string;
  /** Learnings that came in, and rules that were taken out. */
  applied: string[];
  retired: string[];
  blocks: Blocks;
  /** Why it was taken back, or null. */
  bad: Bad | null;
}

/** `bad.json`, made exclusively: final. */
export interface Bad {
  /** `conflict`: it could not be brought together with what a person wrote meanwhile; nobody is to blame. */
  cause: 'failures' | 'person' | 'conflict';
  tick: number;
  at: Instant;
  /** The version that was put back; null for a conflict, of which nothing had come into the files. */
  to: number | null;
  /** The batch that was judged, and its runs and earlier ones that failed in a row; null and [] otherwise. */
  batch: number | null;
  runs: number[];
}

/** The highest that is not bad; null = there are no versions yet, and the text as it came is version 0. */
export const activeOf = (versions: readonly Version[]): Version | null =>
  versions.findLast(({ bad }) => bad === null) ?? null;

export const sameBlocks = (left: Blocks, right: Blocks): boolean =>
  OWNED.every((file) => sameLines(left[file], right[file]));

export const sameLines = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((line, index) => line === right[index]);
