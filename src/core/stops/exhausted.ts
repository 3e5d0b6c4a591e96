import type { Stop } from './stop.ts';

/** Computed on every tick, so a new item or a removed mark reopens the loop by itself. */
export const exhausted: Stop = {
  name: 'exhausted',
  pauses: false,
  check({ ready, waitingForPerson }) {
    if (ready > 0) return null;
    return waitingForPerson === 0
      ? 'nothing left to do'
      : `everything left waits for you: ${waitingForPerson} in review.md`;
  },
};
