import { account } from './account.ts';
import type { Result } from './model.ts';

/** How one finished run stands against the files as they are now. */
export interface Sighting {
  result: Result;
  /** What the source says of the item; null when the result marks nothing. */
  item: { as: 'marked' | 'already' | 'theirs' | 'superseded' | 'gone'; kept: string[] } | null;
  /** The outputs but the item's own file. `taken` = the run folder still holds the bytes that were handed over. */
  outputs: { path: string; now: 'base' | 'new' | 'other'; taken: boolean }[];
  /** The same for the item's own file, true when it is not an output. */
  ownTaken: boolean;
  /** Somebody handed over a second result after this one. */
  late: boolean;
}

/**
 * What is to be done with a finished run:
 * - `file`: write `writes`, then set the mark.
 * - `already`: our own earlier filing, nothing to write.
 * - `theirs`: a person marked or edited it: theirs stays.
 * - `superseded`: an output is neither what the run started from nor what it made.
 * - `orphan`: the item is gone; what it made stays in the run folder.
 * - `lost`: what was handed over is not there any more.
 * - `none`: the run did not succeed: nothing to file.
 * - `shadow`: it succeeded, and nothing is to be filed.
 */
export interface Verdict {
  kind: 'file' | 'already' | 'theirs' | 'superseded' | 'orphan' | 'lost' | 'none' | 'shadow';
  writes: string[];
}

const verdict = (kind: Verdict['kind'], writes: string[] = []): Verdict => ({ kind, writes });

/** The mark first; then all outputs are checked before any is written (DESIGN 7.3). */
export function judgeFiling({ result, item, outputs, ownTaken }: Sighting, shadow = false): Verdict {
  if (shadow && account(result.outcome, result.error?.class ?? null).marks) return verdict('shadow');
  if (item === null || !account(result.outcome, result.error?.class ?? null).marks) return verdict('none');
  if (item.as === 'theirs') return verdict('theirs');
  if (item.as === 'already') return verdict(outputs.every(({ now }) => now === 'new') ? 'already' : 'theirs');
  if (item.as === 'gone') return verdict('orphan');
  if (!ownTaken || outputs.some(({ now, taken }) => now !== 'new' && !taken)) return verdict('lost');
  if (item.as === 'superseded' || outputs.some(({ now }) => now === 'other')) return verdict('superseded');
  return verdict(
    'file',
    outputs.filter(({ now }) => now === 'base').map(({ path }) => path),
  );
}
