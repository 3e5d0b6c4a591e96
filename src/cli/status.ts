import { cut, oneLine } from '../core/text.ts';
import { readStatus, type Status } from '../engine/status.ts';
import { Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { age, json, many, rows } from './print.ts';

/** A quarter of an hour is the usual beat; twice that without one is worth a word. */
const QUIET_S = 1800;
const WIDE = 100;

const command: Command = {
  summary: 'how the loop stands, in ten seconds',
  help: `
pawl status [--json] [--dir <folder>]

  pawl status          state, progress, today, what runs, what waits for you
  pawl status --json   the same for a program: {v, state, why, items, today, inFlight, learnings, waitingForYou, limits, ...}

It looks at the files as they are and changes nothing.`,
  options: { json: { type: 'boolean' } },

  async run({ root, values, out }) {
    const status = await readStatus(new Workspace(root()));
    out(values.json === true ? json(status) : rows(lines(status)));
    return 0;
  },
};

export default command;

function lines(status: Status): [string, string][] {
  const { items, today, errorsInARow, limits, learnings, last, check, version } = status;
  return [
    ['state', `${status.state}: ${oneLine(status.why)}`],
    ['items', `${items.done} of ${items.total ?? 'unknown'} done`],
    [
      'today',
      `${today.count} of ${limits.caps.itemsPerDay}, ${many(errorsInARow, 'error')} in a row (pauses at ${limits.pauseAfterErrors})`,
    ],
    ['running', running(status)],
    ['learned', learnings.length === 0 ? 'nothing queued' : `${learnings.length} queued: ${queue(status)}`],
    [
      'for you',
      status.waitingForYou === 0 ? 'nothing' : `${many(status.waitingForYou, 'box', 'boxes')} open in .jez/review.md`,
    ],
    ['last', last === null ? 'nothing yet' : cut(`${last.day} ${last.time} tick ${last.tick}: ${last.headline}`, WIDE)],
    ['clock', clock(status)],
    [
      'check',
      check === null
        ? 'unchecked: nothing but the worker says that an item is done (`check:` in loop.md)'
        : check.join(' '),
    ],
    ['limits', limitsLine(status)],
    ['version', version === 0 ? '0, the text as it came' : String(version)],
    ['next', next(status)],
  ];
}

function running({ inFlight }: Status): string {
  const [first] = inFlight;
  if (first === undefined) return 'nothing';
  const items = cut(inFlight.map(({ item }) => oneLine(item)).join(', '), WIDE);
  const owner = first.standing === 'running' ? 'its owner lives' : `its owner is gone (${first.standing})`;
  return `${items}\n${' '.repeat(9)}since ${short(first.since)}, until ${short(first.until)} at the latest; ${owner}`;
}

const short = (instant: string) => `${instant.slice(0, 16).replace('T', ' ')} UTC`;

const queue = ({ learnings }: Status) =>
  cut(learnings.map(({ id, rule, veto }) => `${id} "${oneLine(rule)}"${veto ? ' (vetoed)' : ''}`).join(', '), WIDE);

function clock({ heartbeatAgeS: seconds }: Status): string {
  if (seconds === null) return 'no tick yet';
  const ago = `last tick ${age(seconds)} ago`;
  return seconds > QUIET_S ? `${ago}: does the scheduler run? \`pawl schedule print\` prints its line` : ago;
}

function limitsLine({ limits, defaults }: Status): string {
  const { slice, concurrency, tries, caps } = limits;
  const note = (name: string) => (defaults.includes(name) ? ' (default)' : '');
  const spend = [
    ...(caps.usdPerDay === null ? [] : [`${caps.usdPerDay} USD a day`]),
    ...(caps.tokensPerDay === null ? [] : [`${caps.tokensPerDay} tokens a day`]),
  ];
  return [
    `${many(slice, 'item')} a tick, ${concurrency} at a time`,
    `${caps.itemsPerDay} a day${note('items_per_day')}`,
    ...spend,
    `${caps.minutesPerItem} min an item${note('minutes_per_item')}`,
    many(tries, 'try', 'tries'),
  ].join(', ');
}

function next({ state, waitingForYou }: Status): string {
  if (state === 'paused') return 'pawl log, then: pawl resume';
  if (state === 'running') return 'pawl log, when it is done';
  if (waitingForYou > 0 && state === 'exhausted') return 'tick boxes in .jez/review.md, or: pawl retry --all';
  if (state === 'exhausted') return 'nothing: it goes on by itself when there is something to do';
  if (state === 'capped' || state === 'waiting') return 'nothing: it goes on by itself';
  return 'pawl tick --wait';
}
