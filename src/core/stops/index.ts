import { boundary } from './boundary.ts';
import { budget } from './budget.ts';
import { dailyCap } from './daily-cap.ts';
import { errorsInARow } from './errors-in-a-row.ts';
import { exhausted } from './exhausted.ts';
import type { Stop } from './stop.ts';
import { waiting } from './waiting.ts';

/** Checked in order; the first that applies ends the tick. */
export const stops: readonly Stop[] = [boundary, errorsInARow, waiting, dailyCap, budget, exhausted];
