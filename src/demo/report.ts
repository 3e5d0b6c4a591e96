import { relative } from 'node:path';
import { many } from '../cli/print.ts';
import type { Learning } from '../core/model.ts';
import { cronLine, shellWord } from '../core/schedule/cron.ts';
import { cut, oneLine } from '../core/text.ts';
import { number } from '../store/workspace.ts';
import { byRule, type Checked, worst } from './findings.ts';

const WIDE = 96;
const WORST = 5;
/** Of an excerpt. */
const MOST_LINES = 6;

/** What the report is made of; paths are absolute but those of pages. */
export interface Shown {
  root: string;
  checked: Checked[];
  /** A page with its front matter. */
  marked: { page: string; lines: string[] } | null;
  /** Where the last tick is told, and the block that tells it. */
  reflection: { path: string; lines: string[] } | null;
  queued: Learning[];
  /** Lines of review.md that wait for a person. */
  boxes: string[];
  node: string;
  entry: string;
  title(text: string): string;
}

/** What was found, where the truth is, and what to do next. */
export function report(shown: Shown): string {
  return [found(shown), whereToLook(shown), yourOwn(shown)].join('\n');
}

/** A path as a person would type it from where they are. */
export function here(path: string): string {
  const short = relative('', path);
  return short.startsWith('..') ? path : short || '.';
}

function found({ checked, title }: Shown): string {
  const all = checked.reduce((sum, { findings }) => sum + findings.length, 0);
  const pages = worst(checked, Number.POSITIVE_INFINITY).length;
  const head = title(`${many(all, 'finding')} on ${pages} of ${many(checked.length, 'page')}`);
  if (all === 0) return `${head}\n`;
  const rules = columns(byRule(checked).map(({ rule, count, example }) => [count, rule, `such as ${example}`]));
  const most = columns(worst(checked, WORST).map(({ page, findings }) => [findings.length, page, '']));
  return `${head}\n${rules}\n${title('most of them on')}\n${most}`;
}

/** A number, a word, and as much of the rest as fits. */
function columns(lines: (readonly [number, string, string])[]): string {
  const width = Math.max(...lines.map(([, word]) => word.length));
  return lines
    .map(([n, word, rest]) => `${String(n).padStart(5)}  ${word.padEnd(width)}  ${oneLine(rest)}`.trimEnd())
    .map((line) => `${cut(line, WIDE)}\n`)
    .join('');
}

function whereToLook({ root, checked, marked, reflection, queued, boxes, entry, title }: Shown): string {
  const jez = here(`${root}/.jez`);
  const [first] = worst(checked, 1);
  const places: (readonly [string, string, string[]] | null)[] = [
    marked && ['marks', `${here(root)}/${marked.page} now begins with`, marked.lines],
    first === undefined ? null : ['findings', `${jez}/runs/${number(first.run)}-*/files/findings.json, for one`, []],
    reflection && ['reflection', `${here(reflection.path)} ends with`, reflection.lines],
    ['state', `${jez}/state.md`, []],
    queued.length === 0
      ? null
      : ['learned', `${queued.length} queued in state.md; to veto one, delete its line there`, queued.map(said)],
    boxes.length === 0 ? null : ['for you', `${many(boxes.length, 'box', 'boxes')} open in ${jez}/review.md`, boxes],
    ['status', `${shellWord(here(entry))} status --dir ${shellWord(here(root))}`, []],
  ];
  const text = places.flatMap((place) => {
    if (place === null) return [];
    const [name, where, lines] = place;
    return [`  ${name.padEnd(10)}  ${where}`, ...lines.slice(0, MOST_LINES).flatMap((line) => wrapped(line, 16))];
  });
  return `${title('where to look')}\n${text.join('\n')}\n`;
}

const said = ({ id, rule }: Learning) => `${id} ${rule}`;

/** Breaks between words; lines that go on are set in two further. */
function wrapped(text: string, indent: number): string[] {
  const lines = [''];
  for (const word of oneLine(text).split(' ')) {
    const line = lines.at(-1) ?? '';
    const room = WIDE - indent - (lines.length > 1 ? 2 : 0);
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= room) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines.map((line, index) => ' '.repeat(indent + (index === 0 ? 0 : 2)) + line);
}

function yourOwn({ node, entry, title }: Shown): string {
  const cron = cronLine({ root: '/path/to/your-project', node, entry });
  return `${title('in a project of your own')}
  alias pawl=${shellWord(entry)}
  cd your-project
  pawl init                .jez/ with settings, state, contract and this same worker
  pawl doctor              is everything in order?
  pawl tick --wait         one slice; the first tick only looks

  and when you trust it, with crontab -e, a tick every 15 minutes:
  ${cron}
`;
}
