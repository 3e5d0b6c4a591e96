import { dirname } from 'node:path';
import type { Item, MarkSpec } from '../core/model.ts';
import { codeOf, PawlError } from '../errors.ts';
import { byBytes } from '../store/disk.ts';
import { putIfUnchanged } from '../store/write.ts';
import { judge, type Verdict } from './filing.ts';
import { headIn, headingIn, listed, readHead } from './item-file.ts';
import { foldersOf, idsBehind, type Place } from './listing.ts';
import type { Filed, Filing, OpenSource, SourceContext } from './source.ts';
import { plainSteps, readPattern } from './walk.ts';

const MOST_FOLDERS = 200;
const TRIES = 3;

/** One file per item; the mark is a key of its front matter. The id is the file's path from the root. */
const openFolder: OpenSource = (context) => {
  const { disk, workspace, procedure } = context;
  const { mark: spec, path } = procedure.source;
  const place: Place = { disk, workspace, pattern: readPattern(path, workspace) };

  return {
    async *pending(after) {
      yield* unmarked(place, spec, after ?? null, null);
      if (after !== undefined) yield* unmarked(place, spec, null, after);
    },
    read: (id) => readItem(place, spec, id),
    async look(batch) {
      const filed: Filed[] = [];
      for (const filing of batch) filed.push(filedAs(filing, (await judgeNow(context, filing)).verdict));
      return filed;
    },
    async file(batch) {
      const filed: Filed[] = [];
      for (const filing of batch) filed.push(filedAs(filing, await fileOne(context, filing)));
      return filed;
    },
    async count() {
      const found = { done: 0, total: 0 };
      for await (const ids of idsBehind(place, null)) {
        for (const id of ids) {
          const head = readHead(disk, workspace.root, id, spec);
          if (head !== null) found.total += 1;
          if (head?.mark.kind === 'done') found.done += 1;
        }
      }
      return found;
    },
    folders: () => foldersOf(place, MOST_FOLDERS),
  };
};

export default openFolder;

/** Unmarked items behind `after`, up to and with `until`. Each head is read here and now. */
async function* unmarked(place: Place, spec: MarkSpec, after: string | null, until: string | null) {
  for await (const ids of idsBehind(place, after)) {
    for (const id of ids) {
      if (until !== null && byBytes(id, until) > 0) return;
      const head = readHead(place.disk, place.workspace.root, id, spec);
      if (head?.mark.kind === 'todo' || head?.mark.kind === 'refused') yield listed(id, head);
    }
  }
}

async function readItem({ disk, workspace }: Place, spec: MarkSpec, id: string): Promise<Item | null> {
  const path = plainFile({ disk, workspace }, id);
  const bytes = path === null ? null : disk.read(path);
  if (bytes === null) return null;
  const item = listed(id, headIn(bytes, spec));
  if (item.refused !== null) return item;
  const { splitItem } = await frontMatter();
  try {
    const { fields, body } = splitItem(bytes, id);
    const title = typeof fields.title === 'string' && fields.title.trim() !== '' ? fields.title : headingIn(body);
    return { ...item, title: title ?? id, body, fields };
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    return { ...item, refused: error.message };
  }
}

/** Writes what the rules say, and looks again when the file changes under its hands. */
async function fileOne(context: SourceContext, filing: Filing): Promise<Verdict> {
  const { disk, keep } = context;
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const { path, current, verdict } = await judgeNow(context, filing);
    // It may have been this call's forerunner, killed before the name of the new file was safe.
    if (verdict.as === 'already') disk.syncFolder(dirname(path));
    if (verdict.bytes === null || putIfUnchanged(disk, path, current, verdict.bytes, () => keep(path))) return verdict;
  }
  throw new PawlError('E_CHANGED', `this file keeps changing while its mark is to be set`, { at: filing.item });
}

async function judgeNow(context: SourceContext, filing: Filing) {
  const { disk, workspace, procedure } = context;
  const { splitItem } = await frontMatter();
  const path = workspace.inRoot(filing.item);
  const current = plainFile(context, filing.item) === null ? null : disk.read(path);
  try {
    const values = (bytes: Uint8Array) => splitItem(bytes, filing.item).fields;
    return { path, current, verdict: judge(current, filing, procedure.source.mark, values) };
  } catch (error) {
    // Front matter, theirs or the run's, that can't be read: nothing can be set in it, and the next pass says why.
    if (codeOf(error) !== 'E_FORMAT') throw error;
    return { path, current, verdict: { as: 'superseded', kept: [], bytes: null } satisfies Verdict };
  }
}

const filedAs = ({ item, run }: Filing, { as, kept }: Verdict): Filed => ({ item, run, as, kept });

/** Loaded only for items that are claimed: with its packages it costs more than a whole tick that does nothing. */
const frontMatter = () => import('../formats/front-matter.ts');

/** @returns the absolute path of an item, or null when it is no file, or reached through a link or a private folder. */
function plainFile({ disk, workspace }: Pick<SourceContext, 'disk' | 'workspace'>, id: string): string | null {
  const path = workspace.inRoot(id);
  const folders = id.split('/').slice(0, -1);
  const isPlain = plainSteps(disk, workspace.root, folders).length === folders.length;
  return isPlain && disk.stat(path)?.kind === 'file' ? path : null;
}
