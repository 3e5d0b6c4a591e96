import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Result } from '../core/model.ts';
import type { Disk } from '../store/disk.ts';
import { packageRoot } from '../store/package.ts';
import type { Workspace } from '../store/workspace.ts';
import { readJson } from '../store/write.ts';

/** One line of a findings.json, as the docs sweep writes it. */
export interface Finding {
  line: number;
  rule: string;
  message: string;
  /** The link as it was written, for rules about links. */
  target?: string;
}

/** The docs sweep's own look at one page. */
export type Check = (
  page: { path: string; text: string },
  project: { has(path: string): boolean; read(path: string): string | null },
) => Finding[];

/** What the last finished run found on a page. */
export interface Checked {
  page: string;
  run: number;
  findings: Finding[];
}

/** The worker is a file of its own that projects copy, so it is no part of the bundle. */
export async function sweepCheck(): Promise<Check> {
  const file = join(packageRoot(), 'contracts', 'workers', 'docs-sweep.mjs');
  const { check } = (await import(pathToFileURL(file).href)) as { check: Check };
  return check;
}

/** @returns the pages that were checked, each once, by the number of their run. */
export function readChecked(disk: Disk, workspace: Workspace): Checked[] {
  const last = new Map<string, Checked>();
  for (const name of disk.list(workspace.path('runs'))) {
    const result = readJson<Result>(disk, workspace.path('runs', name, 'result.json'));
    if (result?.outcome !== 'done') continue;
    const file = workspace.path('runs', name, 'files', 'findings.json');
    const { findings } = readJson<{ findings: Finding[] }>(disk, file) ?? { findings: [] };
    last.set(result.item, { page: result.item, run: result.run, findings });
  }
  return [...last.values()];
}

/** @returns rules with how often they were broken and one example, the most frequent first. */
export function byRule(checked: readonly Checked[]): { rule: string; count: number; example: string }[] {
  const rules = new Map<string, { rule: string; count: number; example: string }>();
  for (const { page, findings } of checked) {
    for (const { rule, line, target } of findings) {
      const known = rules.get(rule) ?? { rule, count: 0, example: `${page}:${line} ${target ?? ''}`.trimEnd() };
      known.count += 1;
      rules.set(rule, known);
    }
  }
  return [...rules.values()].sort((left, right) => right.count - left.count);
}

/** @returns up to `most` pages with findings, those with the most first. */
export const worst = (checked: readonly Checked[], most: number): Checked[] =>
  checked
    .filter(({ findings }) => findings.length > 0)
    .sort((left, right) => right.findings.length - left.findings.length)
    .slice(0, most);
