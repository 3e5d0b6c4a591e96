import type { Item, MarkSpec } from '../core/model.ts';
import { type HeadMatter, type Refusal, readHeadMatter } from '../formats/head-matter.ts';
import { type Mark, readField, readMark } from '../formats/mark.ts';
import type { Disk } from '../store/disk.ts';

/** The first is what a pool of Node's serves; 4 KiB would cost 2 µs more a file. The last is more than any front matter needs. */
const HEADS_BYTES = [1024, 16_384, 262_144];

/** What the beginning of an item's file says. */
export interface Head {
  bytes: Buffer;
  matter: HeadMatter;
  mark: Mark;
}

/** Reads no further than the front matter goes. @returns null when there is no such file. */
export function readHead(disk: Disk, root: string, id: string, spec: MarkSpec): Head | null {
  if (/[\r\n]/.test(id)) return refusedHead('the name of an item should be one line');
  for (const size of HEADS_BYTES) {
    const bytes = disk.readHead(`${root}/${id}`, size);
    // The folder lists it, but by this name nothing is found: the real one has bytes that are no text.
    if (bytes === null) return id.includes('\ufffd') ? refusedHead('the name of an item should be UTF-8') : null;
    const head = headIn(bytes, spec, bytes.length < size);
    if (head.matter.kind !== 'open') return head;
  }
  return refusedHead('front matter that begins here should end within 256 KiB');
}

/** @param whole whether `bytes` is all of the file. */
export function headIn(bytes: Buffer, spec: MarkSpec, whole = true): Head {
  const matter = readHeadMatter(bytes, whole);
  return { bytes, matter, mark: readMark(matter, spec) };
}

function refusedHead(why: string): Head {
  const refusal: Refusal = { kind: 'refused', line: 1, why };
  return { bytes: Buffer.alloc(0), matter: refusal, mark: refusal };
}

/** @returns an item as far as its head shows, without its text. */
export function listed(id: string, head: Head): Item {
  const refused = head.mark.kind === 'refused' ? `${id}:${head.mark.line}: ${head.mark.why}` : null;
  const mark = 'text' in head.mark ? head.mark.text : null;
  return { id, title: titleOf(head, id), path: id, body: '', fields: {}, mark, refused };
}

function titleOf({ bytes, matter }: Head, id: string): string {
  if (matter.kind === 'refused') return id;
  const text = readField(matter, 'title')?.text;
  if (text) return text;
  return headingIn(bytes.toString('utf8', matter.kind === 'matter' ? matter.body : 0)) ?? id;
}

/** @returns the first heading outside code. */
export function headingIn(body: string): string | null {
  let fence: string | null = null;
  for (const line of body.split('\n')) {
    const mark = /^ {0,3}(```|~~~)/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === null ? mark : fence === mark ? null : fence;
    const heading = fence === null ? /^ {0,3}#{1,6}[ \t]+([^\r]*)/.exec(line)?.[1] : undefined;
    const title = heading?.replace(/(?:^|[ \t])#+[ \t]*$/, '').trim();
    if (title) return title;
  }
  return null;
}
