import type { Stop } from './stop.ts';

export const dailyCap: Stop = {
  name: 'daily-cap',
  pauses: false,
  check: ({ room, itemsPerDay }) => (room <= 0 ? `daily cap of ${itemsPerDay} items reached` : null),
};
