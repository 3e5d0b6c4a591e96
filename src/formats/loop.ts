import { withoutComments } from '../core/comments.ts';
import type { Procedure } from '../core/model.ts';
import { PawlError } from '../errors.ts';
import { fieldsOf } from './fields.ts';
import { type Known, readProcedure } from './procedure.ts';
import { type Section, sectionsOf } from './sections.ts';
import { decode, frontMatter } from './text.ts';
import { readNodes } from './yaml.ts';

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
  const loop = fieldsOf(found, readNodes(found));
  const unknown: Loop['unknown'] = [];
  const procedure = readProcedure(loop, known, (fields, name, keys) => {
    for (const key of fields.keys) if (!keys.includes(key)) unknown.push({ key: name + key, at: fields.place(key) });
  });
  const body = content.slice(found.after);
  return { procedure, unknown, sections: sectionsOf(withoutComments(body)), body };
}
