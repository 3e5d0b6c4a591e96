import type { Stop } from './stop.ts';

/** Computed on every tick, so a new item or a removed mark reopens the loop by itself. */
export const exhausted: Stop = {
  name: 'exhausted',
  pauses: false,
  check({ ready, waitingForPerson, inShadow }) {
    if (ready > 0) return null;
    if (waitingForPerson > 0) return `everything left waits for you: ${waitingForPerson} in review.md`;
    return inShadow === 0
      ? 'nothing left to do'
      : `everything left has run in shadow: look at .jez/runs, then set shadow: false in loop.md`;
  },
};
