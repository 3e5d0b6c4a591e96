import { OWNED } from '../../../src/core/version.ts';
import { blockLines } from '../../../src/formats/block.ts';
import { parseRules } from '../../../src/formats/rules.ts';
import { versionFaults } from '../version-faults.ts';
import type { SimDisk } from './sim-disk.ts';

export const OWN_LINE = '- My own line.';

/** What the person has done so far, remembered outside the disk. */
export interface Edited {
  setting: boolean;
  block: boolean;
}

/** @returns every promise about rules and versions that is broken when the backlog rests. */
export function badRules(
  disk: SimDisk,
  items: readonly string[],
  edited: Edited,
  told: readonly { text: string }[],
): string[] {
  const bad: string[] = [];
  const read = (path: string) => disk.read(`/w/.jez/${path}`)?.toString() ?? '';
  const count = (texts: readonly string[], part: string) => texts.filter((text) => text.includes(part)).length;
  const lines = OWNED.flatMap((file) => blockLines(read(file)));
  const entries = told.flatMap(({ text }) => text.split('\n'));
  const rules = parseRules(read('rules.yaml'), 'rules.yaml');

  for (const name of items) {
    const rule = rules.find((each) => each.rule === `Remember ${name}.`);
    const there = count(lines, ` Remember ${name}.`);
    if (there > 1) bad.push('a rule is there twice');
    if (rule === undefined || ['held', 'queued'].includes(rule.state)) bad.push('a learning was never applied');
    if ((rule?.state === 'applied') !== (there === 1)) bad.push('rules.yaml differs from the blocks');
    if (name !== 'a' && (rule?.state === 'vetoed' || rule?.state === 'kept'))
      bad.push('a person is said to have done what nobody did');
    if (count(entries, `"Remember ${name}." (undo: pawl rollback`) !== 1) bad.push('a rule is not told exactly once');
  }
  const here = rules.find((rule) => rule.rule === 'Remember a.');
  if (edited.block && here?.state === 'applied') bad.push('a veto was not heeded');
  if (edited.block && lines.filter((line) => line === OWN_LINE).length !== 1) bad.push("a person's line is gone");
  if (edited.setting && !read('loop.md').includes('slice: 2 # mine\n')) bad.push("a person's setting is gone");
  const theirs = entries.filter((line) => / is yours\b/.test(line)).length;
  if (theirs > (edited.block ? 1 : 0)) bad.push('a person is said to have done what nobody did');
  return [...bad, ...versionFaults(disk, '/w', entries)];
}
