import { quoted } from '../core/text.ts';
import { realMachine } from '../engine/machine.ts';
import { type Diff, diffVersions } from '../engine/versions.ts';
import { PawlError } from '../errors.ts';
import { Workspace } from '../store/workspace.ts';
import type { Command } from './command.ts';
import { json } from './print.ts';

const WIDE = 400;

const command: Command = {
  summary: 'which rules differ between two versions',
  help: `
pawl diff [<a> [<b>]] [--json] [--dir <folder>]

  pawl diff       the version in force against the one it came from
  pawl diff 6     version 6 against the one it came from
  pawl diff 0 7   all that was learned from the text as it came to version 7

Only lines between the markers in contract.md and loop.md are versions. --json: {v, from, to, files: [{file, lines: [{op, text}]}]}.`,
  options: { json: { type: 'boolean' } },
  positionals: ['a?', 'b?'],

  async run({ root, values, positionals: [a, b], out }) {
    const found = diffVersions(realMachine.disk, new Workspace(root()), toNumber(a), toNumber(b));
    out(values.json === true ? json(found) : print(found));
    return 0;
  },
};

export default command;

function toNumber(given: string | undefined): number | null {
  if (given === undefined) return null;
  if (/^\d{1,6}$/.test(given)) return Number(given);
  throw new PawlError('E_USAGE', `a version is a number, such as 6; got ${quoted(given, 40)}`);
}

function print({ from, to, files }: Diff): string {
  if (files.length === 0) {
    const why =
      from === to ? `version ${to} is compared with itself` : `versions ${from} and ${to} have the same rules`;
    return `nothing differs: ${to === 0 && from === 0 ? 'version 0 is the text as it came' : why}\n`;
  }
  const parts = files.map(
    ({ file, lines }) => `${file}\n${lines.map(({ op, text }) => `${op} ${quoted(text, WIDE)}\n`).join('')}`,
  );
  return `version ${from} to ${to}\n${parts.join('')}`;
}
