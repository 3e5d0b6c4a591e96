import { quoted } from '../core/text.ts';
import { realMachine } from '../engine/machine.ts';
import { type Origin, originOf, whyVersion } from '../engine/why.ts';
import { number, Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { json, rows } from './print.ts';

const command: Command = {
  summary: 'where a rule or a version came from',
  help: `
pawl why <R-012 | L12 | 7> [--json] [--dir <folder>]

  pawl why R-012   the runs and items it came from, the version that brought it, and how to take it back
  pawl why 7       why there is a version 7

--json: {v, id, ruleId, state, rule, target, file, items, runs, queued, version, why, undo}, or for a number {v, version, bad, text}.`,
  options: { json: { type: 'boolean' } },
  positionals: ['what'],

  async run({ root, values, positionals: [what = ''], out }) {
    const workspace = new Workspace(root());
    const { disk, clock } = realMachine;
    if (/^\d{1,6}$/.test(what)) {
      const { version, text } = whyVersion(disk, workspace, Number(what), clock.now());
      const bad = version?.bad ?? null;
      if (values.json === true) out(json({ v: 1, version: Number(what), bad, text }));
      else out(bad === null ? text : `${text}- bad since tick ${bad.tick}: ${bad.cause}\n`);
      return 0;
    }
    const origin = originOf(disk, workspace, what, clock.now());
    out(values.json === true ? json(origin) : rows(lines(origin)));
    return 0;
  },
};

export default command;

function lines(origin: Origin): [string, string][] {
  const { id, ruleId, state, rule, target, file, items, runs, queued, version, why, undo } = origin;
  const seen = items.map((item, index) => {
    const run = runs[index];
    return `${quoted(item, 120)}${run === undefined ? '' : ` (run ${number(run)})`}`;
  });
  const by = version?.by === 'loop' ? 'the loop' : 'a person';
  return [
    ['rule', `${ruleId} (${id}): "${quoted(rule)}"`],
    ['state', state === null ? quoted(why) : `${state}, ${quoted(why)}`],
    ['file', file],
    ...(state === null
      ? []
      : ([
          ['against', target === null ? 'no target' : quoted(target, 120)],
          ['seen on', seen.join(', ') || 'nobody knows any more'],
          ['queued', queuedLine(queued)],
        ] satisfies [string, string][])),
    [
      'version',
      version === null
        ? 'none'
        : `${version.n}, from ${version.parent}, by ${by} in tick ${version.tick} of ${version.day}`,
    ],
    ['undo', undo],
  ];
}

function queuedLine({ tick, at }: Origin['queued']): string {
  if (tick === null && at === null) return 'never, or nobody knows any more';
  return [tick === null ? '' : `by tick ${tick}`, at === null ? '' : `at ${at}`].filter(Boolean).join(', ');
}
