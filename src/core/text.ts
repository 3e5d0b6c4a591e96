/** Controls, bidirectional overrides, zero-width and tag characters: nothing a person can see, much that can deceive. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** One visible line: white space runs become one space, what can't be seen is dropped. */
export function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').replace(INVISIBLE, '').replace(/ {2,}/g, ' ').trim();
}

/** Cuts to `most` code points, never inside one, with an ellipsis when something is missing. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const points = [...text];
  return points.length <= most ? text : `${points.slice(0, most - 1).join('')}…`;
}

/**
 * Text of items, tools and models for one list line of a Markdown file: it can't leave its line, open a comment, or load an image.
 * Units: at most `most` code points, 300 by default.
 */
export function quoted(text: string, most = 300): string {
  return cut(oneLine(text), most).replace(/</g, '&lt;').replace(/!\[/g, '!\\[').replace(/-->/g, '--&gt;');
}
