import type { State } from '../core/model.ts';
import { printValues, STATE_KEYS } from './state-lines.ts';

const REST = /^(?: +#.*| *)$/;

/**
 * What `editState` writes, for a text in which every key stands as the program itself prints it: parsing fifty claims as YAML takes
 * longer than the rest of a tick.
 *
 * @param text state.md as `readStateFast` reads it, which gave `now`.
 * @returns null where only `editState` can tell: a key is missing, or stands in other words than ours.
 */
export function editOwnForm(text: string, now: State, next: State): string | null {
  const from = text.startsWith('---\n') ? 4 : 0;
  const to = from === 0 ? text.length : text.indexOf('\n---', 3) + 1;
  const lines = text.slice(from, to).split('\n');
  // A last line without an end of its own is a case of its own.
  if (lines.at(-1) !== '') return null;
  const [before, after] = [printValues(now), printValues(next)];
  for (const key of STATE_KEYS) {
    const [old, value] = [before[key], after[key]];
    const at = lines.findIndex((line) => line.startsWith(`${key}:`));
    if (at === -1 || !replace(lines, at, key, old, value)) return null;
  }
  return text.slice(0, from) + lines.join('\n') + text.slice(to);
}

function replace(lines: string[], at: number, key: string, old: string | string[], value: string | string[]): boolean {
  if (Array.isArray(old) && Array.isArray(value)) return replaceList(lines, at, key, old, value);
  const start = `${key}: ${old}`;
  const line = lines[at] ?? '';
  if (old === value) return true;
  if (!line.startsWith(start) || !REST.test(line.slice(start.length))) return false;
  lines[at] = `${key}: ${value}${line.slice(start.length)}`;
  return true;
}

function replaceList(lines: string[], at: number, key: string, old: string[], value: string[]): boolean {
  if (old.join('\n') === value.join('\n')) return true;
  const start = old.length === 0 ? `${key}: []` : `${key}:`;
  const line = lines[at] ?? '';
  const rest = line.slice(start.length);
  const stands =
    line.startsWith(start) && REST.test(rest) && old.every((entry, n) => lines[at + 1 + n] === item(entry));
  if (!stands) return false;
  lines.splice(at, old.length + 1, `${key}:${value.length === 0 ? ' []' : ''}${rest}`, ...value.map(item));
  return true;
}

const item = (entry: string) => `  - ${entry}`;
