/** Two sums of 32 bits over bytes, one after another: what the id of a task is made of. No defence against anybody who tries. */
export interface Sums {
  left: number;
  right: number;
}

/** Multipliers of cyrb53 (public domain); node:crypto would cost 2 µs a line. */
const LEFT = 0x9e3779b1;
const RIGHT = 0x5f356495;
/** One byte, four times in a word. */
const SPACES = 0x20202020;
const ONES = 0x01010101;
const CONTROLS = 0x0e0e0e0e;
const HIGHS = 0x80808080 | 0;
const SPACE = 0x20;
const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;

/** Bytes, and a view that reads four of them at once. */
export interface Text {
  bytes: Buffer;
  view: DataView;
}

export const textFrom = (bytes: Buffer): Text => ({
  bytes,
  view: new DataView(bytes.buffer, bytes.byteOffset, bytes.length),
});

/** Where a text begins in `into`: below its parent's sums, or at the top. */
export function below(parent: Sums | null, into: Sums): void {
  into.left = parent === null ? 0x1d0c4b5a : Math.imul(parent.left ^ LF, LEFT);
  into.right = parent === null ? 0x41c6ce57 : Math.imul(parent.right ^ LF, RIGHT);
}

/**
 * Adds a text to sums: from `at` up to `to` or the end of the line. White space at its ends is left out, and counts as one space inside.
 *
 * @returns where the text ends, without white space.
 */
export function addText(sums: Sums, text: Text, at: number, to: number): number {
  const end = addPlain(sums, text, at, to);
  return end === -1 ? addSpaced(sums, text.bytes, at, to) : end;
}

/** Four bytes at a time: byte by byte took three times as long. @returns -1, with the sums as they were, for white space to be left out. */
function addPlain(sums: Sums, { bytes, view }: Text, at: number, to: number): number {
  let { left, right } = sums;
  let here = at;
  let isBehindSpace = false;
  for (const most = Math.min(to, bytes.length) - 4; here <= most; here += 4) {
    const word = view.getInt32(here, true);
    // A byte below 0x0e: the line end, a tab.
    if ((((word - CONTROLS) | 0) & ~word & HIGHS) !== 0) break;
    const turned = word ^ SPACES;
    // The high bit of each byte that is a space; beside one, at worst of others too.
    const spaces = ((turned - ONES) | 0) & ~turned & HIGHS;
    if (spaces === 0) isBehindSpace = false;
    else {
      if ((spaces & (spaces >>> 8)) !== 0 || (isBehindSpace && (spaces & 0x80) !== 0)) return -1;
      isBehindSpace = spaces < 0;
    }
    left = Math.imul(left ^ word, LEFT);
    right = Math.imul(right ^ word, RIGHT);
    left ^= left >>> 15;
    right ^= right >>> 13;
  }
  let rest = 0;
  for (; here < to; here += 1) {
    const byte = bytes[here];
    if (byte === undefined || byte === LF || byte === CR) break;
    if (byte === TAB || (byte === SPACE && isBehindSpace)) return -1;
    isBehindSpace = byte === SPACE;
    const shift = ((here - at) & 3) << 3;
    rest |= byte << shift;
    if (shift < 24) continue;
    left = Math.imul(left ^ rest, LEFT);
    right = Math.imul(right ^ rest, RIGHT);
    left ^= left >>> 15;
    right ^= right >>> 13;
    rest = 0;
  }
  if (isBehindSpace) return -1;
  const length = here - at;
  sums.left = Math.imul(Math.imul(left ^ rest, LEFT) ^ length, LEFT);
  sums.right = Math.imul(Math.imul(right ^ rest, RIGHT) ^ length, RIGHT);
  return here;
}

function addSpaced(sums: Sums, bytes: Buffer, at: number, to: number): number {
  const plain: number[] = [];
  let end = at;
  for (let here = at; here < to; here += 1) {
    const byte = bytes[here];
    if (byte === undefined || byte === LF || byte === CR) break;
    if (byte === SPACE || byte === TAB) continue;
    if (end > at && end < here) plain.push(SPACE);
    plain.push(byte);
    end = here + 1;
  }
  addPlain(sums, textFrom(Buffer.from(plain)), 0, plain.length);
  return end;
}

/** Both sums, well mixed. */
export const mixedLow = ({ left, right }: Sums): number =>
  Math.imul(left ^ (left >>> 16), 0x85ebca6b) ^ Math.imul(right ^ (right >>> 13), 0xc2b2ae35);

/** 16 more bits. */
export const mixedHigh = ({ right }: Sums, low: number): number =>
  (Math.imul(right ^ (right >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)) >>> 16;

/** @returns 48 bits as 12 hexadecimal digits. */
export const printed = (low: number, high: number): string =>
  high.toString(16).padStart(4, '0') + (low >>> 0).toString(16).padStart(8, '0');

const PAGE = 65_536;

/** What is asked of a log: how many before the entry `index` are the same as it. */
export interface Twins {
  index: number;
  twins: number;
}

/** Sums of 48 bits in their order: 8 bytes each, where a table that can be asked at once takes 17 and three times as long. */
export class SumLog {
  size = 0;
  /** Pairs of low and high bits. */
  private readonly pages: Int32Array[] = [];

  add(low: number, high: number): void {
    const at = (this.size << 1) & (PAGE - 1);
    if (at === 0) this.pages.push(new Int32Array(PAGE));
    const page = this.pages[this.pages.length - 1] as Int32Array;
    page[at] = low;
    page[at + 1] = high;
    this.size += 1;
  }

  addText(text: string): void {
    const { low, high } = sumOf(text);
    this.add(low, high);
  }

  hasText(text: string): boolean {
    const { low, high } = sumOf(text);
    for (let index = 0; index < this.size; index += 1)
      if (this.low(index) === low && this.high(index) === high) return true;
    return false;
  }

  /** Fills in `twins`, for all of them in one pass. */
  countTwins(asked: readonly Twins[]): void {
    const counts = new Map<string, number>();
    const first = new Uint8Array(PAGE);
    const at = new Map<number, Twins>();
    for (const each of asked) {
      at.set(each.index, each);
      first[this.low(each.index) & (PAGE - 1)] = 1;
    }
    const keys = new Set(asked.map(({ index }) => this.print(index)));
    for (let index = 0; index < this.size; index += 1) {
      if (first[this.low(index) & (PAGE - 1)] === 0) continue;
      const key = this.print(index);
      if (!keys.has(key)) continue;
      const before = counts.get(key) ?? 0;
      counts.set(key, before + 1);
      const each = at.get(index);
      if (each !== undefined) each.twins = before;
    }
  }

  /** Are any two the same? @returns what they hold, printed. */
  repeated(): Set<string> {
    const numbers = new Float64Array(this.size);
    for (let index = 0; index < this.size; index += 1)
      numbers[index] = this.high(index) * 2 ** 32 + (this.low(index) >>> 0);
    numbers.sort();
    const found = numbers.filter((each, index) => each === numbers[index - 1]);
    return new Set([...found].map((each) => each.toString(16).padStart(12, '0')));
  }

  private low = (index: number): number => this.pages[index >> 15]?.[(index << 1) & (PAGE - 1)] ?? 0;
  private high = (index: number): number => this.pages[index >> 15]?.[((index << 1) & (PAGE - 1)) + 1] ?? 0;
  private print = (index: number): string => printed(this.low(index), this.high(index));
}

export function sumOf(text: string): { low: number; high: number } {
  const sums = { left: 0, right: 0 };
  below(null, sums);
  addText(sums, textFrom(Buffer.from(text)), 0, Number.POSITIVE_INFINITY);
  const low = mixedLow(sums);
  return { low, high: mixedHigh(sums, low) };
}
