export interface Section {
  title: string;
  /** Everything below the heading, deeper headings included. */
  text: string;
}

/**
 * Takes a Markdown text apart at its `#` and `##` headings. What comes before the first is no section.
 *
 * Headings inside code fences are text. Pass a text without comments: a heading in one counts.
 */
export function sectionsOf(markdown: string): Section[] {
  const sections: { title: string; lines: string[] }[] = [];
  let fence: string | null = null;
  for (const line of markdown.split(/\r?\n/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null && mark !== undefined) fence = mark;
    else if (fence !== null && mark?.startsWith(fence)) fence = null;
    const title = fence === null ? /^ {0,3}##?[ \t]+(\S.*)$/.exec(line)?.[1] : undefined;
    if (title !== undefined) sections.push({ title: withoutClosing(title), lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ title, lines }) => ({ title, text: lines.join('\n').trim() }));
}

function withoutClosing(title: string): string {
  const words = title.trimEnd().split(/[ \t]/);
  if (words.length > 1 && /^#+$/.test(words.at(-1) ?? '')) words.pop();
  return words.join(' ').trim();
}
