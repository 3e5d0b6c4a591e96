import type { Stop } from './stop.ts';

/** Reserves the dearest run so far before it is spent: a cap on spend is never passed by a run that could be foreseen. */
export const budget: Stop = {
  name: 'budget',
  pauses: false,
  check({ spend }) {
    const full = spend.find(({ spent, cap, dearest }) => spent >= cap || spent + dearest > cap);
    return full === undefined ? null : `budget: ${full.spent} of ${full.cap} ${full.name} spent today`;
  },
};
