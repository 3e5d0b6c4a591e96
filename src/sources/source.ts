import type { Base, Day, Item, Procedure } from '../core/model.ts';
import type { Disk } from '../store/disk.ts';
import type { Workspace } from '../store/workspace.ts';

/** One finished run's wish to be filed on its item. */
export interface Filing {
  item: string;
  run: number;
  base: Base;
  /** The item's own file as the run left it, when it is one of the run's outputs. */
  ownBytes: Uint8Array | null;
  /** Values for the fields that `source.write` allows; others are not passed. */
  fields: Record<string, unknown>;
  /** The local date of the mark. */
  day: Day;
}

/**
 * - `marked`: this call set the mark (and the fields in the same step).
 * - `already`: the mark was there, with our bytes or fields where there are any.
 * - `theirs`: the mark was there and a person wrote something else: nothing was written.
 * - `superseded`: the item's own file is neither what the run started from nor what it made: nothing was written.
 * - `gone`: there is no such item any more.
 */
export interface Filed {
  item: string;
  run: number;
  as: 'marked' | 'already' | 'theirs' | 'superseded' | 'gone';
  /** Names of fields in which a person's value stayed. */
  kept: string[];
}

/**
 * Where the backlog lives.
 *
 * Promises, checked for every kind by `test/conformance/sources.test.ts`:
 * - `pending` yields the unmarked items in one stable order (of the file they stand in, else by id, UTF-8 bytes), read from the files as they are now: every item yielded
 *   was looked at in this call and had no mark. After the last it goes on with the first, so that one pass over `after` sees all;
 *   the caller stops reading when it has enough. An item that can't be worked on is yielded with `refused`.
 * - `read` gives an item whole, or null when it is gone.
 * - `look` says what `file` would do, and changes nothing. Both take the items of a whole batch, so that a file of many items is read and
 *   written once, and answer in the same order.
 * - `file` is durable once it resolves, changes no byte but the mark, the fields and the own bytes, and filing twice is the same as once.
 * - Caches under `.jez/cache` change how long something takes, never what is answered.
 */
export interface Source {
  pending(after?: string): AsyncIterable<Item>;
  read(id: string): Promise<Item | null>;
  look(batch: Filing[]): Promise<Filed[]>;
  file(batch: Filing[]): Promise<Filed[]>;
  count(): Promise<{ done: number; total: number | null }>;
  /** Folders (and files of many items) whose stamps change when an item comes, goes or is renamed: what the seal watches. [] = can't say. */
  folders(): string[];
}

export interface SourceContext {
  disk: Disk;
  workspace: Workspace;
  procedure: Pick<Procedure, 'source'>;
  /** Called with a path before its bytes are replaced, so that they are kept in history/. */
  keep(path: string): void;
}

/** What a file in this folder exports as its default. */
export type OpenSource = (context: SourceContext) => Source;
