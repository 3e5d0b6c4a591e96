import type { Procedure } from '../core/model.ts';
import { PawlError } from '../errors.ts';
import { takeBlock } from './block.ts';
import { fieldsOf } from './fields.ts';
import { type Known, readProcedure } from './procedure.ts';
import { type Section, sectionsOf, withoutComments } from './sections.ts';
import { decode, frontMatter } from './text.ts';
import { readYaml } from './yaml.ts';

interface Loop {
  procedure: Procedure;
  /** Keys nobody reads, `caps.per_hour`, for `doctor` to tell. */
  unknown: { key: string; at: string }[];
  /** Of the body, without comments. */
  sections: Section[];
  /** Everything below the front matter, to the letter. */
  body: string;
}

/**
 * Reads loop.md: the person's settings, defaults filled in, and the text below.
 *
 * A cap left out is the safe default, never "unlimited"; 0 means none. What this version can't do is refused, not passed over.
 * @param known the kinds of sources and executors there are.
 * @throws PawlError `E_FORMAT` with file:line:col, what was wanted and what was there.
 */
export function parseLoop(bytes: Uint8Array, file: string, known: Known): Loop {
  const content = decode(bytes, file);
  const found = frontMatter(file, content);
  if (found === null)
    throw new PawlError(
      'E_FORMAT',
      'settings between two `---` lines should come first: `pawl init` puts them above the text and keeps every byte of it',
      { at: `${file}:1:1` },
    );
  const loop = fieldsOf(found, readYaml(found));
  const unknown: Loop['unknown'] = [];
  const procedure = readProcedure(loop, known, (fields, name, keys) => {
    for (const key of fields.keys) if (!keys.includes(key)) unknown.push({ key: name + key, at: fields.place(key) });
  });
  const body = content.slice(found.after);
  return { procedure, unknown, sections: sectionsOf(withoutComments(body)), body };
}

/**
 * What an agent is told: contract.md, then loop.md's Cohort, Done when, Boundary and Procedure, then the lines the loop has learned.
 *
 * Comments never reach an agent. The same texts give the same bytes, so that a provider's cache holds.
 */
export function contractText(contract: string | null, loopBody: string): string {
  const block = takeBlock(loopBody);
  const sections = sectionsOf(withoutComments(block?.rest ?? loopBody));
  const told = ['Cohort', 'Done when', 'Boundary', 'Procedure'].flatMap((title) =>
    sections
      .filter((section) => section.title.toLowerCase() === title.toLowerCase())
      .map((section) => `## ${title}\n\n${section.text}`),
  );
  return [withoutComments(contract ?? ''), ...told, withoutComments(block?.text ?? '')]
    .map((part) => part.replaceAll('\r\n', '\n').trim())
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}
