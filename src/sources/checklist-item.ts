import type { Item } from '../core/model.ts';
import { mixedHigh, mixedLow, printed, SumLog, sumOf } from '../formats/checklist-hash.ts';
import { type Entry, isLineEnd } from '../formats/checklist-line.ts';
import { faultOf, readNested, textOf } from '../formats/checklist-task.ts';
import { type ListFile, type Place, readAll } from './checklist-scan.ts';

/** A task's line as it is now. */
export interface Seen {
  entry: Entry;
  /** With its line end, if it has one. */
  bytes: Buffer;
  line: Buffer;
  /** Texts of the entries it is nested in, from the outside in. */
  parents: string[];
}

const BODY_BYTES = 262_144;

/** Looks at a task where it was. @returns null when the lines that its id is made from, or that carry it, are not there any more. */
export function lookAt({ disk, path }: ListFile, place: Place): Seen | null {
  const read = (at: number, length: number) => disk.readAt(path, at, length) ?? Buffer.alloc(0);
  const from = Math.max(0, place.at - 1);
  const around = read(from, place.at - from + place.length + 1);
  const bytes = around.subarray(place.at - from);
  const line = bytes.subarray(0, place.length);
  const isWhole = line.length === place.length && (bytes.length === place.length || isLineEnd(bytes[place.length]));
  // Behind a byte-order mark a file's first line begins in its middle.
  if (!isWhole || !(place.at === 0 || place.at === 3 || isLineEnd(around[0]))) return null;
  const above = place.above.map(([at, length]) => read(at, length));
  const entry = readNested([...above, line]);
  if (entry === null || entry.box === 'none' || madeFrom(entry) !== place.made) return null;
  if (entry.own !== (place.own ? place.id : null)) return null;
  return { entry, bytes, line, parents: above.map((each, depth) => parentText(above, each, depth)) };
}

function madeFrom(entry: Entry): string {
  const low = mixedLow(entry);
  return printed(low, mixedHigh(entry, low));
}

function parentText(above: Buffer[], line: Buffer, depth: number): string {
  const entry = readNested(above.slice(0, depth + 1));
  return entry === null ? '' : textOf(line, entry);
}

/** @param lines of all tasks with this id. */
export function listed({ name }: ListFile, place: Place, { entry, line }: Seen, lines: readonly number[]): Item {
  const { id } = place;
  const sign = line.toString('utf8', entry.signAt, entry.signAt + entry.signLength);
  const why = faultIn(place, line, lines);
  return {
    ...{ id, title: textOf(line, entry), path: null, body: '', fields: {} },
    mark: entry.box === 'open' ? null : sign,
    refused: why === null ? null : `${name}:${place.line}: ${why}`,
  };
}

function faultIn({ id, at, end }: Place, line: Buffer, lines: readonly number[]): string | null {
  if (lines.length > 1) return `the id ${id} is on lines ${lines.join(', ')}: each task needs its own`;
  return faultOf(line) ?? (end - at > BODY_BYTES ? 'a task with all below it should have at most 256 KiB' : null);
}

/** The task with all that is nested in it, as it stands in the file. */
export function whole(file: ListFile, place: Place, seen: Seen, lines: readonly number[]): Item {
  const item = listed(file, place, seen, lines);
  if (item.refused !== null) return item;
  const bytes = file.disk.readAt(file.path, place.at, place.end - place.at) ?? Buffer.alloc(0);
  const fault = faultOf(bytes);
  if (fault !== null) return { ...item, refused: `${file.name}:${place.line}: below this line: ${fault}` };
  return { ...item, body: bytes.toString('utf8').trimEnd(), fields: { parents: seen.parents } };
}

/** The lines on which ids stand that more than one task has. Ids made from texts are never among them. */
export function doublesIn(file: ListFile): Map<string, number[]> {
  const log = new SumLog();
  const lines = new Map<string, number[]>();
  readAll(file, ({ own }) => own !== null && log.addText(own));
  const repeated = log.repeated();
  if (repeated.size === 0) return lines;
  readAll(file, ({ own, line }) => {
    if (own !== null && repeated.has(printedSum(own))) lines.set(own, [...(lines.get(own) ?? []), line]);
  });
  return new Map([...lines].filter(([, each]) => each.length > 1));
}

function printedSum(text: string): string {
  const { low, high } = sumOf(text);
  return printed(low, high);
}
