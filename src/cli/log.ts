import { type Entry, entriesOf, lastEntries, newestDay } from '../engine/log.ts';
import { realMachine } from '../engine/machine.ts';
import { PawlError } from '../errors.ts';
import { Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { flag, json } from './print.ts';

const command: Command = {
  summary: 'what the loop did: the newest reflection',
  help: `
pawl log [--day <YYYY-MM-DD>] [--last <n>] [--json] [--dir <folder>]

  pawl log                    today, or the newest day on which something happened
  pawl log --day 2026-06-09   that day
  pawl log --last 3           the last three ticks that did something, over all days

--json: {v, entries: [{day, tick, time, version, headline, lines}]}. The pages themselves are in .jez/reflections/.`,
  options: { day: { type: 'string' }, last: { type: 'string' }, json: { type: 'boolean' } },

  async run({ root, values, out }) {
    const [day, last] = [flag(values, 'day'), flag(values, 'last')];
    if (day !== undefined && !/^\d{4}-\d\d-\d\d$/.test(day))
      throw new PawlError('E_USAGE', `--day should be a day such as 2026-06-09, got ${day}`);
    if (last !== undefined && !/^[1-9]\d{0,5}$/.test(last))
      throw new PawlError('E_USAGE', `--last should be a whole number, 1 or more, got ${last}`);
    const workspace = new Workspace(root());
    const entries = choose(workspace, day, last === undefined ? undefined : Number(last));
    if (values.json === true) out(json({ v: 1, entries }));
    else if (entries.length === 0)
      out(day === undefined ? 'nothing was done yet; next: pawl tick --wait\n' : `nothing was done on ${day}\n`);
    else out(print(entries));
    return 0;
  },
};

export default command;

function choose(workspace: Workspace, day: string | undefined, last: number | undefined): Entry[] {
  const { disk } = realMachine;
  if (day !== undefined) return entriesOf(disk, workspace, day).slice(-(last ?? 0));
  return last === undefined ? newestDay(disk, workspace) : lastEntries(disk, workspace, last);
}

function print(entries: readonly Entry[]): string {
  return entries
    .map(({ day, tick, time, version, headline, lines }, index) => {
      const isNew = day !== entries[index - 1]?.day;
      const head = `${isNew ? `${index === 0 ? '' : '\n'}${day}\n` : ''}\n${time} tick ${tick}, version ${version}: ${headline}\n`;
      return head + lines.map((line) => (line === '' ? '' : `  ${line}\n`)).join('');
    })
    .join('');
}
