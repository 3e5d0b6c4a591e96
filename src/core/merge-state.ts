import type { State } from './model.ts';

/**
 * Brings a tick's new state together with what a person wrote meanwhile: the person wins on `paused` and on every learning
 * taken out or vetoed, the tick wins on the counters, and notes are not touched at all.
 *
 * `base` is what the tick read, `planned` what it wants, `current` what the file says now.
 */
export function mergeState(base: State, planned: State, current: State): State {
  const stops = planned.paused && !base.paused;
  const known = new Set(base.queuedLearnings.map(({ id }) => id));
  const added = planned.queuedLearnings.filter(
    ({ id }) => !known.has(id) && !current.queuedLearnings.some((there) => there.id === id),
  );
  const wanted = new Set(planned.queuedLearnings.map(({ id }) => id));
  const kept = current.queuedLearnings.filter(({ id }) => wanted.has(id) || !known.has(id));
  return {
    ...planned,
    paused: current.paused || stops,
    pauseReason: stops ? planned.pauseReason : current.paused ? current.pauseReason : planned.pauseReason,
    queuedLearnings: [...kept, ...added],
  };
}
