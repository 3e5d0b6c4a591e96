import { withoutComments } from '../core/comments.ts';
import type { ContractParts } from '../core/contract.ts';
import { aroundBlock } from './block.ts';
import { sectionsOf } from './sections.ts';

const TOLD = ['Cohort', 'Done when', 'Boundary', 'Procedure'];

/** Takes contract.md and the body of loop.md apart into what agents are told; comments never reach them. */
export function contractParts(contract: string, loopBody: string): ContractParts {
  const { before, after } = aroundBlock(plain(contract));
  const around = aroundBlock(plain(loopBody));
  const sections = sectionsOf(withoutComments(around.before + around.after));
  const told = TOLD.flatMap((title) =>
    sections
      .filter((section) => section.title.toLowerCase() === title.toLowerCase())
      .map((section) => `## ${title}\n\n${section.text}`),
  );
  return { before: withoutComments(before), after: withoutComments(after), told: told.join('\n\n') };
}

const plain = (text: string) => text.replaceAll('\r\n', '\n');
