import { printSchedule, scheduleNames, scheduleOn } from '../core/schedule/index.ts';
import { jobOf } from '../engine/schedule.ts';
import { PawlError } from '../errors.ts';
import type { Command } from './command.ts';
import { json } from './print.ts';
import { duration } from './run.ts';

const command: Command = {
  summary: 'prints what a scheduler needs to tick this loop; you install it',
  help: `
pawl schedule print [${scheduleNames.join('|')}] [--every 15m] [--json] [--dir <folder>]

  pawl schedule print                        for the scheduler of this machine: a line for crontab -e, on macOS launchd
  pawl schedule print systemd --every 20m    a service and a timer
  pawl schedule print cron --dir ~/notes     for the loop in another folder

With whole paths, and PATH as it is here. How often is yours to say: nothing is installed, now or later.
--json: {v, kind, everyS, text}.`,
  options: { every: { type: 'string' }, json: { type: 'boolean' } },
  positionals: ['print', 'kind?'],

  async run({ root, positionals, values, out }) {
    const [verb, kind = scheduleOn(process.platform)] = positionals;
    if (verb !== 'print') throw new PawlError('E_USAGE', `schedule only prints: pawl schedule print, got ${verb}`);
    const everyMs = duration(String(values.every ?? '15m'));
    if (everyMs === 0) throw new PawlError('E_USAGE', '--every should be a minute or more for a scheduler, got 0');
    const text = printSchedule(kind, jobOf(root(), everyMs));
    out(values.json === true ? json({ v: 1, kind, everyS: everyMs / 1000, text }) : text);
    return 0;
  },
};

export default command;
