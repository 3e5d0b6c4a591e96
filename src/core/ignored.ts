/** What git has no business with: work files, caches, and what only this machine means. Learnings and reflections are worth keeping. */
const IGNORED = ['batches/', 'runs/', 'ticks/', 'worktrees/', 'lock/', 'cache/', 'history/', 'heartbeat', '*.tmp-*'];

const bare = (line: string) => line.trim().replace(/^\//, '').replace(/\/$/, '');

/** @returns the lines that `.jez/.gitignore` still lacks; a line that ignores everything stands for all. */
export function missingIgnores(text: string): string[] {
  const there = new Set(text.split('\n').map(bare));
  return there.has('*') ? [] : IGNORED.filter((line) => !there.has(bare(line)));
}

/** Adds the missing lines at the end; every other byte stays. @returns the same text when none is missing. */
export function withIgnores(text: string): string {
  const missing = missingIgnores(text);
  if (missing.length === 0) return text;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const torn = text !== '' && !text.endsWith('\n') ? eol : '';
  return text + torn + missing.map((line) => line + eol).join('');
}
