import type { Item } from '../core/model.ts';
import { codeOf, PawlError } from '../errors.ts';
import { byBytes } from '../store/disk.ts';
import { foldersOf, idsBehind, type Place } from './listing.ts';
import { judgeMove, type MoveVerdict, nothing } from './move-filing.ts';
import { openItem, readItem, type Wanted } from './move-item.ts';
import { donePattern, isOpenPath, namesOf, openPathOf, type Route, readRoute } from './move-route.ts';
import { perform } from './move-step.ts';
import type { Filed, Filing, OpenSource, SourceContext } from './source.ts';
import { walk } from './walk.ts';

const MOST_FOLDERS = 200;
const TRIES = 3;

/** One file per item; a done one lies in another folder, at the same path below it. The id is the path before that, from the root. */
const openMove: OpenSource = (context) => {
  const { disk, workspace, procedure } = context;
  const route = readRoute(context);
  const donePlace: Place = { disk, workspace, pattern: donePattern(route) };
  const wanted: Wanted = { route, spec: procedure.source };
  /** Moves that `look` found interrupted: done, though the old name is there until they are filed. */
  const interrupted = new Set<string>();

  return {
    async *pending(after) {
      yield* open(wanted, interrupted, after ?? null, null);
      if (after !== undefined) yield* open(wanted, interrupted, null, after);
    },
    read: (id) => readItem(wanted, id),
    async look(batch) {
      const filed: Filed[] = [];
      for (const filing of batch) {
        const { verdict } = await judgeNow(context, route, filing);
        if (verdict.step === 'finish') interrupted.add(filing.item);
        filed.push(filedAs(filing, verdict));
      }
      return filed;
    },
    async file(batch) {
      const filed: Filed[] = [];
      for (const filing of batch) filed.push(filedAs(filing, await fileOne(context, route, filing)));
      return filed;
    },
    async count() {
      const done = await countDone(route, donePlace);
      return { done, total: done + (await countOpen(wanted)) };
    },
    folders() {
      const sides = [route, donePlace].map((place) => foldersOf(place, MOST_FOLDERS));
      return sides.some(({ length }) => length === 0) ? [] : [...new Set(sides.flat())];
    },
  };
};

export default openMove;

/** Items that are not done behind `after`, up to and with `until`. Each is looked at here and now. */
async function* open(
  wanted: Wanted,
  interrupted: ReadonlySet<string>,
  after: string | null,
  until: string | null,
): AsyncGenerator<Item> {
  const free = new Set<string>();
  for await (const ids of idsBehind(wanted.route, after)) {
    for (const id of ids) {
      if (until !== null && byBytes(id, until) > 0) return;
      const item = isOpenPath(wanted.route, id) && !interrupted.has(id) ? openItem(wanted, id, free) : null;
      if (item !== null) yield item;
    }
  }
}

async function fileOne(context: SourceContext, route: Route, filing: Filing): Promise<MoveVerdict> {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const { names, verdict } = await judgeNow(context, route, filing);
    if (names === null || perform(context, names, filing.item, verdict)) return verdict;
  }
  throw new PawlError('E_CHANGED', 'this file keeps changing while it is to be moved', { at: filing.item });
}

async function judgeNow({ disk }: SourceContext, route: Route, filing: Filing) {
  const { splitItem } = await import('../formats/front-matter.ts');
  const names = namesOf(route, filing.item);
  if (names === null) return { names, verdict: nothing('gone') };
  const values = (bytes: Uint8Array) => splitItem(bytes, filing.item).fields;
  function read(path: string): Buffer {
    const bytes = disk.read(path);
    if (bytes === null) throw new PawlError('E_CHANGED', 'this file went while it was looked at', { at: filing.item });
    return bytes;
  }
  try {
    return { names, verdict: judgeMove(names, read, filing, values) };
  } catch (error) {
    // Front matter, theirs or the run's, that can't be read: nothing can be set in it, and the next pass says why.
    if (codeOf(error) !== 'E_FORMAT') throw error;
    return { names, verdict: nothing('superseded') };
  }
}

const filedAs = ({ item, run }: Filing, { as, kept }: MoveVerdict): Filed => ({ item, run, as, kept });

async function countDone(route: Route, { disk, workspace, pattern }: Place): Promise<number> {
  const { matcher } = await import('../store/globs.ts');
  const matches = matcher([route.pattern.glob]);
  let done = 0;
  for (const path of walk({ disk, root: workspace.root, pattern }, null, () => true)) {
    const id = openPathOf(route, path);
    if (id !== null && matches(id)) done += 1;
  }
  return done;
}

async function countOpen(wanted: Wanted): Promise<number> {
  let count = 0;
  for await (const _ of open(wanted, new Set(), null, null)) count += 1;
  return count;
}
