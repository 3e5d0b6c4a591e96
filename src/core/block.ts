import { sameLines } from './version.ts';

/** Bounds of one block; past them a rule is refused whole, never cut. */
export const MOST_RULES = 25;
export const MOST_POINTS = 4000;

const RULE = /^- \[(R-\d{3,})\] (.*)$/;
const BULLET = /^[-*+] /;

/** `R-007`: the rule that learning `L7` becomes. */
export const ruleId = (learning: string): string => `R-${learning.slice(1).padStart(3, '0')}`;
/** `L7`, from `R-007`. */
export const learningId = (rule: string): string => `L${Number(rule.slice(2))}`;

export const ruleLine = (id: string, text: string): string => `- [${id}] ${text}`;

/** A line of the loop's form, taken apart; null for anything a person wrote in another. */
export function readRule(line: string): { id: string; text: string } | null {
  const [, id, text] = RULE.exec(line) ?? [];
  return id === undefined || text === undefined ? null : { id, text };
}

export const rulesIn = (lines: readonly string[]): { id: string; text: string }[] =>
  lines.flatMap((line) => readRule(line) ?? []);

/** Why these lines are too many for one block, or null. Code points are counted with one for each line end. */
export function overfull(lines: readonly string[]): string | null {
  const rules = lines.filter((line) => BULLET.test(line)).length;
  if (rules > MOST_RULES) return `its block would hold ${rules} rules, at most ${MOST_RULES} are read`;
  const points = lines.reduce((sum, line) => sum + [...line].length + 1, 0);
  return points > MOST_POINTS ? `its block would have ${points} characters, at most ${MOST_POINTS} are read` : null;
}

/**
 * Brings the loop's change of a block together with a person's, line by line.
 *
 * `base` is what both began from. The person's lines stay as they are and where they are; what the loop took out goes, what it
 * added comes to the end.
 * @returns null where both touched the same rule: then the person's text stands alone.
 */
export function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): string[] | null {
  if (sameLines(theirs, base) || sameLines(theirs, ours)) return [...ours];
  const out = base.filter((line) => !ours.includes(line));
  const added = ours.filter((line) => !base.includes(line));
  const touched = new Set([...out, ...added].flatMap((line) => readRule(line)?.id ?? []));
  const isTheirs = (line: string) => !base.includes(line) && !added.includes(line);
  if (theirs.some((line) => isTheirs(line) && touched.has(readRule(line)?.id ?? ''))) return null;
  const kept = theirs.filter((line) => !out.includes(line));
  const merged = [...kept, ...added.filter((line) => !kept.includes(line))];
  return overfull(merged) === null || added.length === 0 ? merged : null;
}
