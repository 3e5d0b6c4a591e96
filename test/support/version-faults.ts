import { createHash } from 'node:crypto';
import { learningId, rulesIn } from '../../src/core/block.ts';
import type { Claim } from '../../src/core/model.ts';
import { activeOf, OWNED, type Owned, type Version } from '../../src/core/version.ts';
import { blockLines } from '../../src/formats/block.ts';
import { parseRules } from '../../src/formats/rules.ts';
import type { Disk } from '../../src/store/disk.ts';
import { readVersions } from '../../src/store/versions.ts';
import { Workspace } from '../../src/store/workspace.ts';

const FILES = ['contract.md', 'loop.md', 'manifest.json', 'why.md'];

/**
 * What must hold of versions, blocks and ledger whenever a loop rests.
 *
 * @param entries lines of the reflection's whole blocks
 */
export function versionFaults(disk: Disk, root: string, entries: readonly string[]): string[] {
  const workspace = new Workspace(root);
  const versions = readVersions(disk, workspace, true);
  const blocks = OWNED.map((file) => blockLines(textAt(disk, workspace.path(file))));
  const bad = versions.flatMap((version) => [
    ...madeFaults(disk, workspace, version),
    ...(versions.some(({ n }) => n === version.parent) ? [] : ['a version has no parent']),
    ...toldFaults(version, entries),
  ]);
  const active = activeOf(versions);
  if (active !== null && OWNED.some((file, index) => active.blocks[file].join('\n') !== blocks[index]?.join('\n')))
    bad.push('the files do not hold the active version');
  const numbers = new Set(versions.map(({ n }) => n));
  const invented = entries.some((line) => {
    const n = /^- (?:applied L\d+ as|took out R-\d+ as|took) version (\d+)\b/.exec(line)?.[1];
    return n !== undefined && !numbers.has(Number(n));
  });
  if (invented) bad.push('a version is told that was never made');
  return [...new Set([...bad, ...claimFaults(disk, workspace, versions), ...ledgerFaults(disk, workspace, blocks)])];
}

const textAt = (disk: Disk, path: string): string => disk.read(path)?.toString('utf8') ?? '';

/** Its manifest was made last: with it everything else is there, as it says. */
function madeFaults(disk: Disk, workspace: Workspace, { n }: Version): string[] {
  const folder = workspace.path('versions', String(n).padStart(4, '0'));
  const there = disk.list(folder);
  if (!FILES.every((file) => there.includes(file))) return ['a version is half made'];
  if (there.some((file) => file.includes('.tmp-'))) return ['a temporary file is left in a version'];
  const { sha256 } = JSON.parse(textAt(disk, `${folder}/manifest.json`)) as { sha256: Record<Owned, string> };
  const isAsMade = OWNED.every((file) => {
    const lines = blockLines(textAt(disk, `${folder}/${file}`)).map((line) => `${line}\n`);
    return createHash('sha256').update(lines.join('')).digest('hex') === sha256[file];
  });
  return isAsMade ? [] : ['a version is not what its manifest says'];
}

/** What came in, and what was taken back, is told once: by its tick, or by the entry of one that was killed. */
function toldFaults({ n, applied, by, bad }: Version, entries: readonly string[]): string[] {
  const told = (start: string) => entries.filter((line) => line.startsWith(`- ${start}`)).length;
  const came = applied.map((id) => told(`applied ${id} as version ${n}:`));
  const isMet = bad?.cause === 'conflict';
  return [
    ...(came.every((times) => times === (isMet ? 0 : 1)) ? [] : ['what was applied is not told exactly once']),
    ...(told(`version ${n} met your edit `) === (isMet ? 1 : 0) ? [] : ['a conflict is not told exactly once']),
    ...(told(`took version ${n} back `) === (bad === null || isMet ? 0 : 1)
      ? []
      : ['a rollback is not told exactly once']),
    ...(told(`version ${n} is yours`) === (by === 'human' && n > 0 ? 1 : 0)
      ? []
      : ['a version of a person is not told exactly once']),
  ];
}

/** Nothing is started under a version that was taken back. */
function claimFaults(disk: Disk, workspace: Workspace, versions: readonly Version[]): string[] {
  return disk.list(workspace.path('batches')).flatMap((batch) => {
    const claim = JSON.parse(textAt(disk, workspace.path('batches', batch, 'claim.json')) || 'null') as Claim | null;
    const bad = versions.find(({ n }) => n === claim?.version)?.bad;
    return claim !== null && bad != null && bad.tick <= claim.tick ? ['a bad version is at work'] : [];
  });
}

/** Every learning is in exactly one place, and the ledger says which. */
function ledgerFaults(disk: Disk, workspace: Workspace, blocks: readonly string[][]): string[] {
  const rules = parseRules(textAt(disk, workspace.rules()), 'rules.yaml');
  const inBlocks = blocks.flatMap(rulesIn).map(({ id }) => learningId(id));
  const bad = rules.flatMap(({ id, state }) => {
    const there = inBlocks.filter((each) => each === id).length;
    if (there > 1) return ['a rule is there twice'];
    return (there === 1) === (state === 'applied' || state === 'kept')
      ? []
      : [`${state} in rules.yaml, but ${there} lines`];
  });
  return inBlocks.every((id) => rules.some((rule) => rule.id === id)) ? bad : [...bad, 'a rule nobody recorded'];
}
