import { editsOf, lineAfter } from './edits.ts';
import { misplacedKeys, parseState } from './state.ts';
import { sameState } from './state-lines.ts';
import { decode, frontMatter, type Stretch } from './text.ts';
import { readNodes } from './yaml.ts';
import { entryEnd, type YamlEntry, type YamlNode, type YamlScalar } from './yaml-nodes.ts';

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
  for (const entry of readNodes(stretch)?.entries ?? []) {
    const belongs = misplaced.get(entry.key);
    const settings = belongs === undefined ? [] : settingsOf(entry, belongs);
    if (settings.length === 0) continue;
    taken.push(...settings);
    edits.replace(entry.keyFrom, lineAfter(yaml, entryEnd(entry)), '');
  }
  const mark = bytes[0] === 0xef ? '\ufeff' : '';
  const next = Buffer.from(mark + content.slice(0, stretch.from) + edits.apply() + content.slice(stretch.to));
  if (!sameState(parseState(next, file), parseState(bytes, file))) throw new Error(`${file} would say something else`);
  return { bytes: next, taken };
}

/** `daily_cap: 40`, or `caps: { items_per_day: 40 }`. */
function settingsOf({ value }: YamlEntry, belongs: string): Setting[] {
  if (isNumber(value)) return [{ name: belongs, value: value.source }];
  if (value?.kind !== 'map') return [];
  const inner = value.entries.flatMap((entry) =>
    CAPS.includes(entry.key) && isNumber(entry.value) ? [{ name: `caps.${entry.key}`, value: entry.value.source }] : [],
  );
  return inner.length === value.entries.length ? inner : [];
}

function isNumber(node: YamlNode | null): node is YamlScalar {
  return node?.kind === 'scalar' && typeof node.value === 'number' && /^\d+(?:\.\d+)?$/.test(node.source);
}

function scalarAt(loop: string, file: string, name: string): { from: number; to: number } | null {
  const mark = loop.startsWith('\ufeff') ? 1 : 0;
  const stretch = frontMatter(file, loop.slice(mark));
  let node: YamlNode | null = stretch === null ? null : readNodes(stretch);
  for (const key of name.split('.'))
    node = node?.kind === 'map' ? (node.entries.find((entry) => entry.key === key)?.value ?? null) : null;
  if (stretch === null || node?.kind !== 'scalar' || node.source === '') return null;
  return { from: mark + stretch.from + node.from, to: mark + stretch.from + node.to };
}

/** The same places in which state.md may hold its YAML. */
function stretchOf(content: string, file: string): Stretch {
  const fenced = frontMatter(file, content) ?? frontMatter(file, content, '```yaml', '```');
  return fenced ?? { file, text: content, from: 0, to: content.length };
}
