import { PawlError } from '../errors.ts';

/** A stretch of a file's text, e.g. its front matter. Offsets are UTF-16 units in the whole text. */
export interface Stretch {
  file: string;
  text: string;
  from: number;
  to: number;
}

/** Bytes of a file people edit, and of the YAML in any other. */
export const LIMIT = 256 * 1024;

// A carriage return alone breaks lines for some editors and not for YAML, so the line a person sees would not be the line we name.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff]|\r(?!\n)/g;

/** @returns `file:line:column`, both counted from 1 in the whole text. */
export function placeAt({ file, text }: Pick<Stretch, 'file' | 'text'>, offset: number): string {
  const before = text.slice(0, offset);
  return `${file}:${before.split('\n').length}:${offset - before.lastIndexOf('\n')}`;
}

export function formatError(where: Pick<Stretch, 'file' | 'text'>, offset: number, message: string): PawlError {
  return new PawlError('E_FORMAT', message, { at: placeAt(where, offset) });
}

/**
 * Reads a file people edit as text; a byte-order mark at its start is left out.
 *
 * @throws PawlError `E_FORMAT` for more than 256 KB, for what is not UTF-8 and for control characters.
 */
export function decode(bytes: Uint8Array, file: string): string {
  if (bytes.length > LIMIT)
    throw new PawlError('E_FORMAT', `this file should have at most ${LIMIT} bytes, it has ${bytes.length}`, {
      at: `${file}:1:1`,
    });
  const text = utf8(bytes);
  if (text === null) throw notUtf8(bytes, file);
  refuseControls({ file, text, from: 0, to: text.length });
  return text;
}

/** @throws PawlError `E_FORMAT` at the first character no text file should hold, such as the NULs a power cut leaves. */
export function refuseControls(stretch: Stretch): void {
  CONTROL.lastIndex = stretch.from;
  const found = CONTROL.exec(stretch.text);
  if (found === null || found.index >= stretch.to) return;
  const code = found[0].charCodeAt(0).toString(16).padStart(4, '0');
  throw formatError(stretch, found.index, `plain text was wanted, here is the control character U+${code}`);
}

/**
 * Finds the front matter between two bare lines, `---` unless said otherwise.
 *
 * @returns null when the first line is anything else; `after` is where the text below begins.
 * @throws PawlError `E_FORMAT` when it is never closed, as in a torn file.
 */
export function frontMatter(
  file: string,
  text: string,
  opens = '---',
  closes = opens,
): (Stretch & { after: number }) | null {
  const from = nextLine(text, 0);
  if (!isFence(text.slice(0, from), opens)) return null;
  for (let at = from; at < text.length; ) {
    const next = nextLine(text, at);
    if (text.startsWith(closes, at)) {
      if (isFence(text.slice(at, next), closes)) return { file, text, from, to: at, after: next };
      throw formatError({ file, text }, at, `only the bare \`${closes}\` line that ends the front matter may begin so`);
    }
    at = next;
  }
  throw formatError({ file, text }, 0, `what \`${opens}\` opens here should be closed by a bare \`${closes}\` line`);
}

/** Where the line after the one at `offset` begins, or the end of the text. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf('\n', offset);
  return end === -1 ? text.length : end + 1;
}

const isFence = (line: string, fence: string) =>
  line.startsWith(fence) && /^[ \t]*\r?\n?$/.test(line.slice(fence.length));

function utf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}

function notUtf8(bytes: Uint8Array, file: string): PawlError {
  // Only told when something is wrong: halving finds the longest good beginning in 18 steps.
  let good = 0;
  for (let bad = bytes.length; bad - good > 1; ) {
    const middle = (good + bad) >> 1;
    if (isBeginning(bytes.subarray(0, middle))) good = middle;
    else bad = middle;
  }
  const text = new TextDecoder('utf-8').decode(bytes.subarray(0, good), { stream: true });
  return formatError({ file, text }, text.length, 'this file should be UTF-8 text, here is a byte that is not');
}

function isBeginning(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
