import { isCollection, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, visit, type YAMLMap } from 'yaml';
import { readPlain } from './plain-yaml.ts';
import { formatError, LIMIT, refuseControls, type Stretch } from './text.ts';
import { entryEnd, type YamlMap, type YamlNode, type YamlScalar } from './yaml-nodes.ts';

const DEEPEST = 20;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads a stretch of a file as the small, strict part of YAML 1.2 that says the same to every reader: one map, plain string keys, each once,
 * no anchors, aliases, tags or directives. The package is loaded for what is more than plain, and for every error.
 *
 * Shape: offsets count from `stretch.from`.
 * @returns null when there is nothing in it but comments.
 * @throws PawlError `E_FORMAT` with file:line:col, and nothing else.
 */
export function readNodes(stretch: Stretch): YamlMap | null {
  const source = sourceOf(stretch);
  const plain = readPlain(source);
  if (plain !== null) return plain;
  const root = packageNodes(stretch, source);
  return root === null ? null : mapOf(root);
}

/** The same in `yaml`'s own nodes. */
export function readYaml(stretch: Stretch): YAMLMap | null {
  return packageNodes(stretch, sourceOf(stretch));
}

function sourceOf(stretch: Stretch): string {
  const source = stretch.text.slice(stretch.from, stretch.to);
  refuseControls(stretch);
  if (source.length > LIMIT)
    throw failIn(stretch)(0, `this YAML should have at most ${LIMIT} characters, it has ${source.length}`);
  const mark = source.indexOf('\ufeff');
  if (mark !== -1) throw failIn(stretch)(mark, 'a byte-order mark belongs at the start of the file only');
  return source;
}

const failIn = (stretch: Stretch) => (offset: number, message: string) =>
  formatError(stretch, stretch.from + offset, message);

function packageNodes(stretch: Stretch, source: string): YAMLMap | null {
  const fail = failIn(stretch);
  const doc = parseDocument(source, {
    version: '1.2',
    schema: 'core',
    strict: true,
    // Each key is looked for once below: yaml's own check compares all pairs, 14 s for 40,000 keys.
    uniqueKeys: false,
    merge: false,
    logLevel: 'error',
    prettyErrors: false,
  });
  const wrong = doc.errors[0] ?? doc.warnings[0];
  if (wrong) throw fail(wrong.pos[0], `this should be plain YAML: ${wrong.message}`);
  if (doc.directives?.docStart)
    throw fail(0, 'directives and a `---` below the first line are not read: leave them out');
  const root: unknown = doc.contents;
  if (root === null || (isScalar(root) && root.source === '')) return null;
  if (!isMap(root)) throw fail((root as Node).range?.[0] ?? 0, 'lines of `key: value` were wanted here');
  refuseFancy(root, source, fail);
  return root;
}

function refuseFancy(root: YAMLMap, source: string, fail: (offset: number, message: string) => Error): void {
  const start = (node: unknown) => (node as Node | null)?.range?.[0] ?? 0;
  visit(root, {
    Alias(_, node) {
      throw fail(start(node), 'aliases are not read here: write the value out');
    },
    Node(_, node, path) {
      if (node.anchor) throw fail(start(node), 'anchors are not read here: write the value out');
      if (node.tag) throw fail(start(node), 'tags are not read here: write the plain value');
      if (path.filter(isCollection).length > DEEPEST) throw fail(start(node), `at most ${DEEPEST} levels are read`);
    },
    Map(_, map) {
      const seen = new Set<string>();
      for (const pair of map.items) {
        const key = keyOf(pair);
        const at = start(pair.key);
        if (key === null || FORBIDDEN.has(key))
          throw fail(at, `a key should be a plain word, got ${JSON.stringify(key)}`);
        if (seen.has(key)) throw fail(at, `${key} should be here only once`);
        if (isExplicit(source, at)) throw fail(at, `write \`${key}: value\`, without a question mark`);
        seen.add(key);
      }
    },
  });
}

/** @returns null for a key that isn't a string. */
export function keyOf(pair: Pair): string | null {
  return isScalar(pair.key) && typeof pair.key.value === 'string' ? pair.key.value : null;
}

function isExplicit(source: string, at: number): boolean {
  const before = source.slice(source.lastIndexOf('\n', at - 1) + 1, at);
  return at > 0 && before.trimEnd().endsWith('?');
}

/** What the package read, as `readPlain` gives it. */
export function mapOf(map: YAMLMap): YamlMap {
  const entries = map.items.map((pair) => {
    const [keyFrom, keyTo] = rangeOf(pair.key);
    return { key: keyOf(pair) ?? '', keyFrom, keyTo, value: pair.value === null ? null : nodeOf(pair.value) };
  });
  const last = entries.at(-1);
  const [from, to] = rangeOf(map);
  const flow = map.flow === true;
  return { kind: 'map', from, to: flow || last === undefined ? to : entryEnd(last), flow, entries };
}

function nodeOf(node: unknown): YamlNode {
  if (isMap(node)) return mapOf(node);
  const [from, to] = rangeOf(node);
  if (isSeq(node)) {
    const items = node.items.map(nodeOf);
    const flow = node.flow === true;
    return { kind: 'list', from, to: flow ? to : (items.at(-1)?.to ?? to), flow, items };
  }
  if (!isScalar(node)) throw new Error('YAML of no kind we know');
  const value = node.value as YamlScalar['value'];
  const style = node.type === 'PLAIN' ? 'plain' : node.type?.startsWith('QUOTE') ? 'quoted' : 'block';
  return { kind: 'scalar', from, to, value, source: node.source ?? '', style };
}

function rangeOf(node: unknown): [number, number] {
  const [from, to] = (node as Node).range ?? [0, 0];
  return [from, to];
}
