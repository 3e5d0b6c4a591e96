import type { Item } from '../core/model.ts';
import type { Closed, Task } from '../formats/checklist.ts';
import { SumLog, type Twins } from '../formats/checklist-hash.ts';
import { fileSystemTime, isSettled } from '../store/names.ts';
import { doublesIn, listed, lookAt } from './checklist-item.ts';
import { changed, type ListFile, numbered, type Place, placeOf, scan, stampNow, Wanted } from './checklist-scan.ts';
import { placesBehind, readWindow, saveWindow } from './checklist-window.ts';

const TRIES = 5;
/** Open tasks that are kept for the next slice. */
const WINDOW = 256;
/** A smaller file is read faster than a cache is written. */
const CACHED_BYTES = 262_144n;

/** What one opened source keeps between calls: where its cache is, and the file as it was in the last round that came to its end. */
export interface Memory {
  cache: string;
  whole: { stamp: string; since: bigint | null } | null;
}

/** A round over the tasks of a file, which begins again where the file changes. */
interface Pass {
  file: ListFile;
  cache: string;
  /** The last that was given out, or where to begin behind. */
  last: string | null;
  /** What was given out, by id. */
  given: SumLog;
  /** The file as it was when the round last began, and its file system's time then. */
  stamp: string;
  since: bigint | null;
  doubles: Map<string, number[]> | null;
  /** Did it begin again, so that it may come by what was given out? */
  isRepeated: boolean;
  /** Is there no task with the id to begin behind? All were given out then. */
  isUnknown: boolean;
}

/** Open tasks with nothing open below them, behind `after` and round to it, each once, and as it is at that moment. */
export function* unmarked(file: ListFile, memory: Memory, after: string | null): Generator<Item> {
  const { cache } = memory;
  const pass: Pass = {
    file,
    cache,
    last: after,
    given: new SumLog(),
    isRepeated: false,
    isUnknown: false,
    stamp: '',
    since: null,
    doubles: null,
  };
  memory.whole = null;
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const { last } = pass;
    pass.since = fileSystemTime(file.disk, cache);
    pass.stamp = stampNow(file);
    pass.doubles = null;
    pass.isUnknown = false;
    if (yield* round(pass)) {
      memory.whole = !pass.isRepeated ? { stamp: pass.stamp, since: pass.since } : null;
      return;
    }
    pass.isRepeated = true;
    if (pass.last !== last) attempt = 0;
  }
  throw changed(file);
}

/** @returns false when the file changed. */
function* round(pass: Pass): Generator<Item, boolean> {
  const { last: from } = pass;
  if (!pass.isRepeated && !(yield* give(pass, kept(pass, from)))) return false;
  if (!(yield* give(pass, keeping(pass, ready(pass, pass.last, null))))) return false;
  return from === null || pass.isUnknown || (yield* give(pass, ready(pass, null, from)));
}

/** Gives out what is there as it was read. @returns false when the file changed. */
function* give(pass: Pass, places: Iterable<Place | null>): Generator<Item, boolean> {
  const { file, given } = pass;
  for (const place of places) {
    const seen = place === null ? null : lookAt(file, place);
    if (stampNow(file) !== pass.stamp) return false;
    if (place === null) continue;
    if (seen?.entry.box !== 'open') return false;
    if (place.own) pass.doubles ??= doublesIn(file);
    const lines = pass.doubles?.get(place.id) ?? [];
    if (pass.isRepeated && given.hasText(place.id)) continue;
    given.addText(place.id);
    pass.last = place.id;
    yield listed(file, place, seen, lines);
  }
  return true;
}

/** What an earlier slice left behind for this one. */
function kept(pass: Pass, from: string | null): Place[] {
  const { file, cache, stamp } = pass;
  const window = readWindow(file.disk, cache, file.name, stamp);
  if (window?.doubles) pass.doubles = new Map(window.doubles);
  return window === null ? [] : placesBehind(window, from);
}

/** Leaves what was handed out, and the next tasks, for a later slice when the caller has enough. */
function* keeping(pass: Pass, places: Iterator<Place | null>): Generator<Place | null> {
  let isOver = false;
  let after: string | null | undefined;
  let handed: Place[] = [];
  try {
    for (let next = places.next(); !next.done; next = places.next()) {
      if (handed.length === WINDOW) {
        after = handed.at(-1)?.id ?? null;
        handed = [];
      }
      if (after === undefined && next.value !== null) after = pass.isUnknown ? null : pass.last;
      if (next.value !== null) handed.push(next.value);
      yield next.value;
    }
    isOver = true;
  } finally {
    if (!isOver && after !== undefined) keep(pass, after, handed, places);
  }
}

function keep(pass: Pass, after: string | null, handed: Place[], next: Iterator<Place | null>): void {
  const { file, cache, stamp, since } = pass;
  const { disk, path, name } = file;
  const stat = disk.stat(path);
  if (stat === null || since === null || stat.size < CACHED_BYTES || !isSettled(stat, since)) return;
  const places = [...handed];
  for (let each = next.next(); !each.done && places.length < handed.length + WINDOW; each = next.next())
    if (each.value !== null) places.push(each.value);
  if (places.some(({ own }) => own)) pass.doubles ??= doublesIn(file);
  if (stampNow(file) !== stamp) return;
  const doubles = pass.doubles === null ? null : [...pass.doubles];
  saveWindow(disk, cache, { v: 1, stamp, name, after, places, doubles });
}

/**
 * Open tasks behind `from` up to and with `until`, and null after each part that was read.
 *
 * Where `from` is not found, all of them.
 */
function* ready(pass: Pass, from: string | null, until: string | null): Generator<Place | null> {
  const log = new SumLog();
  const wanted = new Wanted([from ?? '', until ?? '']);
  let found: Place[] = [];
  let isBehind = from === null;
  let isOver = false;
  const closed: Closed = (task, above, depth, end) => {
    if (isOver) return;
    if (isBehind && task.box === 'open' && !task.isOpenBelow) found.push(placeOf(task, above, depth, end));
    if (isBehind && until === null) return;
    const id = wanted.idOf(task);
    if (id === null) return;
    if (isBehind) isOver = id === until;
    else isBehind = id === from;
  };
  const opened = (task: Task) => {
    log.add(task.low, task.high);
    wanted.opened(task);
  };
  for (const _ of scan(pass.file, closed, opened)) {
    yield* withNumbers(log, found);
    yield null;
    found = [];
    if (isOver) return;
  }
  if (isBehind) return;
  pass.isUnknown = true;
  yield* ready(pass, null, null);
}

function withNumbers(log: SumLog, places: Place[]): Place[] {
  const asked = places.map(({ index }): Twins => ({ index, twins: 0 }));
  if (asked.length > 0) log.countTwins(asked);
  return places.map((place, at) => ({
    ...place,
    id: place.own ? place.id : numbered(place.made, asked[at]?.twins ?? 0),
  }));
}
