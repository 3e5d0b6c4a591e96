import { textFrom } from './checklist-hash.ts';
import { type Entry, markerAt, newEntry, readEntry } from './checklist-line.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]/;

/** Reads lines that were list entries, the outermost first, each nested in the one before. @returns the last, or null when one is none any more. */
export function readNested(lines: readonly Buffer[]): Entry | null {
  let entry: Entry | null = null;
  for (const line of lines) {
    const bytes = Buffer.concat([line, Buffer.from('\n')]);
    const from = bytes.findIndex((byte) => byte !== 0x20 && byte !== 0x09);
    const marker = markerAt(bytes, from);
    if (marker === 0) return null;
    const next = newEntry();
    readEntry(textFrom(bytes), 0, from, marker, 0, entry, next);
    entry = next;
  }
  return entry;
}

/** Why a line can't be worked on, or null. */
export function faultOf(line: Uint8Array): string | null {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line);
  } catch {
    return 'this line should be UTF-8';
  }
  const control = CONTROL.exec(text)?.[0].charCodeAt(0).toString(16).padStart(4, '0');
  return control === undefined ? null : `plain text was wanted, here is the control character U+${control}`;
}

/** The text of an entry, as its id is made from it. */
export const textOf = (line: Buffer, { textAt, textEnd }: Entry): string =>
  line.toString('utf8', textAt, textEnd).replaceAll(/[ \t]+/g, ' ');
