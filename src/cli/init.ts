import { cronLine, shellWord } from '../core/schedule/cron.ts';
import { ANYWHERE, countFiles, type Detected, DOCS, detect } from '../engine/detect.ts';
import { type Choices, differences, hasLoop, makeLoop } from '../engine/init.ts';
import { realMachine } from '../engine/machine.ts';
import { moveCaps } from '../engine/move-caps.ts';
import { PawlError } from '../errors.ts';
import { isZone } from '../formats/zone.ts';
import { entry } from '../store/package.ts';
import { Workspace } from '../store/workspace.ts';
import { asker } from './ask.ts';
import type { Call, Command } from './command.ts';
import { busy, whileLocked } from './locked.ts';
import { flag, many, rows } from './print.ts';

const text = { type: 'string' as const };

const command: Command = {
  summary: 'makes a loop in this folder: .jez/ with its settings, state and contract',
  help: `
pawl init [--yes] [--path <glob>] [--cohort <text>] [--done-when <text>] [--worker <program and arguments>]
          [--field <name>] [--timezone <zone>] [--move-caps] [--dir <folder>]

  pawl init              look around, ask what can't be known, make .jez/
  pawl init --yes        ask nothing: take what was found (Markdown pages below docs/, or anywhere)
  pawl init --path 'notes/*.md' --worker 'node tidy.mjs'
                         items and worker of your own; the worker's words are split at spaces
  pawl init --move-caps  move limits that stand in state.md, where they do not count, to loop.md

Files that are there are never overwritten. A second time it changes nothing.`,
  options: {
    yes: { type: 'boolean', short: 'y' },
    ...{ path: text, cohort: text, 'done-when': text, worker: text, field: text, timezone: text },
    'move-caps': { type: 'boolean' },
  },

  async run(call) {
    const { from, values, out } = call;
    const { disk, clock } = realMachine;
    if (disk.stat(from)?.kind !== 'folder') throw new PawlError('E_USAGE', 'there is no such folder', { at: from });
    const workspace = new Workspace(from);
    const wanted = given(call);
    if (hasLoop(disk, workspace)) {
      refuseSecond(workspace, wanted);
      out(
        `there is a loop already in ${workspace.jez}${values['move-caps'] === true ? '' : '; nothing was changed'}\n`,
      );
    } else {
      const found = detect(disk, from);
      const choices = await decide(call, found, wanted);
      const made = makeLoop(disk, workspace, choices, clock.now());
      const lines = made.filter(({ attention }) => attention !== true).map(({ file, what }) => [file, what] as const);
      out(`made .jez/ in ${from}\n${rows(lines, '  ')}`);
      for (const { file, what } of made.filter(({ attention }) => attention === true))
        out(`\nfor you: ${file}: ${what}\n`);
      out(advice(found, choices, countFiles(disk, from, choices.path)));
    }
    if (values['move-caps'] === true) out(await movedCaps(workspace));
    out(nextSteps(call));
    return 0;
  },
};

export default command;

/** What was said on the command line. @throws PawlError `E_USAGE` for what no loop.md could hold. */
function given({ values }: Call): Partial<Choices> {
  const [cohort, doneWhen, path] = [flag(values, 'cohort'), flag(values, 'done-when'), flag(values, 'path')];
  const [worker, field, timezone] = [
    flag(values, 'worker')?.split(/\s+/),
    flag(values, 'field'),
    flag(values, 'timezone'),
  ];
  if (field !== undefined && !/^[A-Za-z_][\w-]*$/.test(field))
    throw new PawlError('E_USAGE', `--field should be one word, the key in an item's front matter, got ${field}`);
  if (timezone !== undefined && !isZone(timezone))
    throw new PawlError('E_USAGE', `--timezone should be a zone such as Europe/London, got ${timezone}`);
  const all = { cohort, doneWhen, path, worker, field, timezone };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** One folder, one loop. @throws PawlError `E_SECOND_LOOP` when another one is asked for. */
function refuseSecond(workspace: Workspace, wanted: Partial<Choices>): void {
  const different = Object.keys(wanted).length === 0 ? [] : differences(realMachine.disk, workspace, wanted);
  if (different.length === 0) return;
  throw new PawlError(
    'E_SECOND_LOOP',
    `there is a loop already, with another ${different.join(', ')}: change it in loop.md, or make the second loop in a folder of its own`,
    { at: workspace.loop() },
  );
}

const QUESTIONS = {
  path: 'Which files are the items (a glob)?',
  cohort: 'What are they, in a few words?',
  doneWhen: 'When is an item done?',
};

/** Flags first, then a person's answers, then what was found. @throws PawlError `E_USAGE` naming exactly what is missing. */
async function decide(call: Call, found: Detected, wanted: Partial<Choices>): Promise<Choices> {
  const asks = call.values.yes !== true && process.stdin.isTTY === true && process.stdout.isTTY === true;
  const ask = asks ? asker(call.signal) : null;
  const field = wanted.field ?? 'checked';
  try {
    const answer = async (key: keyof typeof QUESTIONS, proposal: string | null) =>
      wanted[key] ?? (ask === null ? proposal : ((await ask.put(QUESTIONS[key], proposal)) ?? proposal));
    const path = await answer('path', found.path);
    const isKnown = path !== null && countFiles(realMachine.disk, call.from, path) > 0;
    const cohort = await answer('cohort', isKnown ? cohortOf(found, path) : null);
    const doneWhen = await answer('doneWhen', isKnown ? `every item carries a ${field} date` : null);
    const missing = Object.entries({ path, cohort, 'done-when': doneWhen }).filter(([, value]) => value === null);
    if (path === null || cohort === null || doneWhen === null)
      throw notKnown(
        call.from,
        missing.map(([name]) => `--${name}`),
        path,
      );
    return {
      path,
      cohort,
      doneWhen,
      field,
      worker: wanted.worker ?? null,
      timezone: wanted.timezone ?? found.timezone,
    };
  } finally {
    ask?.close();
  }
}

function cohortOf({ name }: Detected, path: string): string {
  if (path === DOCS) return `Every Markdown page in the docs of ${name}`;
  if (path === ANYWHERE) return `Every Markdown page of ${name}`;
  return `Every ${path.endsWith('.md') ? 'Markdown page' : 'file'} of ${name} in ${path}`;
}

function notKnown(from: string, missing: string[], path: string | null): PawlError {
  const why = path === null ? 'no Markdown pages were found' : `nothing matches ${path} yet`;
  return new PawlError('E_USAGE', `${why}; please say ${missing.join(', ')} (nothing was made)`, { at: from });
}

function advice({ git, above }: Detected, { path, worker }: Choices, count: number): string {
  const lines = [
    `${many(count, 'item')} now, by ${path}`,
    ...(count <= 1 ? ['a plain run is enough for so little: a loop pays when there is much to repeat'] : []),
    ...(worker === null ? [] : [`the worker is yours: ${worker.join(' ')}`]),
    ...(git ? [] : ['no git here: replaced bytes are kept in .jez/history for 50 ticks, and nowhere else']),
    ...(above === null ? [] : [`there is another loop above, in ${above}: commands given here mean the new one`]),
  ];
  return `\n${lines.map((line) => `- ${line}\n`).join('')}`;
}

async function movedCaps(workspace: Workspace): Promise<string> {
  const moved = await whileLocked(workspace, async (disk) => moveCaps(disk, workspace));
  if (moved === null) throw busy();
  if (moved.length === 0) return '\nno limits in state.md to move\n';
  return `\nmoved from state.md to loop.md: ${moved.map(({ name, value }) => `${name}: ${value}`).join(', ')}\n`;
}

function nextSteps({ from, values }: Call): string {
  const dir = values.dir === undefined ? '' : ` --dir ${shellWord(from)}`;
  const steps = [
    [`pawl doctor${dir}`, 'is everything in order?'],
    [`pawl tick --dry-run${dir}`, 'what would the next tick do?'],
    [`pawl tick --wait${dir}`, 'do it; the first tick only looks'],
  ] as const;
  const line = cronLine({ root: from, node: process.execPath, entry: entry() });
  return `\nnext\n${rows(steps, '  ')}\nwhen you trust it, a tick every 15 minutes (crontab -e)\n  ${line}\n`;
}
