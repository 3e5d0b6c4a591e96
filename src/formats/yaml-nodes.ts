/** What was read of YAML, whoever read it. Offsets are UTF-16 units in the text that was read. */
export type YamlNode = YamlScalar | YamlMap | YamlList;

export interface YamlScalar {
  kind: 'scalar';
  from: number;
  /** Behind the closing quote; an empty value has no length and stands where it would begin. */
  to: number;
  value: string | number | boolean | null;
  /** A plain scalar as it is written; of any other the text it says. */
  source: string;
  style: 'plain' | 'quoted' | 'block';
}

/** A map or list by lines ends where its last value ends, before any comment. */
export interface YamlMap {
  kind: 'map';
  from: number;
  to: number;
  /** Written in braces. */
  flow: boolean;
  entries: YamlEntry[];
}

export interface YamlList {
  kind: 'list';
  from: number;
  to: number;
  /** Written in brackets. */
  flow: boolean;
  items: YamlNode[];
}

export interface YamlEntry {
  key: string;
  keyFrom: number;
  keyTo: number;
  /** null for a key alone, `{ key }`. */
  value: YamlNode | null;
}

/** Nothing is written there, not even `null`. */
export const isEmpty = (node: YamlNode | null | undefined): boolean =>
  node === null || node === undefined || (node.kind === 'scalar' && node.source === '' && node.value === null);

/** Where an entry ends, without the comments and blank lines below it. */
export const entryEnd = ({ keyTo, value }: YamlEntry): number => (value === null || isEmpty(value) ? keyTo : value.to);

/** What it says, as JSON would. */
export function valuesOf(node: YamlNode | null): unknown {
  if (node?.kind === 'map') return Object.fromEntries(node.entries.map(({ key, value }) => [key, valuesOf(value)]));
  if (node?.kind === 'list') return node.items.map(valuesOf);
  return node?.value ?? null;
}
