import picomatch from 'picomatch';
import type { Item } from '../core/model.ts';

/** Puts an item's own path, as plain text, where a pattern says `{path}`. Without a path such a pattern stands for nothing. */
export function patternsFor(globs: readonly string[], item: Item): string[] {
  return globs.flatMap((glob) => {
    if (!glob.includes('{path}')) return [glob];
    return item.path === null ? [] : [glob.replaceAll('{path}', () => literally(item.path as string))];
  });
}

const literally = (path: string) => path.replace(/[\\*?[\]{}()!+@|]/g, '\\$&');

/** Matches paths with `/`. A pattern with `!` in front takes away, as people expect of a list. */
export function matcher(patterns: readonly string[]): (path: string) => boolean {
  const isAway = (pattern: string) => pattern.startsWith('!') && !pattern.startsWith('!(');
  const wanted = picomatch(patterns.filter((pattern) => !isAway(pattern)));
  const away = picomatch(patterns.filter(isAway).map((pattern) => pattern.slice(1)));
  return (path) => wanted(path) && !away(path);
}

/** The plain path a pattern stands for, or null when it has a wildcard. */
export function plainPath(pattern: string): string | null {
  const { isGlob, negated } = picomatch.scan(pattern);
  return isGlob || negated ? null : unescaped(pattern);
}

/** The folder that all matches of a pattern lie in; '' = the root. */
export const baseOf = (pattern: string): string => unescaped(picomatch.scan(pattern).base);

const unescaped = (pattern: string) => pattern.replace(/^\.\//, '').replace(/\\(.)/g, '$1');
