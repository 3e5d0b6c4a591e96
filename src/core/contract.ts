import { withoutComments } from './comments.ts';
import type { Blocks } from './version.ts';

/** What an agent is told, without the loop's own lines. Line ends are `\n`, comments are gone. */
export interface ContractParts {
  /** contract.md in front of its block and behind it. */
  before: string;
  after: string;
  /** The sections of loop.md that agents are told. */
  told: string;
}

/**
 * The text an agent works by: contract.md with its rules, the sections of loop.md, and the rules of loop.md.
 *
 * The same parts give the same bytes, so that a provider's cache holds.
 */
export function printContract({ before, after, told }: ContractParts, blocks: Blocks): string {
  const lines = (file: keyof Blocks) => withoutComments(blocks[file].map((line) => `${line}\n`).join(''));
  return [before + lines('contract.md') + after, told, lines('loop.md')]
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}
