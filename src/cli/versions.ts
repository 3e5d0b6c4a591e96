import { quoted } from '../core/text.ts';
import { realMachine } from '../engine/machine.ts';
import { listVersions, type Row, type Versions } from '../engine/versions.ts';
import { Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { json } from './print.ts';

const command: Command = {
  summary: 'the versions of what the loop learned, newest first',
  help: `
pawl versions [--json] [--dir <folder>]

  pawl versions   which one is in force, what each brought, and how its runs went

Compare them with \`pawl diff\`, go back with \`pawl rollback 6\`. --json: {v, active, versions: [{n, status, bad, by, day, tick, parent,
cause, applied, retired, runs}], edited}.`,
  options: { json: { type: 'boolean' } },

  async run({ root, values, out }) {
    const found = listVersions(realMachine.disk, new Workspace(root()));
    out(values.json === true ? json(found) : print(found));
    return 0;
  },
};

export default command;

function print({ versions, edited, active }: Versions): string {
  if (versions.length === 0) return 'version 0, the text as it came, is in force; nothing was learned yet\n';
  const theirs = `${edited.join(' and ')} changed since version ${active}: the next tick makes your version of that\n`;
  return versions.map(row).join('') + (edited.length === 0 ? '' : theirs);
}

function row({ n, status, bad, by, day, tick, parent, cause, applied, retired, runs }: Row): string {
  const why = bad === null ? '' : `: ${bad.cause}, ${bad.to === null ? 'never in force' : `back to ${bad.to}`}`;
  const from = n === 0 ? '' : `, from ${parent}`;
  const lines = [
    `${n} ${status}${why}; by ${by === 'loop' ? 'the loop' : 'a person'}, ${day} tick ${tick}${from}: ${quoted(cause)}`,
    ...applied.map(({ id, rule }) => `   + ${id} "${quoted(rule)}"`),
    ...retired.map(({ id, rule }) => `   - ${id} "${quoted(rule)}"`),
    `   ${runs.done} done, ${runs.failed} failed under it`,
  ];
  return `${lines.join('\n')}\n`;
}
