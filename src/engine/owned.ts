import { type Blocks, OWNED, type Owned } from '../core/version.ts';
import { findBlock } from '../formats/block.ts';
import type { Section } from '../formats/sections.ts';
import type { Disk } from '../store/disk.ts';
import { shipped } from '../store/package.ts';
import type { Texts } from '../store/versions.ts';
import type { Workspace } from '../store/workspace.ts';

/** The two files of which the loop owns a block, as they are. */
export interface OwnedNow {
  texts: Texts;
  blocks: Blocks;
  /** What is wrong with a file, beginning with its name, or null. */
  broken: string | null;
  /** Why nothing may be changed in them, or null. */
  refusal: string | null;
}

/** Where a project has no contract.md of its own the shipped text holds, and becomes its own with the first rule. */
export const readOwned = (disk: Disk, workspace: Workspace, file: Owned): Buffer | null =>
  disk.read(workspace.path(file));

export const textOf = (file: Owned, bytes: Buffer | null): string =>
  bytes?.toString('utf8') ?? (file === 'contract.md' ? shipped('contract.md') : '');

export function lookAtOwned(disk: Disk, workspace: Workspace, sections: readonly Section[]): OwnedNow {
  const seen = OWNED.map((file) => lookAt(file, readOwned(disk, workspace, file)));
  const hasBoundary = sections.some(({ title, text }) => title.toLowerCase() === 'boundary' && text !== '');
  const broken = seen.find(({ wrong }) => wrong !== null)?.wrong ?? null;
  return {
    texts: Object.fromEntries(seen.map(({ file, text }) => [file, text])) as Texts,
    blocks: Object.fromEntries(seen.map(({ file, lines }) => [file, lines])) as Blocks,
    broken,
    refusal: hasBoundary ? broken : 'loop.md has no Boundary section',
  };
}

function lookAt(file: Owned, bytes: Buffer | null) {
  const text = textOf(file, bytes);
  const block = findBlock(text);
  // Written back, such a text would lose bytes.
  const isText = bytes === null || Buffer.from(text).equals(bytes);
  const wrong = typeof block === 'string' ? `${file}: ${block}` : isText ? null : `${file} is not UTF-8`;
  return { file, text, lines: block === null || typeof block === 'string' ? [] : block.lines, wrong };
}
