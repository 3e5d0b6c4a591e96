import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Item, MarkSpec, Procedure, SourceSpec } from '../../src/core/model.ts';
import { openSource } from '../../src/sources/index.ts';
import type { Filing, Source } from '../../src/sources/source.ts';
import { type Disk, realDisk } from '../../src/store/disk.ts';
import { Workspace } from '../../src/store/workspace.ts';

export const DATE_MARK: MarkSpec = { field: 'checked', value: null, todo: [] };

/** A source opened on real files; `kept` lists what it asked to keep in history/. */
export async function open(root: string, spec: Partial<SourceSpec> = {}, disk: Disk = realDisk) {
  const kept: string[] = [];
  const settings = {
    kind: 'folder',
    path: 'docs/**/*.md',
    mark: DATE_MARK,
    write: [],
    id: null,
    to: null,
    run: [],
    env: [],
    ...spec,
  };
  const procedure = { source: settings } as unknown as Procedure;
  const workspace = new Workspace(root);
  const source = await openSource({ disk, workspace, procedure, keep: (path) => kept.push(path) });
  return { source, kept };
}

/** What is pending, up to `most` items. */
export async function pending(source: Source, after?: string, most = Number.POSITIVE_INFINITY): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of source.pending(after)) {
    items.push(item);
    if (items.length >= most) break;
  }
  return items;
}

export const idsOf = (items: Item[]) => items.map(({ id }) => id);

/** A run's wish to be filed that started from the item as it is now. */
export function filing(root: string, item: string, more: Partial<Filing> = {}): Filing {
  const seen = createHash('sha256')
    .update(readFileSync(join(root, item)))
    .digest('hex');
  const base = { files: { [item]: seen }, fields: {} };
  return { item, run: 42, base, ownBytes: null, fields: {}, day: '2026-06-09', ...more };
}
