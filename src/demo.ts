import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { many } from './cli/print.ts';
import { onSignals } from './cli/signals.ts';
import { shellWord } from './core/schedule/cron.ts';
import type { Corpus } from './demo/corpus.ts';
import { readChecked, worst } from './demo/findings.ts';
import { makeDemo } from './demo/make.ts';
import { here, report, type Shown } from './demo/report.ts';
import { type Swept, sweep } from './demo/sweep.ts';
import { type Entry, lastEntries } from './engine/log.ts';
import { messageOf, PawlError } from './errors.ts';
import { realDisk } from './store/disk.ts';
import { entry, packageRoot } from './store/package.ts';
import { readState } from './store/state-file.ts';
import { Workspace } from './store/workspace.ts';

const HELP = `npm start: the docs sweep over the Markdown pages of the installed packages, in demo/

  npm start                     make demo/ and sweep it; after Ctrl-C or kill -9 the same command does the rest
  npm start -- --pages 25       begin with 25 pages (and those they link to)
  npm start -- --dir /tmp/demo  in another folder
  rm -r demo                    start afresh
`;

const isTerminal = process.stdout.isTTY === true;
const out = (text: string) => void process.stdout.write(text);
const title = (text: string) => (isTerminal && !process.env.NO_COLOR ? `\u001b[1m${text}\u001b[22m` : text);

/** @returns the exit code: 0 all is done, 1 usage, 2 refused, 3 paused, 130 and 143 on signals. */
async function demo(args: string[]): Promise<number> {
  const { help, root, most } = read(args);
  if (help) {
    out(HELP);
    return 0;
  }
  const { signal, code } = onSignals();
  const workspace = new Workspace(root);
  const folder = here(root);
  const corpus = await makeDemo(root, most, new Date());
  out(corpus === null ? `going on in ${folder}/\n` : `${made(folder, corpus)}\n`);
  out('Ctrl-C or kill -9 at any time: the same command does the rest.\n\n');
  const swept = await sweep(workspace, { signal, isTerminal, out });
  out(`${ended(folder, swept)}\n`);
  if (swept.end !== 'exhausted') return code() || (swept.end === 'paused' ? 3 : 0);
  out(`\n${report(gather(workspace))}`);
  return 0;
}

function read(args: string[]): { help: boolean; root: string; most: number } {
  const options = {
    pages: { type: 'string' },
    dir: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  } as const;
  try {
    const { pages, dir, help = false } = parseArgs({ args, options }).values;
    if (pages !== undefined && !/^[1-9]\d{0,5}$/.test(pages))
      throw new Error(`--pages should be a number, got ${pages}`);
    const root = resolve(dir ?? join(packageRoot(), 'demo'));
    return { help, root, most: pages === undefined ? Number.POSITIVE_INFINITY : Number(pages) };
  } catch (cause) {
    if (cause instanceof PawlError) throw cause;
    throw new PawlError('E_USAGE', `${messageOf(cause).split('. ')[0]}; see: npm start -- --help`, { cause });
  }
}

function made(folder: string, { pages, linked, own }: Corpus): string {
  const ours = own.length === 0 ? '' : `,\nand ${many(own.length, 'page')} of our own in encodings that no package had`;
  return `made ${folder}/ of ${many(pages.length, 'Markdown page')} that installed packages ship, ${many(linked.length, 'file')} they link to${ours}`;
}

function ended(folder: string, { end, done, ms, total, left }: Swept): string {
  const rest = left === 0 ? `all ${total} are done` : `${total - left} of ${total} are done`;
  const others = left === 0 ? '' : left === 1 ? ', one waits for you' : `, ${left} wait for you`;
  if (end === 'exhausted' && done === 0)
    return `nothing to do: ${rest}${others}. To start afresh: rm -r ${shellWord(folder)}`;
  const pace = `${many(done, 'page')} in ${(ms / 1000).toFixed(1)} s, ${Math.round(ms / Math.max(1, done))} ms each`;
  if (end === 'exhausted') return `${pace}; ${rest}${others}`;
  const next =
    end === 'signal'
      ? 'the same command goes on from here'
      : `it ${end}, see: ${shellWord(here(entry()))} status --dir ${shellWord(folder)}`;
  return `${pace}; ${rest}; ${next}`;
}

function gather(workspace: Workspace): Shown {
  const checked = readChecked(realDisk, workspace);
  const [last] = lastEntries(realDisk, workspace, 1);
  const page = worst(checked, 1)[0]?.page;
  const review = realDisk.read(workspace.review())?.toString('utf8') ?? '';
  return {
    ...{ root: workspace.root, checked, title, node: process.execPath, entry: entry() },
    marked: page === undefined ? null : { page, lines: frontLines(realDisk.read(workspace.inRoot(page))) },
    reflection: last === undefined ? null : { path: workspace.reflection(last.day), lines: blockOf(last) },
    queued: readState(realDisk, workspace).queuedLearnings,
    boxes: review.split('\n').flatMap((line) => /^- \[ \] (.*?)(?: *<!-- .* -->)?$/.exec(line)?.[1] ?? []),
  };
}

const blockOf = ({ time, tick, version, headline, lines }: Entry) => [
  `## ${time} tick ${tick}, version ${version}: ${headline}`,
  ...lines.map((line) => `- ${line}`),
];

/** The lines between and with the two `---`. */
function frontLines(bytes: Buffer | null): string[] {
  const lines = bytes?.toString('utf8').split(/\r?\n/) ?? [];
  return lines.slice(0, lines.indexOf('---', 1) + 1);
}

try {
  process.exitCode = await demo(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof PawlError)) throw error;
  process.stderr.write(`demo: ${error.message}\n`);
  process.exitCode = error.code === 'E_USAGE' ? 1 : 2;
}
