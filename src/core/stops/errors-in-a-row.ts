import type { Stop } from './stop.ts';

export const errorsInARow: Stop = {
  name: 'errors-in-a-row',
  pauses: true,
  check: ({ streak, pauseAfterErrors }) => (streak >= pauseAfterErrors ? `${streak} errors in a row` : null),
};
