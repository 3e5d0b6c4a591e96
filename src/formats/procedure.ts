import type { ExecutorSpec, MarkSpec, Procedure, SourceSpec } from '../core/model.ts';
import {
  amount,
  type Fields,
  type Kind,
  oneOf,
  oneOrMore,
  text,
  textList,
  trueOrFalse,
  wholeNumber,
} from './fields.ts';
import { isZone, systemZone } from './zone.ts';

type Note = (fields: Fields, name: string, keys: string[]) => void;

/** The kinds there are: what loop.md may name. */
export interface Known {
  sources: readonly string[];
  executors: readonly string[];
}

/** Every setting of loop.md's front matter, checked, one default per field. `note` hears of every map and the keys that are read from it. */
export function readProcedure(loop: Fields, known: Known, note: Note): Procedure {
  refuseLater(loop);
  note(loop, '', KEYS);
  const [caps, window, learn] = [loop.map('caps'), loop.map('window'), loop.map('learn')];
  note(caps, 'caps.', ['items_per_day', 'usd_per_day', 'tokens_per_day', 'minutes_per_item']);
  note(window, 'window.', ['ticks', 'hours']);
  note(learn, 'learn.', ['mode', 'sightings', 'per_day']);
  return {
    cohort: loop.get('cohort', text),
    doneWhen: loop.get('done_when', text),
    source: readSource(loop, known.sources, note),
    workspace: readWorkspace(loop, note),
    executor: readExecutor(loop, known.executors, note),
    check: loop.get<string[] | null>('check', argv, null),
    slice: loop.get('slice', oneOrMore, 5),
    concurrency: loop.get('concurrency', oneOrMore, 2),
    tries: loop.get('tries', oneOrMore, 3),
    reruns: loop.get('reruns', wholeNumber, 2),
    caps: {
      itemsPerDay: caps.get('items_per_day', wholeNumber, 20),
      usdPerDay: caps.get<number | null>('usd_per_day', amount, null),
      tokensPerDay: caps.get<number | null>('tokens_per_day', wholeNumber, null),
      minutesPerItem: caps.get('minutes_per_item', oneOrMore, 30),
    },
    pauseAfterErrors: loop.get('pause_after_errors', oneOrMore, 3),
    timezone: loop.get<string | null>('timezone', zone, null) ?? systemZone(),
    window: { ticks: window.get('ticks', oneOrMore, 1), hours: window.get('hours', wholeNumber, 0) },
    learn: {
      mode: learn.get('mode', oneOf(['on', 'manual', 'off']), 'on'),
      sightings: learn.get('sightings', oneOrMore, 1),
      perDay: learn.get('per_day', wholeNumber, 5),
    },
    sideEffects: loop.get('side_effects', oneOf(['none', 'external']), 'none'),
    shadow: loop.get('shadow', trueOrFalse, false),
  };
}

function readSource(loop: Fields, kinds: readonly string[], note: Note): SourceSpec {
  if (!loop.has('source'))
    throw loop.error('source', 'a map, { kind: folder, path: "docs/**/*.md", mark: { field: checked } }');
  const source = loop.map('source');
  note(source, 'source.', ['kind', 'path', 'mark', 'write', 'id', 'to', 'run', 'env']);
  const kind = source.get('kind', oneOf(kinds));
  return {
    kind,
    path: source.get('path', text, kind === 'command' ? '' : undefined),
    mark: readMark(source.map('mark'), note),
    write: source.get('write', textList, []),
    id: source.get<string | null>('id', text, null),
    to: source.get<string | null>('to', text, null),
    run: source.get('run', argv, []),
    env: source.get('env', textList, []),
  };
}

function readMark(mark: Fields, note: Note): MarkSpec {
  note(mark, 'source.mark.', ['field', 'column', 'value', 'todo']);
  const name = mark.has('column') && !mark.has('field') ? 'column' : 'field';
  const value = mark.get<string | null>('value', text, null);
  const todo = mark.get('todo', textList, []);
  if (mark.has('field') && mark.has('column')) throw mark.error('column', 'left out beside `field`: they are one');
  if (value === null && todo.length > 0) throw mark.error('value', 'the word that means done, since `todo` has words');
  if (value !== null && todo.includes(value)) throw mark.error('todo', `words other than ${value}, which means done`);
  return { field: mark.get(name, text, 'checked'), value, todo };
}

function readWorkspace(loop: Fields, note: Note): Procedure['workspace'] {
  const workspace = loop.map('workspace');
  note(workspace, 'workspace.', ['kind', 'copy_in', 'outputs']);
  return {
    kind: workspace.get('kind', later(oneOf(['scratch'])), 'scratch'),
    copyIn: workspace.get('copy_in', textList, ['{path}']),
    outputs: workspace.get('outputs', textList, []),
  };
}

function readExecutor(loop: Fields, kinds: readonly string[], note: Note): ExecutorSpec {
  const executor = loop.map('executor');
  note(executor, 'executor.', ['kind', 'run', 'env', 'silence_minutes']);
  const kind = executor.get('kind', oneOf(kinds), 'command');
  // Without the whole key there is nothing to run yet, which the executor's probe tells; half of it is a slip.
  if (kind === 'command' && loop.has('executor') && !executor.has('run')) throw executor.error('run', argv.wanted);
  return {
    kind,
    run: executor.get('run', argv, []),
    env: executor.get('env', textList, []),
    silenceMinutes: executor.get<number | null>('silence_minutes', oneOrMore, null),
  };
}

/** Settings of a later version: each may say that it is off, in the words it will have then. */
function refuseLater(loop: Fields): void {
  loop.get('then', later(oneOf(['idle'])), 'idle');
  loop.get('patch', later<never>({ wanted: 'null', read: () => undefined }), null as never);
  loop.get('tune', later(empty('{}')), true);
  loop.get('notify', later(empty('[]')), true);
}

function later<T>(kind: Kind<T>): Kind<T> {
  return { ...kind, wanted: `${kind.wanted} (anything else is not in this version)` };
}

const empty = (wanted: '{}' | '[]'): Kind<true> => ({
  wanted,
  read(node) {
    const isIt = wanted === '{}' ? node.kind === 'map' && !node.entries[0] : node.kind === 'list' && !node.items[0];
    return isIt || undefined;
  },
});

const argv: Kind<string[]> = {
  wanted: 'a program and its arguments, [node, worker.mjs]',
  read(node) {
    const words = textList.read(node);
    return words?.[0] ? words : undefined;
  },
};

const zone: Kind<string> = {
  wanted: 'a time zone such as Europe/London',
  read(node) {
    const name = node.kind === 'scalar' ? node.value : undefined;
    return typeof name === 'string' && isZone(name) ? name : undefined;
  },
};

const KEYS = [
  ...['cohort', 'done_when', 'source', 'workspace', 'executor', 'check', 'slice', 'concurrency', 'tries', 'reruns'],
  ...['caps', 'pause_after_errors', 'timezone', 'window', 'learn', 'then', 'side_effects', 'shadow', 'tune', 'patch'],
  'notify',
];
