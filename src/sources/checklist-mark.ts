import { lookAt, type Seen } from './checklist-item.ts';
import { changed, findPlaces, type ListFile, type Place, stampNow } from './checklist-scan.ts';
import type { Filed, Filing } from './source.ts';

/** Where tasks were when they were last looked for, and the file as it was then, but for our own marks. */
export interface Known {
  stamp: string;
  places: Map<string, Place[]>;
}

/** What filing has to do, if anything: `todo` is the task whose mark is to be set. */
export interface Verdict {
  as: Filed['as'];
  todo: { place: Place; seen: Seen } | null;
}

const TRIES = 5;
const DONE = 0x78;

export const nothingKnown = (): Known => ({ stamp: '', places: new Map() });

/** Looks for all tasks of a batch in one reading, unless all are known and nobody but us changed the file. */
export function lookFor(file: ListFile, known: Known, ids: readonly string[]): void {
  if (stampNow(file) !== known.stamp || !ids.every((id) => known.places.has(id)))
    Object.assign(known, findPlaces(file, ids));
}

/** @throws PawlError `E_CHANGED` when the file keeps changing. */
export function judgeTask(file: ListFile, known: Known, filing: Filing, ids: readonly string[]): Verdict {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    lookFor(file, known, ids);
    const places = known.places.get(filing.item) ?? [];
    const [place] = places;
    if (place === undefined) return { as: 'gone', todo: null };
    // A task has no file of its own: what was made for one can't be put anywhere.
    if (places.length > 1 || filing.ownBytes !== null) return { as: 'superseded', todo: null };
    const seen = lookAt(file, place);
    if (seen?.entry.box === 'open') return { as: 'marked', todo: { place, seen } };
    if (seen !== null) return { as: isOurs(seen) ? 'already' : 'theirs', todo: null };
    // Not where it was: only a new reading can tell where it is.
    known.stamp = '';
  }
  throw changed(file);
}

/** We write a small x. */
const isOurs = ({ line, entry }: Seen): boolean => entry.signLength === 1 && line[entry.signAt] === DONE;

/**
 * Sets one byte, in place: the lines that the id is made from were compared, its own is compared once more in the step that writes.
 *
 * @throws PawlError `E_CHANGED` when the file keeps changing.
 */
export function markTask(file: ListFile, known: Known, filing: Filing, ids: readonly string[]): Filed['as'] {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const { as, todo } = judgeTask(file, known, filing, ids);
    // It may have been this call's forerunner, killed before its byte was safe.
    if (as === 'already') file.disk.sync(file.path);
    if (todo === null || setByte(file, known, todo)) return as;
    known.stamp = '';
  }
  throw changed(file);
}

function setByte(
  file: ListFile,
  known: Known,
  { place, seen: { bytes, entry } }: NonNullable<Verdict['todo']>,
): boolean {
  const marked = Buffer.from(bytes);
  marked[entry.signAt] = DONE;
  if (!file.disk.overwrite(file.path, place.at, bytes, marked)) return false;
  known.stamp = stampNow(file);
  return true;
}
