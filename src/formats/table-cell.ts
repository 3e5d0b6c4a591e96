/** Spreadsheet programs run a cell that begins so as a formula, some of them after blanks too. */
const FORMULA = /^\s*[=+\-@\uff0b\uff0d\uff1d\uff20]/;
const NUMBER = /^[+-]?(?:\d+(?:[.,]\d+)*|[.,]\d+)(?:[eE][+-]?\d+)?$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;
/** What a cell of the usual spreadsheet programs holds. */
const CHARACTERS_MOST = 32_767;

/**
 * What a value from a worker reads as in a cell: text as it is, nothing as an empty cell, numbers and booleans plainly, the rest as JSON.
 *
 * @returns undefined for what should not be in a person's spreadsheet: what would run as a formula there, control characters, and
 *   more than 32,767 characters.
 */
export function safeText(value: unknown): string | undefined {
  const text = textOf(value);
  if (text.length > CHARACTERS_MOST || CONTROL.test(text)) return undefined;
  return FORMULA.test(text) && !NUMBER.test(text) ? undefined : text;
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  // Half a character would not come back from the file as it went.
  if (typeof value === 'string') return Buffer.from(value).toString('utf8');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** In quotes where the cell had them, or where the text would else be taken apart or lose its blanks. */
export function printCell(text: string, wasQuoted: boolean, separator: number): Buffer {
  const isPlain = !wasQuoted && !/["\r\n]|^\s|\s$/.test(text) && !text.includes(String.fromCharCode(separator));
  return Buffer.from(isPlain ? text : `"${text.replaceAll('"', '""')}"`);
}
