import { account } from './account.ts';
import type { ErrorClass, OutcomeLine, OutcomeName } from './model.ts';

/** What outcomes.jsonl says about an item that is not finished, counted since its last release. */
export interface Trail {
  tries: number;
  lastRun: number;
  last: OutcomeName;
  lastClass: ErrorClass | null;
  lastMessage: string;
  /** Losses and superseded filings in a row up to the last line. */
  lostInARow: number;
  superseded: number;
}

/** outcomes.jsonl, folded: what the next tick has to know of the past. */
export interface Journal {
  /** Items that were tried and are not finished. */
  trails: Record<string, Trail>;
  lastRun: number;
  /** The class of the newest failure, null after a success: after `limit` one item probes. */
  lastClass: ErrorClass | null;
  /** Batches in a row that ended with an infra or tool failure. */
  infraInARow: number;
  lastInfraTick: number;
  /** Reported spend of the newest day, and the dearest run so far. */
  spent: { day: string; usd: number; tokens: number };
  dearest: { usd: number; tokens: number };
  /** Run numbers read lately, so that a line written twice counts once. */
  recent: number[];
  /** Items whose last success was in shadow: they have no mark. */
  shadowed: Record<string, true>;
  /** What failed since the last success, newest last; and the newest run that succeeded. */
  failing: Failing[];
  lastGoodRun: number;
}

/** A dispatch that counts to the failures in a row, charged to the version it started with. `class` null: it was lost. */
export interface Failing {
  run: number;
  version: number;
  class: ErrorClass | null;
}

export const emptyJournal: Journal = {
  trails: {},
  lastRun: 0,
  lastClass: null,
  infraInARow: 0,
  lastInfraTick: -1,
  spent: { day: '', usd: 0, tokens: 0 },
  dearest: { usd: 0, tokens: 0 },
  recent: [],
  shadowed: {},
  failing: [],
  lastGoodRun: 0,
};

const REMEMBERED = 1000;
const FAILING_MOST = 100;
const emptyTrail: Trail = {
  tries: 0,
  lastRun: 0,
  last: 'released',
  lastClass: null,
  lastMessage: '',
  lostInARow: 0,
  superseded: 0,
};

/** Adds one line to `journal`, in place: a journal may be long, and its reader owns it. */
export function foldLine(journal: Journal, line: OutcomeLine): void {
  if ('release' in line) {
    const trail = journal.trails[line.release];
    if (trail !== undefined && trail.lastRun <= line.afterRun) delete journal.trails[line.release];
    return;
  }
  if (journal.recent.includes(line.run)) return;
  journal.recent.push(line.run);
  if (journal.recent.length > REMEMBERED) journal.recent.shift();
  journal.lastRun = Math.max(journal.lastRun, line.run);
  foldClass(journal, line.outcome === 'failed' || line.outcome === 'timed-out' ? line.class : null, line);
  foldSpend(journal, line.day, line.usage);
  foldFailing(journal, line);
  const before = journal.trails[line.item] ?? emptyTrail;
  const counts = account(line.outcome, line.class);
  if (counts.marks) {
    delete journal.trails[line.item];
    if (line.shadow === true) journal.shadowed[line.item] = true;
    else delete journal.shadowed[line.item];
  } else if (line.outcome !== 'released') journal.trails[line.item] = nextTrail(before, line, counts.tried);
}

function nextTrail(before: Trail, line: Exclude<OutcomeLine, { release: string }>, tried: boolean): Trail {
  const lostInARow = line.outcome === 'lost' ? before.lostInARow + 1 : 0;
  return {
    tries: before.tries + (tried || lostInARow > 1 ? 1 : 0),
    lastRun: line.run,
    last: line.outcome,
    lastClass: line.class,
    lastMessage: line.message,
    lostInARow,
    superseded: before.superseded + (line.outcome === 'superseded' ? 1 : 0),
  };
}

function foldClass(journal: Journal, errorClass: ErrorClass | null, line: { outcome: string; tick: number }): void {
  if (line.outcome === 'released' || line.outcome === 'superseded' || line.outcome === 'needs-human') return;
  journal.lastClass = errorClass;
  if (errorClass === 'infra' || errorClass === 'tool') {
    if (line.tick !== journal.lastInfraTick) journal.infraInARow += 1;
    journal.lastInfraTick = line.tick;
  } else journal.infraInARow = 0;
}

function foldFailing(journal: Journal, line: Exclude<OutcomeLine, { release: string }>): void {
  const { streak } = account(line.outcome, line.class);
  if (streak === 'reset') {
    journal.failing = [];
    journal.lastGoodRun = Math.max(journal.lastGoodRun, line.run);
  } else if (streak !== 'same') {
    const errorClass = line.outcome === 'lost' ? null : (line.class ?? 'item');
    journal.failing = [...journal.failing, { run: line.run, version: line.version, class: errorClass }].slice(
      -FAILING_MOST,
    );
  }
}

function foldSpend(journal: Journal, day: string, usage: Record<string, number>): void {
  const usd = usage.usd ?? 0;
  const tokens = usage.tokens ?? (usage.input_tokens ?? 0) + (usage.output_tokens ?? 0);
  const same = journal.spent.day === day;
  if (day < journal.spent.day) return;
  journal.spent = {
    day,
    usd: (same ? journal.spent.usd : 0) + usd,
    tokens: (same ? journal.spent.tokens : 0) + tokens,
  };
  journal.dearest = { usd: Math.max(journal.dearest.usd, usd), tokens: Math.max(journal.dearest.tokens, tokens) };
}

/** Why an item waits for a person, or null when it may be tried. */
export function parked(trail: Trail | undefined, tries: number, sideEffects: 'none' | 'external'): string | null {
  if (trail === undefined) return null;
  if (trail.last === 'needs-human') return `needs you: ${trail.lastMessage}`;
  if (trail.superseded > 1)
    return `changed by somebody while it ran, twice: theirs stays, ours is in .jez/runs/${String(trail.lastRun).padStart(4, '0')}-*/files`;
  if (trail.last === 'lost' && sideEffects === 'external')
    return `lost half-way, may have had effects: ${trail.lastMessage}`;
  if (trail.tries >= tries) return `stuck after ${trail.tries} tries: ${trail.lastMessage}`;
  return null;
}
