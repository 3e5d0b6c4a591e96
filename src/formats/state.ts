import type { State } from '../core/model.ts';
import { PawlError } from '../errors.ts';
import { day, fieldsOf, idText, instant, type Kind, oneOf, text, trueOrFalse, wholeNumber } from './fields.ts';
import { editState } from './state-edit.ts';
import { editOwnForm } from './state-edit-own.ts';
import { CONFLICT, readStateFast } from './state-fast.ts';
import { sameState } from './state-lines.ts';
import { decode, formatError, frontMatter, placeAt, type Stretch } from './text.ts';
import { readNodes } from './yaml.ts';
import type { YamlMap } from './yaml-nodes.ts';

/**
 * Reads state.md: front matter with notes below, or bare YAML.
 *
 * `paused` has to be there and be true or false; every other key may be missing and then says nothing has happened yet.
 * A bare file that was cut between two lines can't be told from a short one and is taken as such; front matter can, by its closing line.
 * @throws PawlError `E_FORMAT` with file:line:col for anything else: torn, conflicted, empty, another file's text.
 */
export function parseState(bytes: Uint8Array, file: string): State {
  const content = decode(bytes, file);
  return readStateFast(content) ?? stateOf(stateYaml(content, file));
}

/**
 * Prints `next` over the bytes the file holds now. Comments, keys we don't know, the order of keys, line ends, a byte-order mark, the form and
 * the notes stay byte for byte, and the same values give the very same bytes.
 *
 * @throws PawlError `E_FORMAT` when `current` can't be read. @throws Error when the print doesn't read back as `next`, which is a bug.
 */
export function printState(current: Uint8Array, next: State, file: string): Buffer {
  const content = decode(current, file);
  const fast = readStateFast(content);
  if (fast !== null && sameState(fast, next)) return Buffer.from(current);
  const own = fast === null ? null : editOwnForm(content, fast, next);
  if (own !== null) return checked(Buffer.from(own), next, file);
  const { stretch, map } = stateYaml(content, file);
  const now = fast ?? stateOf({ stretch, map });
  if (sameState(now, next)) return Buffer.from(current);
  const yaml = editState(content.slice(stretch.from, stretch.to), map, now, next);
  const mark = current[0] === 0xef ? '\ufeff' : '';
  const bytes = Buffer.from(mark + content.slice(0, stretch.from) + yaml + content.slice(stretch.to));
  return checked(bytes, next, file);
}

/** @throws Error when what was printed would not say `next`. */
function checked(bytes: Buffer, next: State, file: string): Buffer {
  if (!readsAs(bytes, next, file))
    throw new Error(`${file} as printed does not say what it should: nothing was written`);
  return bytes;
}

function readsAs(bytes: Uint8Array, next: State, file: string): boolean {
  try {
    return sameState(parseState(bytes, file), next);
  } catch (cause) {
    throw new Error(`${file} as printed can't be read: nothing was written`, { cause });
  }
}

/** The state.md of a new loop. */
export function newState(now: { day: string }): string {
  return `---
# People own \`paused\` and may delete any line of queued_learnings. The loop writes the rest and keeps every comment.
paused: false            # only a literal false runs
pause_reason: null
tick: 0
cursor: 0                # a bookmark for people: the marks on the items are the truth
done_count: 0
today: { date: ${now.day}, count: 0, errors_in_a_row: 0 }
waiting_until: null
in_flight: []            # one line for each claimed item
queued_learnings: []     # one line each: delete it, or write veto: true, and it is never applied
---
Notes for people. The loop keeps this text as it is.
`;
}

/** Keys of state.md that are settings by their name, with the key of loop.md that is meant. */
export function misplacedKeys(bytes: Uint8Array, file: string): { key: string; at: string; belongs: string }[] {
  const content = decode(bytes, file);
  const { stretch, map } = stateYaml(content, file);
  const found: { key: string; at: string; belongs: string }[] = [];
  const look = (within: YamlMap, name: string) => {
    for (const entry of within.entries) {
      const key = `${name}${entry.key}`;
      const at = placeAt(stretch, stretch.from + entry.keyFrom);
      if (/cap|limit|per_day|slice/i.test(entry.key)) found.push({ key, at, belongs: meantBy(key) });
      else if (entry.value?.kind === 'map') look(entry.value, `${key}.`);
    }
  };
  look(map, '');
  return found;
}

function meantBy(key: string): string {
  if (/slice/i.test(key)) return 'slice';
  if (/usd|dollar|cost|money/i.test(key)) return 'caps.usd_per_day';
  if (/token/i.test(key)) return 'caps.tokens_per_day';
  if (/minute|time/i.test(key)) return 'caps.minutes_per_item';
  return /error/i.test(key) ? 'pause_after_errors' : 'caps.items_per_day';
}

interface StateYaml {
  stretch: Stretch;
  map: YamlMap;
}

function stateOf({ stretch, map }: StateYaml): State {
  const state = fieldsOf(stretch, map);
  const today = state.map('today');
  return {
    paused: state.get('paused', trueOrFalse),
    pauseReason: state.get('pause_reason', text, null),
    tick: state.get('tick', wholeNumber, 0),
    cursor: state.get('cursor', wholeNumber, 0),
    doneCount: state.get('done_count', wholeNumber, 0),
    today: {
      date: today.get('date', day, ''),
      count: today.get('count', wholeNumber, 0),
      errorsInARow: today.get('errors_in_a_row', wholeNumber, 0),
    },
    waitingUntil: state.get('waiting_until', instant, null),
    inFlight: state.maps('in_flight').map((flight) => ({
      batch: flight.get('batch', wholeNumber),
      run: flight.get('run', wholeNumber),
      item: flight.get('item', idText),
      since: flight.get('since', instant),
      until: flight.get('until', instant),
      host: flight.get('host', idText),
    })),
    queuedLearnings: state.maps('queued_learnings').map((learning) => ({
      id: learning.get('id', text),
      tick: learning.get('tick', wholeNumber),
      target: learning.get('target', text, null),
      level: learning.get('level', level, 1),
      rule: learning.get('rule', text),
      veto: learning.get('veto', trueOrFalse, false),
    })),
  };
}

const levels = oneOf(['1', '1.5']);
const level: Kind<1 | 1.5> = {
  wanted: '1 or 1.5',
  read(node) {
    const word = levels.read(node);
    return word === undefined ? undefined : word === '1' ? 1 : 1.5;
  },
};

/** Finds the YAML of state.md: front matter, a fenced block as in a page of documentation, or the whole file. */
function stateYaml(content: string, file: string): StateYaml {
  const conflict = CONFLICT.exec(content);
  if (conflict !== null)
    throw formatError(
      { file, text: content },
      conflict.index,
      'a merge is unfinished here: keep one side, delete the markers',
    );
  const stretch = frontMatter(file, content) ??
    frontMatter(file, content, '```yaml', '```') ?? { file, text: content, from: 0, to: content.length };
  const map = readNodes(stretch);
  if (map === null)
    throw new PawlError('E_FORMAT', '`paused: true` or `paused: false` was wanted, there is nothing here', {
      at: `${file}:1:1`,
    });
  for (const { key, keyFrom } of map.entries) {
    const at = stretch.from + keyFrom;
    // Lines are what people delete and what the loop adds.
    if (at > 0 && content[at - 1] !== '\n') throw formatError(stretch, at, `\`${key}:\` should begin its line`);
  }
  return { stretch, map };
}
