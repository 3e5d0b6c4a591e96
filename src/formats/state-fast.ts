import type { Flight, Learning, State } from '../core/model.ts';

// This file imports nothing, so that a tick with nothing to do loads no YAML. Day and moment are told here for the same reason.
export const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
export const INSTANT =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,3})?Z$/;

const LIMIT_BYTES = 256 * 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ODD = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff\ufffe\uffff]/;

/** A merge that nobody has finished: git's own lines, in the notes too. */
export const CONFLICT = /^(?:<{7}|>{7})(?: |$)/m;

// Each part begins with what the part before can't hold, so that nothing is tried twice: reading takes linear time.
const VALUE = String.raw`("[^"\\]*(?:\\.[^"\\]*)*"|\w(?:[\w./+@-]|:(?=[\w./+@-]))*)`;
const PAIR = new RegExp(` *([a-z_]+): +${VALUE} *([,}])`, 'y');
const SCALAR = new RegExp(` +${VALUE}`, 'y');
const REST = /^(?: +#.*| *)$/;
const KEY = /^([a-z_]+):/;

type Tokens = Map<string, string>;

const emptyState = (): State => ({
  paused: true,
  pauseReason: null,
  tick: 0,
  cursor: 0,
  doneCount: 0,
  today: { date: '', count: 0, errorsInARow: 0 },
  waitingUntil: null,
  inFlight: [],
  queuedLearnings: [],
});

/**
 * Reads state.md when it is in the program's own form: keys in any order, comments, maps on one line, JSON-style quotes.
 *
 * @returns exactly what `parseState` gives, or null when only the YAML reader can tell. Never throws.
 */
export function readStateFast(text: string): State | null {
  if (text.length > LIMIT_BYTES || Buffer.byteLength(text) > LIMIT_BYTES || ODD.test(text) || CONFLICT.test(text))
    return null;
  const yaml = ownForm(text);
  if (yaml === null) return null;
  const state = emptyState();
  const seen = new Set<string>();
  let list: ((entry: Tokens) => boolean) | null = null;
  for (const line of yaml.split('\n')) {
    if (isBlank(line)) continue;
    if (line.startsWith('  - {')) {
      const entry = flowMap(line, 4);
      if (list === null || entry === null || !list(entry)) return null;
      continue;
    }
    const key = KEY.exec(line)?.[1];
    if (key === undefined || seen.has(key)) return null;
    seen.add(key);
    list = opened(state, key, line);
    if (list === null && !readLine(state, key, line)) return null;
  }
  return seen.has('paused') ? state : null;
}

/** True when text pauses, whatever else in it is broken: it has one `paused:` line and that says `true`. */
export function pausedLine(text: string): true | null {
  const lines = text.replace(/^\ufeff/, '').split('\n');
  const fenced = /^---[ \t]*\r?$/.test(lines[0] ?? '');
  const end = fenced ? lines.findIndex((line, index) => index > 0 && /^---[ \t]*\r?$/.test(line)) : -1;
  const found = lines.slice(0, end === -1 ? lines.length : end).filter((line) => /^["']?paused["']?[ \t]*:/.test(line));
  return found.length === 1 && /^paused:[ \t]+true(?:[ \t]+#.*|[ \t]*)\r?$/.test(found[0] ?? '') ? true : null;
}

function ownForm(text: string): string | null {
  if (!text.startsWith('---\n')) return text;
  const end = text.indexOf('\n---', 3);
  const after = text[end + 4];
  return end === -1 || (after !== undefined && after !== '\n') ? null : text.slice(4, end + 1);
}

function isBlank(line: string): boolean {
  let at = 0;
  while (line[at] === ' ') at++;
  return at === line.length || line[at] === '#';
}

/** Says where the lines below `in_flight:` or `queued_learnings:` go, when the key has nothing on its own line. */
function opened(state: State, key: string, line: string): ((entry: Tokens) => boolean) | null {
  if (!REST.test(line.slice(key.length + 1))) return null;
  if (key === 'in_flight') return (entry) => add(state.inFlight, flight(entry));
  if (key === 'queued_learnings') return (entry) => add(state.queuedLearnings, learning(entry));
  return null;
}

function add<T>(list: T[], entry: T | null): boolean {
  if (entry !== null) list.push(entry);
  return entry !== null;
}

function readLine(state: State, key: string, line: string): boolean {
  const from = key.length + 1;
  if (key === 'in_flight' || key === 'queued_learnings') return /^ +\[\](?: +#.*| *)$/.test(line.slice(from));
  if (key === 'today') return readToday(state, line, from);
  SCALAR.lastIndex = from;
  const token = SCALAR.exec(line)?.[1];
  if (token === undefined || !REST.test(line.slice(SCALAR.lastIndex))) return false;
  return set(state, key, token);
}

function set(state: State, key: string, token: string): boolean {
  if (key === 'paused') return store(state, 'paused', boolean(token));
  if (key === 'pause_reason') return store(state, 'pauseReason', orNull(token, string));
  if (key === 'tick') return store(state, 'tick', count(token));
  if (key === 'cursor') return store(state, 'cursor', count(token));
  if (key === 'done_count') return store(state, 'doneCount', count(token));
  if (key === 'waiting_until') return store(state, 'waitingUntil', orNull(token, instant));
  return false;
}

function store<K extends keyof State>(state: State, key: K, value: State[K] | undefined): boolean {
  if (value === undefined) return false;
  state[key] = value;
  return true;
}

function readToday(state: State, line: string, from: number): boolean {
  const entry = line[from] === ' ' ? flowMap(line, from) : null;
  if (entry === null) return false;
  const date = optional(entry, 'date', (token) => (token === 'null' ? '' : day(token)), '');
  const done = optional(entry, 'count', count, 0);
  const errorsInARow = optional(entry, 'errors_in_a_row', count, 0);
  if (date === undefined || done === undefined || errorsInARow === undefined || entry.size > 0) return false;
  state.today = { date, count: done, errorsInARow };
  return true;
}

function flight(entry: Tokens): Flight | null {
  const batch = needed(entry, 'batch', count);
  const run = needed(entry, 'run', count);
  const item = needed(entry, 'item', string);
  const since = needed(entry, 'since', instant);
  const until = needed(entry, 'until', instant);
  const host = needed(entry, 'host', string);
  if (batch === undefined || run === undefined || item === undefined) return null;
  if (since === undefined || until === undefined || host === undefined || entry.size > 0) return null;
  return { batch, run, item, since, until, host };
}

function learning(entry: Tokens): Learning | null {
  const id = needed(entry, 'id', string);
  const tick = needed(entry, 'tick', count);
  const target = optional(entry, 'target', (token) => orNull(token, string), null);
  const level = optional(entry, 'level', (token) => (token === '1' ? 1 : token === '1.5' ? 1.5 : undefined), 1);
  const rule = needed(entry, 'rule', string);
  const veto = optional(entry, 'veto', boolean, false);
  if (id === undefined || tick === undefined || target === undefined) return null;
  if (level === undefined || rule === undefined || veto === undefined || entry.size > 0) return null;
  return { id, tick, target, level, rule, veto };
}

/** Takes `{ a: 1, b: "x" }` apart; null unless nothing but a comment comes after it. */
function flowMap(line: string, from: number): Tokens | null {
  const tokens: Tokens = new Map();
  let at = from;
  while (line[at] === ' ') at++;
  if (line[at] !== '{') return null;
  PAIR.lastIndex = at + 1;
  for (;;) {
    const [, key, value, mark] = PAIR.exec(line) ?? [];
    if (key === undefined || value === undefined || tokens.has(key)) return null;
    tokens.set(key, value);
    if (mark === '}') return REST.test(line.slice(PAIR.lastIndex)) ? tokens : null;
  }
}

/** Takes a token out, so that what is left at the end are keys nobody knows. */
function needed<T>(entry: Tokens, key: string, read: (token: string) => T | undefined): T | undefined {
  const token = entry.get(key);
  entry.delete(key);
  return token === undefined ? undefined : read(token);
}

function optional<T>(entry: Tokens, key: string, read: (token: string) => T | undefined, orElse: T): T | undefined {
  return entry.has(key) ? needed(entry, key, read) : orElse;
}

function orNull<T>(token: string, read: (token: string) => T | undefined): T | null | undefined {
  return token === 'null' ? null : read(token);
}

const boolean = (token: string) => (token === 'true' ? true : token === 'false' ? false : undefined);
const count = (token: string) =>
  /^\d+$/.test(token) && Number.isSafeInteger(Number(token)) ? Number(token) : undefined;
const day = (token: string) => (DAY.test(token) ? token : undefined);
const instant = (token: string) => (INSTANT.test(token) ? token : undefined);

/** Without quotes only what begins like a word and is none that means something else in YAML. */
function string(token: string): string | undefined {
  if (!token.startsWith('"'))
    return /^[A-Za-z_]/.test(token) && !/^(?:null|true|false)$/i.test(token) ? token : undefined;
  if (token.includes('\\u')) return undefined;
  try {
    return JSON.parse(token) as string;
  } catch {
    return undefined;
  }
}
