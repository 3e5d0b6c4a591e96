import { nextLine } from './text.ts';

/** Changes to a text by offset, applied together, so that every byte nobody named stays. */
export interface Edits {
  replace(from: number, to: number, text: string): void;
  insert(at: number, text: string): void;
  /** Puts whole lines before the one that begins at `at`. */
  insertLines(at: number, lines: readonly string[]): void;
  apply(): string;
}

/** Edits keep the order they are given in where they meet. Lines end as the text's own do. */
export function editsOf(text: string): Edits {
  const edits: { from: number; to: number; text: string }[] = [];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const replace = (from: number, to: number, put: string) => void edits.push({ from, to, text: put });
  return {
    replace,
    insert: (at, put) => replace(at, at, put),
    insertLines(at, lines) {
      // A last line without an end of its own gets none behind it either.
      const torn = at > 0 && text[at - 1] !== '\n';
      replace(at, at, lines.map((line) => (torn ? `${eol}${line}` : `${line}${eol}`)).join(''));
    },
    apply() {
      let out = '';
      let at = 0;
      for (const edit of [...edits].sort((left, right) => left.from - right.from)) {
        out += text.slice(at, edit.from) + edit.text;
        at = Math.max(at, edit.to);
      }
      return out + text.slice(at);
    },
  };
}

/** Where the line after the one that holds the end of something begins; `end` may already be there. */
export const lineAfter = (text: string, end: number): number =>
  end > 0 && text[end - 1] === '\n' ? end : nextLine(text, end);
