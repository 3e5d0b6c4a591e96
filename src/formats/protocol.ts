import type { Job, Outcome } from '../core/job.ts';
import type { ErrorClass, Failure } from '../core/model.ts';

/** What one line of a worker's output says. `invalid` = it names a type of ours and breaks its rules. */
export type Event =
  | { type: 'step'; text: string }
  | { type: 'checkpoint'; notes: string }
  | LearningEvent
  | ResultEvent
  | InvalidEvent;

type LearningEvent = { type: 'learning' } & Outcome['learnings'][number];

export type ResultEvent = {
  type: 'result';
  outcome: 'done' | 'nothing' | 'needs-human' | 'failed';
} & Pick<Outcome, 'summary' | 'error' | 'fields' | 'surprises' | 'unsure' | 'usage'>;

export interface InvalidEvent {
  type: 'invalid';
  /** The type it claims to be. */
  of: string;
  why: string;
}

type Line = Readonly<Record<string, unknown>>;

const OUTCOMES = ['done', 'nothing', 'needs-human', 'failed'] as const;
const CLASSES: readonly ErrorClass[] = ['item', 'infra', 'tool', 'limit', 'auth', 'boundary'];
const DEEPEST = 32;
const LONGEST = 1024 * 1024;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The job as a worker gets it on stdin: one line of JSON. */
export function printJob(job: Job): string {
  const { item, prior, limits } = job;
  const line = {
    v: 1,
    run: printRun(job.run),
    attempt: job.attempt,
    key: job.key,
    root: job.root,
    item: { id: item.id, title: item.title, path: item.path, body: item.body, fields: item.fields },
    contract: { version: job.contract.version, text: job.contract.text },
    scratch: job.scratch,
    notes: job.notes,
    limits: { checkpoint_at: limits.checkpointAt, return_by: limits.returnBy, wall_ms: limits.wallMs },
    result_schema: null,
    prior: prior && {
      run: printRun(prior.run),
      notes: prior.notes,
      error: prior.error && { class: prior.error.class, message: prior.error.message },
      check: prior.check,
      message: prior.message,
    },
  };
  return `${JSON.stringify(line)}\n`;
}

/** A run number as programs outside see it, `0042`. */
export const printRun = (run: number): string => String(run).padStart(4, '0');

/**
 * Reads one line of a worker's stdout.
 *
 * @returns null when it is log text: anything but a whole line holding one JSON object with a type of ours. A result that stands
 * inside prose, a code fence or a longer text is log text too. NUL is taken out of every text.
 */
export function readLine(line: string): Event | null {
  const found = parse(line);
  if (found === null || typeof found.type !== 'string' || !Object.hasOwn(READERS, found.type)) return null;
  const type = found.type as keyof typeof READERS;
  try {
    if (deeperThan(found, DEEPEST)) throw new Wrong(`it is nested more than ${DEEPEST} deep`);
    return READERS[type](cleaned(found) as Line);
  } catch (error) {
    if (error instanceof Wrong) return { type: 'invalid', of: type, why: error.message };
    throw error;
  }
}

/** A line that breaks the protocol; never leaves this file. */
class Wrong extends Error {}

const READERS = { step, checkpoint, learning, result };

function step(line: Line): Event {
  return { type: 'step', text: text(line, 'text') };
}

function checkpoint(line: Line): Event {
  return { type: 'checkpoint', notes: text(line, 'notes') };
}

function learning(line: Line): Event {
  const rule = text(line, 'rule').trim();
  if (rule === '') throw new Wrong('rule should not be empty');
  const target = line.target === undefined || line.target === null ? null : text(line, 'target');
  const level = line.level ?? 1;
  if (level !== 1 && level !== 1.5) throw new Wrong(`level should be 1 or 1.5, got ${show(level)}`);
  return { type: 'learning', rule, target, level };
}

function result(line: Line): Event {
  const outcome = OUTCOMES.find((name) => name === line.outcome);
  if (outcome === undefined) throw new Wrong(`outcome should be ${OUTCOMES.join(', ')}, got ${show(line.outcome)}`);
  const error = line.error === undefined || line.error === null ? null : failure(object(line, 'error'));
  // Whoever reports an error has not finished, whatever the outcome says.
  if (error !== null && (outcome === 'done' || outcome === 'nothing'))
    throw new Wrong(`outcome ${outcome} can't have an error, got ${show(error.message)}`);
  return {
    type: 'result',
    outcome,
    summary: line.summary === undefined ? '' : text(line, 'summary'),
    error,
    fields: line.fields === undefined ? {} : { ...object(line, 'fields') },
    surprises: texts(line, 'surprises'),
    unsure: texts(line, 'unsure'),
    usage: line.usage === undefined ? {} : numbers(object(line, 'usage')),
  };
}

function failure(line: Line): Failure {
  const kind = CLASSES.find((name) => name === (line.class ?? 'item'));
  if (kind === undefined) throw new Wrong(`error.class should be ${CLASSES.join(', ')}, got ${show(line.class)}`);
  const message = line.message === undefined ? '' : text(line, 'message');
  if (line.retry_at === undefined || line.retry_at === null) return { class: kind, message };
  const at = text(line, 'retry_at');
  if (!ISO.test(at) || Number.isNaN(Date.parse(at)))
    throw new Wrong(`error.retry_at should be a time like 2026-06-09T08:15:00Z, got ${show(at)}`);
  // Only a limit has a reset; other classes wait by the loop's own rules.
  return kind === 'limit' ? { class: kind, message, retryAt: new Date(at).toISOString() } : { class: kind, message };
}

function text(line: Line, key: string): string {
  const value = line[key];
  if (typeof value !== 'string') throw new Wrong(`${key} should be text, got ${show(value)}`);
  return value;
}

function texts(line: Line, key: string): string[] {
  const value = line[key] ?? [];
  if (!Array.isArray(value) || value.some((entry) => typeof entry !== 'string'))
    throw new Wrong(`${key} should be a list of texts, got ${show(value)}`);
  return value;
}

function object(line: Line, key: string): Line {
  const value = line[key];
  if (!isObject(value)) throw new Wrong(`${key} should be an object, got ${show(value)}`);
  return value;
}

function numbers(line: Line): Record<string, number> {
  for (const [key, value] of Object.entries(line))
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
      throw new Wrong(`usage.${key} should be a number from 0, got ${show(value)}`);
  return { ...line } as Record<string, number>;
}

function parse(line: string): Line | null {
  if (line.length > LONGEST || !line.trimStart().startsWith('{')) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    // Not JSON: log text.
    return null;
  }
}

const isObject = (value: unknown): value is Line =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Looks no further down than `levels`, so that a deep text costs nothing. */
function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((entry) => deeperThan(entry, levels - 1));
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '');
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [cleaned(key), cleaned(entry)]));
}

function show(value: unknown): string {
  const shown = value === undefined ? 'nothing' : JSON.stringify(value);
  return shown.length > 80 ? `${shown.slice(0, 80)}...` : shown;
}
