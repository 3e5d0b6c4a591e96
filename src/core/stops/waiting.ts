import type { Stop } from './stop.ts';

/** A usage limit or an outage: the loop rests until then, free of charge. */
export const waiting: Stop = {
  name: 'waiting',
  pauses: false,
  check: ({ waiting: until }) => (until === null ? null : `waiting until ${until}`),
};
