import { PawlError } from '../errors.ts';
import type { OpenSource, Source, SourceContext } from './source.ts';

/** One line per kind. Each is loaded only when loop.md names it. */
const sources: Record<string, () => Promise<{ default: OpenSource }>> = {
  folder: () => import('./folder.ts'),
  move: () => import('./move.ts'),
  checklist: () => import('./checklist.ts'),
  table: () => import('./table.ts'),
  command: () => import('./command.ts'),
};

/** The kinds a person may write under `source.kind`. */
export const sourceNames: readonly string[] = Object.keys(sources);

/** @throws PawlError `E_FORMAT` for a kind that is not there, and what opening that kind throws. */
export async function openSource(context: SourceContext): Promise<Source> {
  const { kind } = context.procedure.source;
  const load = Object.hasOwn(sources, kind) ? sources[kind] : undefined;
  if (load === undefined)
    throw new PawlError(
      'E_FORMAT',
      `source.kind should be one of ${sourceNames.join(', ')}, got ${JSON.stringify(kind)}`,
      {
        at: '.jez/loop.md',
      },
    );
  return (await load()).default(context);
}
