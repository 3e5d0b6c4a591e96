import { posix } from 'node:path';
import type { Item } from '../core/model.ts';
import { isPrivateFolder } from '../core/private-folders.ts';
import { PawlError } from '../errors.ts';
import { isSettled } from '../store/names.ts';
import { lookAt, whole } from './checklist-item.ts';
import { judgeTask, markTask, nothingKnown } from './checklist-mark.ts';
import { type Memory, unmarked } from './checklist-pending.ts';
import { findPlaces, type ListFile, readAll, stampNow, steadily } from './checklist-scan.ts';
import type { Filed, Filing, OpenSource, SourceContext } from './source.ts';
import { plainSteps } from './walk.ts';

/** Tasks of a Markdown list in one file; the mark is the x in a task's box. The id is the task's own, or made from its text. */
const openChecklist: OpenSource = (context) => {
  const file = listFile(context);
  const memory: Memory = { cache: context.workspace.cache('checklist'), whole: null };
  const known = nothingKnown();

  return {
    async *pending(after) {
      yield* unmarked(file, memory, after ?? null);
    },
    read: async (id) => readTask(file, id),
    async look(batch) {
      known.stamp = '';
      return batch.map((filing) => filedAs(filing, judgeTask(file, known, filing, idsOf(batch)).as));
    },
    async file(batch) {
      return batch.map((filing) => filedAs(filing, markTask(file, known, filing, idsOf(batch))));
    },
    count: async () => countTasks(file),
    folders: () => (isWhole(file, memory) ? [file.path] : []),
  };
};

export default openChecklist;

const idsOf = (batch: readonly Filing[]): string[] => batch.map(({ item }) => item);
const filedAs = ({ item, run }: Filing, as: Filed['as']): Filed => ({ item, run, as, kept: [] });

/** @throws PawlError `E_FORMAT` for settings that this kind can't do, `E_OUTSIDE` for a path that leads out of the root. */
function listFile({ disk, workspace, procedure: { source } }: SourceContext): ListFile {
  const { mark, write } = source;
  const name = posix.normalize(source.path);
  const wanted = (key: string, what: string) =>
    new PawlError('E_FORMAT', `source.${key} ${what}`, { at: '.jez/loop.md' });
  if (source.path === '' || /[*?]|\/$/.test(name))
    throw wanted('path', `should be one file, such as TODO.md, got ${JSON.stringify(source.path)}`);
  if (write.length > 0) throw wanted('write', 'should be empty: a line of a checklist has no fields, only its box');
  if (mark.value !== null || mark.field !== 'checked')
    throw wanted('mark', 'should be left out: the mark of a task is the x in its box');
  const path = workspace.inRoot(name);
  const folders = name.split('/').slice(0, -1);
  if (folders.some(isPrivateFolder)) throw wanted('path', `should lie outside of ${folders.find(isPrivateFolder)}`);
  if (plainSteps(disk, workspace.root, folders).length < folders.length)
    throw wanted('path', `should lead through folders that are there, and no links, got "${name}"`);
  return { disk, path, name };
}

function readTask(file: ListFile, id: string): Item | null {
  return steadily(file, () => {
    const places = findPlaces(file, [id]).places.get(id) ?? [];
    const [place] = places;
    const seen = place === undefined ? null : lookAt(file, place);
    return place === undefined || seen === null
      ? null
      : whole(
          file,
          place,
          seen,
          places.map(({ line }) => line),
        );
  });
}

function countTasks(file: ListFile): { done: number; total: number } {
  return steadily(file, () => {
    const found = { done: 0, total: 0 };
    readAll(file, ({ box }) => {
      found.total += 1;
      if (box === 'done') found.done += 1;
    });
    return found;
  });
}

/** Has a round come to its end in this very file, which has stood still since before? */
function isWhole(file: ListFile, { whole }: Memory): boolean {
  const stat = file.disk.stat(file.path);
  if (stat === null || whole === null || whole.since === null) return false;
  return isSettled(stat, whole.since) && stampNow(file) === whole.stamp;
}
