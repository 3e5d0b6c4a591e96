import { learningId } from '../core/block.ts';
import { runName } from '../core/entry.ts';
import type { Rule } from '../core/rule.ts';
import { quoted } from '../core/text.ts';
import { OWNED, type Owned, type Version } from '../core/version.ts';

/** `why.md` of a version: where it came from, for people. */
export function printWhy(
  { n, parent, by, tick, day, cause, applied, retired }: Omit<Version, 'blocks' | 'bad'>,
  digests: Record<Owned, string>,
  rules: readonly Rule[],
): string {
  const find = (id: string) => rules.find((rule) => rule.id === id);
  const lines = [
    `- parent: version ${parent}`,
    `- made by: ${by === 'loop' ? 'the loop' : 'a person'}, in tick ${tick} of ${day}`,
    `- cause: ${quoted(cause)}`,
    ...applied.map((id) => `- came in: ${id} ${from(find(id))}`),
    ...retired.map((id) => `- went out: ${id} "${quoted(find(learningId(id))?.rule ?? '')}"`),
    ...OWNED.map((file) => `- ${file}: sha256 of its rules ${digests[file]}`),
  ];
  return `# Version ${n}\n\n${lines.join('\n')}\n`;
}

function from(rule: Rule | undefined): string {
  if (rule === undefined) return '';
  const runs = rule.runs.map(runName).join(', ');
  const items = rule.items.map((item) => quoted(item, 120)).join(', ');
  return `"${quoted(rule.rule)}"${runs === '' ? '' : `, from run ${runs} on ${items}`}`;
}
