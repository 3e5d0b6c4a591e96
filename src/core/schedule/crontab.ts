import { CRON_PATH } from './job.ts';

/** A line of a crontab that ticks a folder. */
export interface CronEntry {
  /** What sh is given, without what sends its output elsewhere. */
  command: string;
  /** PATH as its programs see it, or null for cron's own. */
  path: string | null;
  /** PATH as sh starts with it, set above the line; null for cron's own. */
  outerPath: string | null;
  /** Programs and scripts it names with a whole path. */
  named: string[];
  /** It is a tick and nothing more, so that it may be tried with `--dry-run` behind it. */
  isPlain: boolean;
}

const SETTING = /^\s*(?:"(\w+)"|'(\w+)'|([A-Za-z_]\w*))\s*=\s*(.*?)\s*$/;
const LINE = /^\s*(?:@\w+|(?:[^\s#]\S*\s+){4}\S+)\s+(.*)$/;
const REDIRECTS = /(?:\s+[12]?>(?:>|&)?\s*[^\s;|&'"<>]+)+\s*$/;
const FLAGS = new Set(['--wait', '--json']);
/** Stands for a `$` that sh puts something in for. */
const FILLED = '\0';
const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/** @returns the lines of a crontab that tick the loop in `root`. */
export function entriesFor(crontab: string, root: string, home: string): CronEntry[] {
  const found: CronEntry[] = [];
  let outer: string | null = null;
  for (const line of crontab.split('\n')) {
    const [, a, b, c, value = ''] = SETTING.exec(line) ?? [];
    if ((a ?? b ?? c) === 'PATH') outer = value.replace(/^(["'])(.*)\1$/, '$2');
    const command = LINE.exec(line)?.[1];
    if ((a ?? b ?? c) !== undefined || command === undefined) continue;
    const entry = read(command, root, home, outer);
    if (entry !== null) found.push(entry);
  }
  return found;
}

function read(text: string, root: string, home: string, outerPath: string | null): CronEntry | null {
  const command = beforePercent(text).replace(REDIRECTS, '');
  const words = wordsOf(command);
  // Rough, for a line that does more: enough to see what it is about.
  const all = words ?? command.replaceAll('$', FILLED).split(/[\s;|&()'"]+/);
  const at = all.indexOf('tick');
  if (at === -1 || !all.some((word) => bare(word) === bare(root))) return null;
  const before = all.slice(0, at);
  const path = before.findLast((word) => word.startsWith('PATH='))?.slice('PATH='.length) ?? null;
  return {
    command,
    path: path === null ? outerPath : filled(path, home, outerPath),
    outerPath,
    named: named(before).filter((word) => word.startsWith('/') && !word.includes(FILLED)),
    isPlain: words !== null && isPlain(before, all.slice(at + 1)),
  };
}

const bare = (path: string): string => path.replace(/\/+$/, '');

/** Everything after a bare `%` is input, not command. */
const beforePercent = (text: string): string => (/^(?:\\.|[^\\%])*/s.exec(text)?.[0] ?? '').replaceAll('\\%', '%');

const filled = (path: string, home: string, outer: string | null): string =>
  path.replaceAll(`${FILLED}PATH`, outer ?? CRON_PATH).replaceAll(`${FILLED}HOME`, home);

/** Without the folder it goes to and the variables it sets. */
function programs(before: readonly string[]): string[] {
  const from = before[0] === 'cd' && before[2] === '&&' ? 3 : 0;
  return before.slice(from).filter((word) => !ASSIGNMENT.test(word));
}

/** A script with what runs it, or a program: what else a line has before `tick` may be anything. */
const named = (before: readonly string[]): string[] => before.slice(/\.[cm]?js$/.test(before.at(-1) ?? '') ? -2 : -1);

function isPlain(before: readonly string[], after: readonly string[]): boolean {
  const names = programs(before);
  const isTick = names.length >= 1 && names.length <= 2 && !names.includes('&&');
  return isTick && after.every((word, index) => FLAGS.has(word) || word === '--dir' || after[index - 1] === '--dir');
}

/** The words sh would see, `&&` among them; null when there is more to the line than words and quotes. */
function wordsOf(command: string): string[] | null {
  const words: string[] = [];
  const token = /\s*(&&(?=\s)|(?:'[^']*'|"(?:[^"\\`$]|\\.|\$(?!\())*"|\\.|[^\s'"\\;|&<>()`*?[\]{}!#~])+)(?=\s|$)/sy;
  let rest = command.trimEnd();
  while (rest !== '') {
    token.lastIndex = 0;
    const [all = '', word] = token.exec(rest) ?? [];
    if (word === undefined) return null;
    words.push(unquoted(word));
    rest = rest.slice(all.length);
  }
  return words;
}

const unquoted = (word: string): string =>
  word.replace(/'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|\$/gs, (_, single, double, escaped) =>
    double === undefined
      ? (single ?? escaped ?? FILLED)
      : double.replace(/\\(["\\$`])|\$/g, (_: string, character?: string) => character ?? FILLED),
  );
