import { OWNED } from '../../../src/core/version.ts';
import { blockLines } from '../../../src/formats/block.ts';
import { parseRules } from '../../../src/formats/rules.ts';
import { readVersions } from '../../../src/store/versions.ts';
import { Workspace } from '../../../src/store/workspace.ts';
import { type Edited, ITEMS, OWN_LINE } from './scenario.ts';
import type { SimDisk } from './sim-disk.ts';

/** @returns every promise about rules and versions that is broken when the backlog rests. */
export function badRules(disk: SimDisk, edited: Edited, told: readonly { text: string }[]): string[] {
  const bad: string[] = [];
  const read = (path: string) => disk.read(`/w/.jez/${path}`)?.toString() ?? '';
  const count = (texts: readonly string[], part: string) => texts.filter((text) => text.includes(part)).length;
  const lines = OWNED.flatMap((file) => blockLines(read(file)));
  const entries = told.flatMap(({ text }) => text.split('\n'));
  const rules = parseRules(read('rules.yaml'), 'rules.yaml');

  for (const name of ITEMS) {
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
  bad.push(...badVersions(disk, lines, entries));
  return bad;
}

function badVersions(disk: SimDisk, lines: readonly string[], entries: readonly string[]): string[] {
  const bad: string[] = [];
  const versions = readVersions(disk, new Workspace('/w'), true);
  if (versions.filter(({ n, by }) => n > 0 && by === 'human').length > 1)
    bad.push('a person is said to have done what nobody did');
  const active = versions.findLast((version) => version.bad === null);
  const expected = OWNED.flatMap((file) => active?.blocks[file] ?? []);
  if (expected.join('\n') !== lines.join('\n')) bad.push('the files do not hold the active version');
  for (const { n, parent, bad: why } of versions) {
    const files = disk.list(`/w/.jez/versions/${String(n).padStart(4, '0')}`);
    if (!['contract.md', 'loop.md', 'manifest.json', 'why.md'].every((file) => files.includes(file)))
      bad.push('a version is half made');
    if (!versions.some((version) => version.n === parent)) bad.push('a version has no parent');
    const told = entries.filter((line) => line.startsWith(`- took version ${n} back `)).length;
    if (told !== (why?.cause === 'failures' ? 1 : 0)) bad.push('a version taken back is not told exactly once');
  }
  return bad;
}
