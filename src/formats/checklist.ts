import { mixedHigh, mixedLow, type Text, textFrom } from './checklist-hash.ts';
import { type Entry, isLineEnd, markerAt, newEntry, readEntry } from './checklist-line.ts';

/** A task, or a list entry above one, while the lines below it are read. The objects are used again: copy what is to be kept. */
export interface Task extends Entry {
  /** Offset of its line in the file. */
  at: number;
  /** Number of its line, from 1. */
  line: number;
  /** 48 bits of its text and those above it. */
  low: number;
  high: number;
  /** Its number among all tasks of the file, from 0. */
  index: number;
  /** Is a task below it open? */
  isOpenBelow: boolean;
}

/**
 * Called for each task once all below it was read: children come before their parents.
 *
 * @param above the entries it is nested in are the first `depth`, from the outside in.
 * @param end offset of the line behind the last one that belongs to it.
 */
export type Closed = (task: Task, above: readonly Task[], depth: number, end: number) => void;

/** Code or a comment over several lines, which ends with what it lies in: at the first line further left than `column`. */
interface Block {
  column: number;
  /** Of a fence: its character and how many; of a comment 0. */
  fence: number;
  length: number;
}

/** How much further right an entry begins than the one it is nested in. */
export const NESTING = 2;
const INDENTED_CODE = 4;
const BACKTICK = 0x60;
const TILDE = 0x7e;

/**
 * Reads the tasks of a Markdown list, from bytes as they come: docs/formats.md has the grammar.
 *
 * It holds nothing but the entries that are still open.
 */
export class ChecklistReader {
  line = 0;
  private readonly closed: Closed;
  private readonly opened: ((task: Task) => void) | undefined;
  private tasks = 0;
  private readonly stack: Task[] = [];
  private depth = 0;
  private block: Block | null = null;
  /** Is the line before it one of text, which the next one may go on with? */
  private isText = false;

  /** @param opened called for each task in the order of the lines. */
  constructor(closed: Closed, opened?: (task: Task) => void) {
    this.closed = closed;
    this.opened = opened;
  }

  /** Reads the lines in `bytes` up to `to`, where a line ends. @param offset where `bytes` begins in the file. */
  push(bytes: Buffer, from: number, to: number, offset: number): void {
    const text = textFrom(bytes);
    for (let at = from; at < to; ) {
      this.line += 1;
      const end = this.readLine(text, at, offset);
      at = end + (bytes[end] === 0x0d && bytes[end + 1] === 0x0a ? 2 : 1);
    }
  }

  end(offset: number): void {
    this.close(0, offset);
  }

  /** @returns where the line ends. */
  private readLine(text: Text, at: number, offset: number): number {
    const { bytes } = text;
    let from = at;
    let column = 0;
    for (; bytes[from] === 0x20 || bytes[from] === 0x09; from += 1)
      column += bytes[from] === 0x09 ? 4 - (column & 3) : 1;
    if (isLineEnd(bytes[from])) {
      this.isText = false;
      return from;
    }
    if (this.block !== null) {
      if (column >= this.block.column) return this.readInBlock(bytes, from, this.block);
      this.block = null;
    }
    const marker = this.depth === 0 && column >= INDENTED_CODE ? 0 : markerAt(bytes, from);
    if (marker === 0 || (marker === 1 && bytes[from + 2] !== 0x5b && isBreak(bytes, from)))
      return this.readOther(bytes, from, column, at + offset);
    this.close(column, at + offset);
    return this.open(text, at, from, marker, column, offset);
  }

  private open(text: Text, at: number, from: number, marker: number, column: number, offset: number): number {
    const { depth } = this;
    if (this.stack.length === depth) this.stack.push({ ...newEntry(), ...NOTHING });
    const task = this.stack[depth] as Task;
    const end = readEntry(text, at, from, marker, column, this.stack[depth - 1] ?? null, task);
    task.at = at + offset;
    task.line = this.line;
    task.isOpenBelow = false;
    if (task.box === 'none') this.block = blockAt(text.bytes, at + task.textAt, column + NESTING);
    else {
      task.low = mixedLow(task);
      task.high = mixedHigh(task, task.low);
      task.index = this.tasks;
      this.tasks += 1;
      this.opened?.(task);
    }
    this.depth += 1;
    this.isText = this.block === null;
    return end;
  }

  /** Anything but a list entry: the lists that it is no part of end with it. */
  private readOther(bytes: Buffer, from: number, column: number, lineAt: number): number {
    const isCode = this.depth === 0 && column >= INDENTED_CODE;
    const isOwn = !isCode && startsBlock(bytes, from);
    if (isOwn || !this.isText) this.close(column, lineAt);
    const top = this.stack[this.depth - 1];
    if (!isCode) this.block = blockAt(bytes, from, this.depth === 0 || top === undefined ? 0 : top.column + NESTING);
    this.isText = !isOwn && !(isCode && !this.isText);
    return lineEnd(bytes, from);
  }

  private readInBlock(bytes: Buffer, from: number, { fence, length }: Block): number {
    const end = lineEnd(bytes, from);
    const isOver = fence === 0 ? hasCommentEnd(bytes, from, end) : isFenceEnd(bytes, from, fence, length);
    if (isOver) this.block = null;
    return end;
  }

  /** Closes the entries that nothing in this column can be nested in. */
  private close(column: number, offset: number): void {
    while (this.depth > 0) {
      const depth = this.depth - 1;
      const task = this.stack[depth] as Task;
      if (task.column + NESTING <= column) return;
      this.depth = depth;
      const parent = depth === 0 ? undefined : this.stack[depth - 1];
      if (parent !== undefined && (task.isOpenBelow || task.box === 'open')) parent.isOpenBelow = true;
      if (task.box !== 'none') this.closed(task, this.stack, depth, offset);
    }
  }
}

const NOTHING = { at: 0, line: 0, low: 0, high: 0, index: 0, isOpenBelow: false };

function lineEnd(bytes: Uint8Array, from: number): number {
  let end = from;
  while (!isLineEnd(bytes[end])) end += 1;
  return end;
}

/** `---`, `* * *`, `___` */
function isBreak(bytes: Uint8Array, from: number): boolean {
  const sign = bytes[from];
  if (sign !== 0x2d && sign !== 0x2a && sign !== 0x5f) return false;
  let count = 0;
  for (let at = from; !isLineEnd(bytes[at]); at += 1) {
    if (bytes[at] === sign) count += 1;
    else if (bytes[at] !== 0x20 && bytes[at] !== 0x09) return false;
  }
  return count >= 3;
}

/** Does a heading, a quote, code, a comment or a break begin here? None of them goes on with the text before it. */
function startsBlock(bytes: Buffer, from: number): boolean {
  const first = bytes[from];
  if (first === 0x3e) return true;
  if (first === 0x23) return /^#{1,6}(?:[ \t\r\n]|$)/.test(bytes.toString('latin1', from, from + 7));
  return isBreak(bytes, from) || blockAt(bytes, from, 0) !== null || isComment(bytes, from);
}

/** What begins here and goes on in the lines below, if it does. */
function blockAt(bytes: Buffer, from: number, column: number): Block | null {
  const first = bytes[from] as number;
  if (first === 0x3c) {
    const isOpen = isComment(bytes, from) && !hasCommentEnd(bytes, from + 2, lineEnd(bytes, from));
    return isOpen ? { column, fence: 0, length: 0 } : null;
  }
  if (first !== BACKTICK && first !== TILDE) return null;
  const length = runOf(bytes, from);
  if (length < 3) return null;
  // Code on one line: ```like this```
  if (first === BACKTICK && bytes.subarray(from + length, lineEnd(bytes, from)).includes(BACKTICK)) return null;
  return { column, fence: first, length };
}

const isComment = (bytes: Buffer, from: number): boolean => bytes.toString('latin1', from, from + 4) === '<!--';

function hasCommentEnd(bytes: Buffer, from: number, end: number): boolean {
  const found = bytes.subarray(from, end).indexOf('-->');
  return found !== -1;
}

function isFenceEnd(bytes: Uint8Array, from: number, fence: number, length: number): boolean {
  if (bytes[from] !== fence) return false;
  const run = runOf(bytes, from);
  let at = from + run;
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at += 1;
  return run >= length && isLineEnd(bytes[at]);
}

function runOf(bytes: Uint8Array, from: number): number {
  let end = from;
  while (bytes[end] === bytes[from]) end += 1;
  return end - from;
}
