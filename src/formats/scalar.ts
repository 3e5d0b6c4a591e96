const DAY = /^\d{4}-\d\d-\d\d$/;
const PLAIN = /^[\p{L}_][\p{L}\p{M}\p{N} _./+()'@%&!?;,=*:\\[\]{}"|<>~^$-]*$/u;
const WORDS = /^(?:true|false|yes|no|on|off|null|y|n)$/i;
const INVISIBLE = /[\u007f-\u009f\u2028\u2029\ufeff]/g;

/**
 * Prints a value for one line of YAML, so that 1.1 and 1.2 readers get the same back. A day stays plain: `2026-06-09`.
 *
 * @param within whether it becomes part of a flow list.
 */
export function printValue(value: unknown, within = false): string {
  if (typeof value === 'string') return isPlain(value, within) ? value : quoted(value);
  if (Array.isArray(value)) return `[${value.map((each) => printValue(each, true)).join(', ')}]`;
  // What JSON prints is YAML's flow style; nothing at all is null.
  return escaped(JSON.stringify(value) ?? 'null');
}

/** Prints in the quotes that were there before, if the text can be told apart in them. */
export function printLike(before: string, text: string): string {
  if (before.startsWith('"')) return quoted(text);
  const printable = !/\p{C}/u.test(text) && text.search(INVISIBLE) === -1;
  return before.startsWith("'") && printable ? `'${text.replaceAll("'", "''")}'` : printValue(text);
}

const quoted = (text: string) => escaped(JSON.stringify(text));
const escaped = (json: string) =>
  json.replace(INVISIBLE, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

function isPlain(text: string, within: boolean): boolean {
  if (DAY.test(text)) return true;
  if (!PLAIN.test(text) || WORDS.test(text) || text.endsWith(' ') || /:(?: |$)/.test(text)) return false;
  return !within || !/[,:[\]{}]/.test(text);
}
