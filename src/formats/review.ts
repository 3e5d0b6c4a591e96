import type { ReviewLine } from '../core/world.ts';

const BOX = /^\s*[-*+] \[([ xX])\] .*<!-- pawl:(.+?) -->\s*$/;
const HEADING = '# For you to decide\n\nTick a box to answer it; the next tick does what its line says.\n\n';

/** The keys of all lines of ours, with whether their box is ticked. */
export function readReview(text: string): { key: string; ticked: boolean }[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const match = BOX.exec(line);
    return match ? [{ key: match[2] ?? '', ticked: match[1] !== ' ' }] : [];
  });
}

/** Boxes of tried items that a person ticked: `<!-- pawl:retry 43 docs/b.md -->`. */
export function readAnswers(text: string): { run: number; item: string }[] {
  return readReview(text).flatMap(({ key, ticked }) => {
    const match = /^retry (\d+) (.+)$/.exec(key);
    if (!ticked || match === null) return [];
    try {
      return [{ run: Number(match[1]), item: decodeURI(match[2] ?? '') }];
    } catch {
      return [];
    }
  });
}

/** Learnings whose box a person ticked: `<!-- pawl:approve L7 -->`. */
export const readApprovals = (text: string): string[] =>
  readReview(text).flatMap(({ key, ticked }) => (ticked ? (/^approve (L\d+)$/.exec(key)?.[1] ?? []) : []));

/** Adds the lines that are not there yet; every other byte stays. @returns the same text when there is nothing to add. */
export function addReviewLines(text: string, lines: readonly ReviewLine[]): string {
  const known = new Set(readReview(text).map(({ key }) => key));
  const added = lines
    .filter(({ key }) => !known.has(key))
    .map(({ key, text: what }) => `- [ ] ${what} <!-- pawl:${key} -->\n`);
  if (added.length === 0) return text;
  const start = text === '' ? HEADING : text.endsWith('\n') ? text : `${text}\n`;
  return start + added.join('');
}
