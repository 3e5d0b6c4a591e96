import type { Stop } from './stop.ts';

/** A failure that trying again can't mend: a bad login, a misconfigured worker, a crossed boundary. */
export const boundary: Stop = { name: 'boundary', pauses: true, check: ({ pause }) => pause };
