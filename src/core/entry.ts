import type { Captured } from './capture.ts';
import type { Finished } from './collect.ts';
import type { Learning, OutcomeName } from './model.ts';
import { quoted } from './text.ts';

/** `0042` */
export const runName = (run: number): string => String(run).padStart(4, '0');

export interface EntryHead {
  tick: number;
  /** `08:15` */
  time: string;
  version: number;
  today: number;
  cap: number;
  streak: number;
}

/** One block of the reflection, in its exact form (DESIGN 4). */
export function printEntry(head: EntryHead, headline: string, lines: readonly string[]): string {
  const { tick, time, version, today, cap, streak } = head;
  return [
    `<!-- tick:${tick} -->`,
    `## ${time} tick ${tick}, version ${version}: ${headline}. Today ${today} of ${cap}, streak ${streak}`,
    ...lines.map((line) => `- ${line}`),
    `<!-- /tick:${tick} -->`,
    '',
  ].join('\n');
}

const ORDER: OutcomeName[] = [
  'done',
  'nothing',
  'failed',
  'timed-out',
  'needs-human',
  'superseded',
  'lost',
  'released',
];

/** `3 done, 1 failed` */
export function countOutcomes(finished: readonly Finished[]): string {
  return ORDER.map((name) => ({ name, n: finished.filter(({ outcome }) => outcome === name).length }))
    .filter(({ n }) => n > 0)
    .map(({ name, n }) => `${n} ${name}`)
    .join(', ');
}

/** `done docs/acme.md (run 0042): company, size` */
export function finishedLine({ result, outcome, message, verdict, kept, late }: Finished, tries: number): string {
  const attempt =
    result.attempt > 1 || !['done', 'nothing'].includes(outcome) ? `, try ${result.attempt} of ${tries}` : '';
  const what = message === '' ? quoted(Object.keys(result.fields).join(', ')) || 'no summary' : message;
  const notes = [
    verdict.kind === 'theirs' ? 'a person had marked or changed it: theirs stays, ours is in the run folder' : '',
    verdict.kind === 'shadow' ? 'in shadow: not filed, what it made is in its run folder' : '',
    kept.length > 0 ? `left as it is: ${kept.join(', ')}` : '',
    late ? 'a later result of this run is kept beside it as result.late.json' : '',
  ].filter((note) => note !== '');
  const suffix = notes.length > 0 ? ` (${notes.join('; ')})` : '';
  return `${outcome} ${quoted(result.item)} (run ${runName(result.run)}${attempt}): ${what}${suffix}`;
}

export function learningLines(captured: Captured, nextTick: number): string[] {
  return [
    ...captured.queued.map((learning) => queuedLine(learning, nextTick)),
    ...captured.refused.map(({ rule, why }) => `refused a learning, ${quoted(why)}: "${quoted(rule)}"`),
  ];
}

export const queuedLine = ({ id, rule }: Pick<Learning, 'id' | 'rule'>, nextTick: number): string =>
  `queued ${id} for tick ${nextTick}: "${quoted(rule)}" (veto: delete its line in state.md)`;

export const claimedLine = (items: readonly string[]): string =>
  `claimed ${items.length}: ${items.map((item) => quoted(item, 120)).join(', ')}`;

export function stopLine(stop: { reason: string; pauses: boolean }): string {
  return stop.pauses ? `paused: ${quoted(stop.reason)} (go on: pawl resume)` : `stopped: ${quoted(stop.reason)}`;
}
