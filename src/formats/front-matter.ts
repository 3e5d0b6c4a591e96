import matter from 'gray-matter';
import { PawlError } from '../errors.ts';
import { formatError, frontMatter, nextLine, type Stretch } from './text.ts';
import { readNodes } from './yaml.ts';
import type { YamlNode } from './yaml-nodes.ts';

/**
 * Splits an item's file into its front matter and the text below.
 *
 * Shape: dates and moments stay text, and so does a number that is more than plain digits or more than a number can hold (`007`, `1e3`, `12345678901234567890`).
 * Bytes that are not UTF-8 are read as U+FFFD: an item is somebody else's file. Only YAML between bare `---` lines is front matter.
 * @throws PawlError `E_FORMAT` with file:line:col for front matter that is not strict YAML, for any other language, and for UTF-16.
 */
export function splitItem(bytes: Uint8Array, file: string): { fields: Record<string, unknown>; body: string } {
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    throw new PawlError('E_FORMAT', 'this file is UTF-16: save it as UTF-8', { at: `${file}:1:1` });
  const text = new TextDecoder('utf-8').decode(bytes);
  const found = frontMatter(file, text);
  if (found === null) {
    if (/^---(?!-)/.test(text))
      throw formatError({ file, text }, 0, `front matter should open with a bare \`---\` line, got ${openingOf(text)}`);
    return { fields: {}, body: text };
  }
  refuseBlank(found);
  // Nothing of the body is handed over, and the opening line is our own: no word of the file can choose a language.
  const head = `---\n${text.slice(found.from, found.to)}---\n`;
  const { data } = matter(head, { language: 'yaml', delimiters: '---', engines: engines(found) });
  return { fields: data, body: text.slice(found.after) };
}

function engines(found: Stretch) {
  const refuse = (): never => {
    throw formatError(found, 0, 'only YAML front matter is read');
  };
  // gray-matter would run the text for both names of the language; options with engines also keep it off its cache.
  return { yaml: { parse: () => fieldsIn(readNodes(found)) ?? {}, stringify: refuse }, js: refuse, javascript: refuse };
}

const openingOf = (text: string) => JSON.stringify(text.slice(0, nextLine(text, 0)).trimEnd().slice(0, 60));

/** gray-matter looks for comments in a way that takes the square of the blank lines in a row: 64,000 would take seconds. */
function refuseBlank(found: Stretch): void {
  let blank = 0;
  for (let at = found.from; at < found.to; at++) {
    blank = found.text.charCodeAt(at) <= 32 ? blank + 1 : 0;
    if (blank === 1000) throw formatError(found, at, 'front matter should have less than 1000 blanks in a row');
  }
}

/** What it says, but for numbers that JavaScript would change: those stay as they are written. */
function fieldsIn(node: YamlNode | null): unknown {
  if (node?.kind === 'map') return Object.fromEntries(node.entries.map(({ key, value }) => [key, fieldsIn(value)]));
  if (node?.kind === 'list') return node.items.map(fieldsIn);
  if (typeof node?.value === 'number' && !isExact(node.value, node.source)) return node.source;
  return node?.value ?? null;
}

const isExact = (value: number, source: string) =>
  /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/.test(source) && (Number.isSafeInteger(value) || !Number.isInteger(value));
