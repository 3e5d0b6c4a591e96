const START = '<!-- pawl:rules:start -->';
const END = '<!-- pawl:rules:end -->';

/** The lines of a Markdown file that the loop owns: those between its two marker lines. Offsets count UTF-16 units. */
export interface Block {
  /** Without their line ends. */
  lines: string[];
  /** Where they begin and end in the text, markers not included. */
  from: number;
  to: number;
  eol: '\n' | '\r\n';
}

/**
 * Finds the block of a file.
 *
 * @returns null when there is none, or in words what is wrong with its markers: then nothing may be written there.
 */
export function findBlock(text: string): Block | null | string {
  const [starts, ends] = [linesThatSay(text, START), linesThatSay(text, END)];
  if (starts.length === 0 && ends.length === 0) return null;
  const [start, end] = [starts[0], ends[0]];
  if (start === undefined) return `the line \`${START}\` is missing above \`${END}\``;
  if (end === undefined) return `the line \`${END}\` is missing below \`${START}\``;
  if (starts.length > 1 || ends.length > 1) return 'its rule markers are there more than once';
  if (end.from < start.to) return 'its rule markers stand in the wrong order';
  const eol = text.slice(start.from, start.to).endsWith('\r\n') ? '\r\n' : '\n';
  const inner = text.slice(start.to, end.from);
  const lines = inner === '' ? [] : inner.replace(/\r?\n$/, '').split(/\r?\n/);
  return { lines, from: start.to, to: end.from, eol };
}

/** @returns the lines of the block; none where there is no block, or a broken one. */
export function blockLines(text: string): string[] {
  const block = findBlock(text);
  return block === null || typeof block === 'string' ? [] : block.lines;
}

/**
 * Sets the lines of the block; a text without one gets it at its end. Every other byte stays.
 *
 * @returns null when the markers are broken.
 */
export function setBlock(text: string, lines: readonly string[]): string | null {
  const block = findBlock(text);
  if (typeof block === 'string') return null;
  const print = (eol: string) => lines.map((line) => line + eol).join('');
  if (block !== null) return text.slice(0, block.from) + print(block.eol) + text.slice(block.to);
  if (lines.length === 0) return text;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' ? '' : /\n$/.test(text) ? eol : eol + eol;
  return `${text}${gap}${START}${eol}${print(eol)}${END}${eol}`;
}

/** The text in front of the block and behind it; all of it is in front where there is no block. */
export function aroundBlock(text: string): { before: string; after: string } {
  const block = findBlock(text);
  if (block === null || typeof block === 'string') return { before: text, after: '' };
  return { before: text.slice(0, block.from), after: text.slice(block.to) };
}

function linesThatSay(text: string, marker: string): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (let at = text.indexOf(marker); at !== -1; at = text.indexOf(marker, at + marker.length)) {
    const from = text.lastIndexOf('\n', at - 1) + 1;
    const newline = text.indexOf('\n', at);
    const to = newline === -1 ? text.length : newline + 1;
    if (text.slice(from, to).trim() === marker) found.push({ from, to });
  }
  return found;
}
