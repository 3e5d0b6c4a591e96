import type { Item } from '../core/model.ts';
import { PawlError } from '../errors.ts';
import { printRun } from '../formats/protocol.ts';
import type { Answer, ItemLine, Request } from '../formats/source-protocol.ts';
import { type Ask, asker, sourceError } from './command-call.ts';
import type { Filed, Filing, OpenSource } from './source.ts';

/** Items asked for at once: a slice, and what was tried before it. */
const WANT = 50;

/** Items that a program of the user's own lists and marks, in its own order and under its own ids. */
const openCommand: OpenSource = ({ workspace, procedure }) => {
  const { run, mark } = procedure.source;
  if (run.length === 0)
    throw new PawlError(
      'E_FORMAT',
      'source.run should be a program and its arguments, [node, .jez/sources/tickets.mjs], got nothing',
      { at: '.jez/loop.md' },
    );
  const ask = asker(procedure.source, workspace.root);
  const ruleOn = (op: 'look' | 'file') => (batch: Filing[]) => rule(ask, op, batch, mark.value);

  return {
    async *pending(after) {
      const seen = new Set<string>();
      yield* unmarked(ask, after || null, new Set(), seen);
      if (after) yield* unmarked(ask, null, seen, new Set());
    },
    async read(id) {
      const [answer, ...more] = await ask({ op: 'read', ids: [id] });
      if (answer === undefined || more.length > 0 || !('id' in answer) || answer.id !== id || answer.type === 'filed')
        throw sourceError('read', `one item or gone should be the answer for ${JSON.stringify(id)}`);
      return answer.type === 'gone' ? null : itemOf(answer, true);
    },
    look: ruleOn('look'),
    file: ruleOn('file'),
    async count() {
      const [answer, ...more] = await ask({ op: 'count' });
      if (answer?.type !== 'count' || more.length > 0) throw sourceError('count', 'one count should be the answer');
      return { done: answer.done, total: answer.total };
    },
    folders: () => [],
  };
};

export default openCommand;

/** Unmarked items behind `after`, up to the end or to one of `stop`. `seen` is filled with all ids of the list. */
async function* unmarked(
  ask: Ask,
  after: string | null,
  stop: ReadonlySet<string>,
  seen: Set<string>,
): AsyncGenerator<Item> {
  for (let from = after; ; ) {
    const { items, complete } = pageOf(await ask({ op: 'list', after: from, want: WANT }));
    const again = items.find(({ id }) => seen.has(id));
    // A program that does not heed `after` would be asked for ever.
    if (again !== undefined)
      throw sourceError('list', `${JSON.stringify(again.id)} was listed before: a list should go on behind "after"`);
    const twice = doubles(items);
    for (const line of items) {
      const { id } = line;
      if (stop.has(id)) return;
      seen.add(id);
      if (line.mark === null) yield twice.has(id) ? refusedTwice(line) : itemOf(line);
    }
    if (complete) return;
    const end = items.at(-1);
    if (end === undefined) throw sourceError('list', 'a list without an item should be complete');
    from = end.id;
  }
}

function doubles(items: ItemLine[]): Set<string> {
  const once = new Set<string>();
  const twice = new Set<string>();
  for (const { id } of items) (once.has(id) ? twice : once).add(id);
  return twice;
}

function pageOf(answers: Answer[]): { items: ItemLine[]; complete: boolean } {
  const end = answers.at(-1);
  const items = answers.slice(0, -1).filter((answer) => answer.type === 'item');
  if (end?.type !== 'end' || items.length !== answers.length - 1)
    throw sourceError('list', 'items, then one end should be the answer');
  return { items, complete: end.complete };
}

/** `whole` = with text and fields. */
function itemOf({ id, title, body, fields, mark, refused }: ItemLine, whole = false): Item {
  const why = refused === null ? null : `${id}: ${refused}`;
  return { id, title, path: null, mark, refused: why, ...(whole ? { body, fields } : { body: '', fields: {} }) };
}

const refusedTwice = (line: ItemLine): Item => ({
  ...itemOf(line),
  refused: `${line.id}: the list has this id more than once`,
});

/** What the program says to a whole batch, in the order of the batch. */
async function rule(ask: Ask, op: 'look' | 'file', batch: Filing[], word: string | null): Promise<Filed[]> {
  if (batch.length === 0) return [];
  const items = batch.map(({ item, run, base, fields, day }) => ({
    ...{ id: item, run: printRun(run), base: base.fields, fields, mark: word ?? day },
  }));
  const answers = await ask({ op, items } satisfies Request);
  return batch.map(({ item, run }, at) => {
    const answer = answers[at];
    if (answers.length !== batch.length || answer?.type !== 'filed' || answer.id !== item)
      throw sourceError(
        op,
        `one filed for each item, in their order, should be the answer; missing ${JSON.stringify(item)}`,
      );
    return { item, run, as: answer.as, kept: answer.kept };
  });
}
