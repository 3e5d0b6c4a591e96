/** The lines of a Markdown file that the loop owns. */
interface Block {
  /** What stands between the two markers, without them. */
  text: string;
  /** The file without the block and its markers. */
  rest: string;
}

const START = '<!-- pawl:rules:start -->';
const END = '<!-- pawl:rules:end -->';

/** @returns null when there is no whole block. */
export function takeBlock(text: string): Block | null {
  const start = text.indexOf(START);
  const end = start === -1 ? -1 : text.indexOf(END, start);
  if (end === -1) return null;
  return { text: text.slice(start + START.length, end), rest: text.slice(0, start) + text.slice(end + END.length) };
}
