import { isMap, isScalar, type Node, type Pair, type YAMLMap } from 'yaml';
import { editsOf, lineAfter } from './edits.ts';
import { misplacedKeys, parseState } from './state.ts';
import { sameState } from './state-lines.ts';
import { decode, frontMatter, type Stretch } from './text.ts';
import { keyOf, readYaml } from './yaml.ts';

/** Settings of loop.md by dotted name, `caps.items_per_day`. */
export interface Setting {
  name: string;
  /** As it is written. */
  value: string;
}

const CAPS = ['items_per_day', 'usd_per_day', 'tokens_per_day', 'minutes_per_item'];

/** Does a person's loop.md say this itself? Otherwise its value is our default. */
export function isWritten(loop: string, file: string, name: string): boolean {
  const found = scalarAt(loop, file, name);
  return found !== null && !/^(?:null|~)$/i.test(loop.slice(found.from, found.to));
}

/** Sets a setting that is written in loop.md already; every other byte stays. @returns null when it is not there. */
export function setSetting(loop: string, file: string, { name, value }: Setting): string | null {
  const found = scalarAt(loop, file, name);
  return found === null ? null : loop.slice(0, found.from) + value + loop.slice(found.to);
}

/**
 * Takes settings that stand in state.md out of it, where they never counted, with the lines they stand on.
 *
 * Only plain numbers are taken; what else is there stays, and `doctor` goes on naming it.
 */
export function takeSettings(bytes: Uint8Array, file: string): { bytes: Buffer; taken: Setting[] } {
  const misplaced = new Map(misplacedKeys(bytes, file).map(({ key, belongs }) => [key, belongs]));
  const content = decode(bytes, file);
  const stretch = stretchOf(content, file);
  const yaml = content.slice(stretch.from, stretch.to);
  const edits = editsOf(yaml);
  const taken: Setting[] = [];
  for (const pair of readYaml(stretch)?.items ?? []) {
    const belongs = misplaced.get(keyOf(pair) ?? '');
    const settings = belongs === undefined ? [] : settingsOf(pair, belongs);
    if (settings.length === 0) continue;
    taken.push(...settings);
    edits.replace(rangeOf(pair.key as Node)[0], lineAfter(yaml, rangeOf((pair.value ?? pair.key) as Node)[1]), '');
  }
  const mark = bytes[0] === 0xef ? '\ufeff' : '';
  const next = Buffer.from(mark + content.slice(0, stretch.from) + edits.apply() + content.slice(stretch.to));
  if (!sameState(parseState(next, file), parseState(bytes, file))) throw new Error(`${file} would say something else`);
  return { bytes: next, taken };
}

/** `daily_cap: 40`, or `caps: { items_per_day: 40 }`. */
function settingsOf({ value }: Pair, belongs: string): Setting[] {
  if (isNumber(value)) return [{ name: belongs, value: value.source }];
  if (!isMap(value)) return [];
  const inner = value.items.flatMap((pair) => {
    const key = keyOf(pair) ?? '';
    return CAPS.includes(key) && isNumber(pair.value) ? [{ name: `caps.${key}`, value: pair.value.source }] : [];
  });
  return inner.length === value.items.length ? inner : [];
}

function isNumber(node: unknown): node is Node & { source: string } {
  return isScalar(node) && typeof node.value === 'number' && /^\d+(?:\.\d+)?$/.test(node.source ?? '');
}

function scalarAt(loop: string, file: string, name: string): { from: number; to: number } | null {
  const mark = loop.startsWith('\ufeff') ? 1 : 0;
  const stretch = frontMatter(file, loop.slice(mark));
  const map: YAMLMap | null = stretch === null ? null : readYaml(stretch);
  const node = map?.getIn(name.split('.'), true);
  if (stretch === null || !isScalar(node) || node.source === '') return null;
  const [from, to] = rangeOf(node);
  return { from: mark + stretch.from + from, to: mark + stretch.from + to };
}

/** The same places in which state.md may hold its YAML. */
function stretchOf(content: string, file: string): Stretch {
  const fenced = frontMatter(file, content) ?? frontMatter(file, content, '```yaml', '```');
  return fenced ?? { file, text: content, from: 0, to: content.length };
}

const rangeOf = (node: Node): [number, number] => [node.range?.[0] ?? 0, node.range?.[1] ?? 0];
