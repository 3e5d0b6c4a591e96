import { DAY, INSTANT } from './state-fast.ts';
import { formatError, placeAt, type Stretch } from './text.ts';
import type { YamlMap, YamlNode } from './yaml-nodes.ts';

/** How one value is read; undefined = it is not what was wanted. */
export interface Kind<T> {
  wanted: string;
  read(node: YamlNode): T | undefined;
}

/** Reads typed values out of one map. Every error is a PawlError `E_FORMAT` that names the key, what was wanted and what was there. */
export interface Fields {
  keys: string[];
  /** A key that is missing, or left empty, gives `orElse`; without an `orElse` it has to be there. */
  get<T>(key: string, kind: Kind<T>, orElse?: T): T;
  /** The map below `key`; missing = without keys. */
  map(key: string): Fields;
  /** The maps of the list below `key`; missing = none. */
  maps(key: string): Fields[];
  /** True when the key is there and says something. */
  has(key: string): boolean;
  /** file:line:col of the key, or of the map when it isn't there. */
  place(key: string): string;
  error(key: string, wanted: string): Error;
}

/** `name` goes before the keys in messages: `caps.` for `caps.items_per_day`. `at` is where a map that isn't there would be. */
export function fieldsOf(stretch: Stretch, map: YamlMap | null, name = '', at = 0): Fields {
  const entries = new Map((map?.entries ?? []).map((entry) => [entry.key, entry]));
  const node = (key: string) => entries.get(key)?.value ?? null;
  const start = (key: string) => entries.get(key)?.keyFrom ?? map?.from ?? at;
  const offset = (key: string) => (has(key) ? (node(key)?.from ?? start(key)) : start(key));
  const has = (key: string) => !isNothing(node(key));
  const error = (key: string, wanted: string) =>
    formatError(stretch, stretch.from + offset(key), `${name}${key} should be ${wanted}, got ${describe(node(key))}`);

  return {
    keys: [...entries.keys()],
    has,
    error,
    place: (key) => placeAt(stretch, stretch.from + start(key)),

    get(key, kind, orElse) {
      const found = node(key);
      if (found === null || isNothing(found)) {
        if (orElse !== undefined) return orElse;
        throw error(key, kind.wanted);
      }
      const value = kind.read(found);
      if (value === undefined) throw error(key, kind.wanted);
      return value;
    },

    map(key) {
      const found = node(key);
      if (has(key) && found?.kind !== 'map') throw error(key, 'a map, { key: value }');
      return fieldsOf(stretch, found?.kind === 'map' ? found : null, `${name}${key}.`, start(key));
    },

    maps(key) {
      const found = node(key);
      if (!has(key)) return [];
      if (found?.kind !== 'list') throw error(key, 'a list');
      return found.items.map((item, index) => {
        if (item.kind === 'map') return fieldsOf(stretch, item, `${name}${key}[${index}].`);
        throw formatError(stretch, stretch.from + item.from, `${name}${key}[${index}] should be a map, { key: value }`);
      });
    },
  };
}

// An empty value is what remains when a person deletes the lines below a key.
const isNothing = (node: YamlNode | null) => node === null || (node.kind === 'scalar' && node.value === null);

function describe(node: YamlNode | null): string {
  if (node === null) return 'nothing';
  if (node.kind !== 'scalar') return `a ${node.kind}`;
  if (typeof node.value !== 'string') return node.source === '' ? 'nothing' : node.source;
  return JSON.stringify(node.value.length > 60 ? `${node.value.slice(0, 60)}...` : node.value);
}

/** What a person wrote without quotes, to the letter: YAML's own reading makes 17 of 0017 and 1000 of 1e3. */
const plain = (node: YamlNode): string => (node.kind === 'scalar' && node.style === 'plain' ? node.source : '');
const string = (node: YamlNode): string | undefined =>
  node.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
const matching = (pattern: RegExp) => (node: YamlNode) => {
  const value = string(node);
  return value !== undefined && pattern.test(value) ? value : undefined;
};

function digits(node: YamlNode): number | undefined {
  const value = /^\d+$/.test(plain(node)) ? Number(plain(node)) : undefined;
  return Number.isSafeInteger(value) ? value : undefined;
}

export const wholeNumber: Kind<number> = { wanted: 'a whole number', read: digits };
export const oneOrMore: Kind<number> = {
  wanted: 'a whole number, 1 or more',
  read: (node) => digits(node) || undefined,
};
export const amount: Kind<number> = {
  wanted: 'an amount such as 5 or 2.50',
  read: (node) => (/^\d{1,12}(\.\d{1,6})?$/.test(plain(node)) ? Number(plain(node)) : undefined),
};
export const trueOrFalse: Kind<boolean> = {
  wanted: 'true or false',
  read: (node) => (plain(node) === 'true' ? true : plain(node) === 'false' ? false : undefined),
};
export const text: Kind<string> = { wanted: 'text', read: string };
/** Text that may look like a number: `0042` stays `0042`. */
export const idText: Kind<string> = {
  wanted: 'text',
  read: (node) => string(node) ?? (node.kind === 'scalar' && typeof node.value === 'number' ? plain(node) : undefined),
};
export const day: Kind<string> = { wanted: 'a day such as 2026-06-09', read: matching(DAY) };
export const instant: Kind<string> = {
  wanted: 'a moment in UTC such as 2026-06-09T08:15:00Z',
  read: matching(INSTANT),
};
export const textList: Kind<string[]> = {
  wanted: 'a list of text, ["a", "b"]',
  read(node) {
    const values = node.kind === 'list' ? node.items.map(string) : [undefined];
    return values.every((value) => value !== undefined) ? values : undefined;
  },
};

/** One of a few words; numbers among them are matched as they are written. */
export function oneOf<T extends string>(words: readonly T[]): Kind<T> {
  return {
    wanted: words.length > 1 ? `one of ${words.join(', ')}` : `${words[0]}`,
    read: (node) => words.find((word) => word === (string(node) ?? plain(node))),
  };
}
