import { PawlError } from '../errors.ts';

/** Two columns: a word and what is to be said about it. */
export function rows(pairs: readonly (readonly [string, string])[], indent = ''): string {
  const width = Math.max(0, ...pairs.map(([name]) => name.length));
  return pairs.map(([name, text]) => `${indent}${name.padEnd(width)}  ${text}`.trimEnd().concat('\n')).join('');
}

/** `3 items`, `1 item` */
export const many = (n: number, one: string, several = `${one}s`): string => `${n} ${n === 1 ? one : several}`;

/** `2 min`, `3 h`, `5 days`, from seconds. */
export function age(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

export const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;

/** The text of a flag that was given; undefined without it. @throws PawlError `E_USAGE` when it is empty. */
export function flag(values: Record<string, string | boolean | undefined>, name: string): string | undefined {
  const value = values[name];
  if (typeof value !== 'string') return undefined;
  if (value.trim() === '') throw new PawlError('E_USAGE', `--${name} is empty`);
  return value.trim();
}
