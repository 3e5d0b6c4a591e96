import { withoutComments } from '../core/comments.ts';
import { oneLine } from '../core/text.ts';
import { printValue } from './scalar.ts';
import { sectionsOf } from './sections.ts';
import { decode, frontMatter } from './text.ts';

/** What `init` fills into the shipped loop.md. */
export interface Starter {
  cohort: string;
  done_when: string;
  path: string;
  field: string;
  write: string[];
  copy_in: string[];
  outputs: string[];
  run: string[];
  env: string[];
  timezone: string;
  usd_per_day: number | null;
}

/** @returns the text of a new loop.md: settings and sections. */
export function fillStarter(template: string, starter: Starter): string {
  const { settings, body } = split(template);
  const value = (key: string) => starter[key as keyof Starter];
  return (
    settings.replace(/\{\{(\w+)\}\}/g, (_, key: string) => printValue(tidy(value(key)), true)) +
    body.replace(/\{\{(\w+)\}\}/g, (_, key: string) => String(tidy(value(key))))
  );
}

const tidy = (value: Starter[keyof Starter]) => (typeof value === 'string' ? oneLine(value) : value);

/**
 * Puts a starter above a loop.md that somebody wrote before there was a loop: the settings, and the sections they don't have.
 * Every byte of theirs stays, below.
 */
export function putAbove(starter: string, theirs: string): { text: string; added: string[] } {
  const { settings, body } = split(starter);
  const titles = new Set(sectionsOf(withoutComments(theirs)).map(({ title }) => title.toLowerCase()));
  const missing = body.split(/^(?=## )/m).flatMap((text) => {
    const title = /^## (.*)/.exec(text)?.[1];
    return title === undefined || titles.has(title.toLowerCase()) ? [] : [{ title, text }];
  });
  const own = missing.map(({ text }) => `${text.trimEnd()}\n\n`).join('');
  return { text: `${settings}\n${own}${theirs}`, added: missing.map(({ title }) => title) };
}

/** Is this a loop.md of ours: settings between two `---` lines, with a key that only we have? @throws PawlError `E_FORMAT`. */
export function isLoop(bytes: Uint8Array, file: string): boolean {
  const text = decode(bytes, file);
  const found = frontMatter(file, text);
  return found !== null && /^(?:cohort|done_when|source|executor)[ \t]*:/m.test(text.slice(found.from, found.to));
}

function split(text: string): { settings: string; body: string } {
  const after = frontMatter('loop.md', text)?.after ?? 0;
  return { settings: text.slice(0, after), body: text.slice(after) };
}
