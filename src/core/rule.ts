import type { Day, Instant } from './model.ts';
import { oneLine } from './text.ts';

/** An entry of rules.yaml: what became of a learning, by id. Nothing is ever taken out of it, so nothing is learned twice. */
export interface Rule {
  /** `L7`. */
  id: string;
  /**
   * - `held`: seen on too few items, or for a person to decide; `queued`: in state.md; `applied`: in a block, by the loop;
   * - `kept`: a person wrote or changed the line: it is theirs; `vetoed`, `refused`, `reverted`: never again by itself.
   */
  state: 'held' | 'queued' | 'applied' | 'kept' | 'vetoed' | 'refused' | 'reverted';
  /** The signature it is meant to prevent; without one its own words, normalised. */
  key: string;
  rule: string;
  /** 1 = contract.md (how agents behave), 1.5 = loop.md (how items are done). */
  level: 1 | 1.5;
  /** The tick and the day on which it got its state. */
  tick: number;
  day: Day;
  /** Since when it is queued; '' = it never was. */
  at: Instant | '';
  /** Distinct items it was seen on: text inside one item can't raise the count. */
  items: string[];
  /** The runs that said it, in the order of `items`. */
  runs: number[];
  /** The version it came in with, or 0. */
  version: number;
  /** A person asked for it: it waits for no window. */
  approved: boolean;
  /** Why it is held, refused, vetoed or reverted; '' = there is nothing to say. */
  why: string;
}

/** Longer than this is no rule. Units: code points. */
export const LONGEST = 300;

/** Text of a tool or a model as one plain line: no markup that could leave its list line, open a fence or hide. */
export function ruleText(text: string): string {
  // Half a character would be written as another one, and so differ from what the ledger says.
  let plain = oneLine(text.normalize('NFKC').replace(/\p{Surrogate}/gu, ''));
  // What is taken out may leave two halves that fit together.
  for (let before = ''; before !== plain; ) {
    before = plain;
    plain = plain
      .replace(/<!--|-->|`{3,}|~{3,}|<\/?[a-z!?][^<>]*>/gi, ' ')
      .replace(/!\[/g, '[')
      .replace(/^(?:[\s>#*+|:=~-]+|\[[^\]]{0,20}\](?=\s)|\d{1,3}[.)]\s)+/, '')
      .replace(/\s+/g, ' ')
      .trim();
  }
  return plain;
}

/** What two sayings of the same thing have in common: case, spacing and punctuation left out. */
export function wordsOf(text: string): string {
  const plain = text.normalize('NFKC').toLowerCase();
  return plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim() || plain;
}

/** @returns why a text can't be a rule, or null. */
export function badText(text: string): string | null {
  if (text === '') return 'it is empty';
  return [...text].length > LONGEST ? `it is longer than ${LONGEST} characters` : null;
}

/** States that say no: the same words are not queued again by themselves. */
export const isClosed = ({ state }: Rule): boolean => state === 'vetoed' || state === 'refused' || state === 'reverted';
