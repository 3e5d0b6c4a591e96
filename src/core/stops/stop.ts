/** What a stop may look at. */
export interface StopView {
  /** Failures in a row, and the number that pauses. */
  streak: number;
  pauseAfterErrors: number;
  /** Why a finished run asks for a person, or null: a bad login, a crossed boundary. */
  pause: string | null;
  /** Until when the loop waits for a limit or an outage, as a person reads it; null = it does not. */
  waiting: string | null;
  /** Items that may still be dispatched today, and the cap they come from. */
  room: number;
  itemsPerDay: number;
  /** Reported spend of today against its caps; null = no such cap. */
  spend: { name: string; spent: number; cap: number; dearest: number }[];
  /** Items that could be taken now. */
  ready: number;
  /** Unmarked items that wait for a person. */
  waitingForPerson: number;
  /** Unmarked items that have run in shadow. */
  inShadow: number;
}

/** A reason to take no new work. Pure; one file a rule and one line in index.ts. */
export interface Stop {
  name: string;
  /** True when a person has to look before the loop goes on. */
  pauses: boolean;
  /** @returns the reason, in words for the reflection, or null when the rule does not apply. */
  check(at: StopView): string | null;
}
