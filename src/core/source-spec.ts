/** Where the items are, as `source:` in loop.md says. Which of these a kind needs it checks itself when it is opened. */
export interface SourceSpec {
  kind: string;
  /** folder, move: a glob from the root, e.g. `docs/**` + `/*.md`; checklist, table: one file; '' = the kind needs none. */
  path: string;
  mark: MarkSpec;
  /** Front-matter keys (or columns) a result may fill in. */
  write: string[];
  /** table: the column or key whose value names a row. */
  id: string | null;
  /** move: the folder that done items go to. */
  to: string | null;
  /** command: the program that lists and marks, with its arguments, and the names of variables it may see. */
  run: string[];
  env: string[];
}

/** `value: null` = the local date. With a word in `value`, other words than those of `todo` belong to people. */
export interface MarkSpec {
  field: string;
  value: string | null;
  todo: string[];
}
