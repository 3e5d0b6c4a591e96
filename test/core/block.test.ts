import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import {
  learningId,
  MOST_POINTS,
  MOST_RULES,
  mergeLines,
  overfull,
  readRule,
  ruleId,
  ruleLine,
  rulesIn,
} from '../../src/core/block.ts';

const one = '- [R-001] One.';
const two = '- [R-002] Two.';
const three = '- [R-003] Three.';
const four = '- [R-004] Four.';

describe('a rule’s line', () => {
  test('has the number of its learning, both ways', () => {
    expect(['L7', 'L42', 'L1234'].map(ruleId)).toEqual(['R-007', 'R-042', 'R-1234']);
    expect(['R-007', 'R-042', 'R-1234'].map(learningId)).toEqual(['L7', 'L42', 'L1234']);
    expect(readRule(ruleLine('R-007', 'Wait [a while].'))).toEqual({ id: 'R-007', text: 'Wait [a while].' });
  });

  test.each(['- Wait.', '* [R-001] Wait.', ' - [R-001] Wait.', '- [R-1] Wait.', '- [L7] Wait.', '- [R-001]Wait.', ''])(
    'is no line that a person wrote in a form of their own: %j',
    (text) => {
      expect(readRule(text)).toBeNull();
    },
  );

  test('is found among others', () => {
    expect(rulesIn(['## Mine', one, '- mine', two]).map(({ id }) => id)).toEqual(['R-001', 'R-002']);
  });
});

describe('the bounds of a block', () => {
  test('C9: 25 bullets are read, 26 are not, and whoever wrote one counts', () => {
    const bullets = Array.from({ length: MOST_RULES - 2 }, () => one);
    expect(overfull([...bullets, '* mine', '+ mine', 'a note', ''])).toBeNull();
    expect(overfull([...bullets, '* mine', '+ mine', '- mine'])).toContain('26 rules');
  });

  test('C9: 4000 code points with their line ends are read, 4001 are not', () => {
    const line = '🜁'.repeat(MOST_POINTS / 2 - 1);
    expect(overfull([line, line])).toBeNull();
    expect(overfull([line, `${line}🜁`])).toContain('4001 characters');
    expect(overfull([line, line, ''])).toContain('4001 characters');
  });
});

describe('two changes of one block', () => {
  test('only ours, only theirs, or the same: nothing to bring together', () => {
    expect(mergeLines([one], [one, two], [one])).toEqual([one, two]);
    expect(mergeLines([one], [one], [one, '- mine'])).toEqual([one, '- mine']);
    expect(mergeLines([one], [one, two], [one, two])).toEqual([one, two]);
    expect(mergeLines([one, two], [two], [one, two])).toEqual([two]);
    expect(mergeLines([], [], [])).toEqual([]);
  });

  test('D20: theirs stay where they are, what we took out goes, what we added comes last', () => {
    const theirs = ['- mine', three, '', one, two];
    expect(mergeLines([one, two, three], [one, three, four], theirs)).toEqual(['- mine', three, '', one, four]);
  });

  test('a rule that they deleted stays deleted, also when we took it out too', () => {
    expect(mergeLines([one, two], [one, two, three], [two])).toEqual([two, three]);
    expect(mergeLines([one, two], [two], [two, '- mine'])).toEqual([two, '- mine']);
  });

  test('where they wrote a line of ours themselves it is there once', () => {
    expect(mergeLines([], [one, two], ['- mine', one])).toEqual(['- mine', one, two]);
  });

  test('both changed the same rule: null, theirs stand alone', () => {
    const mine = '- [R-001] Mine.';
    expect(mergeLines([one], [], [mine])).toBeNull();
    expect(mergeLines([], [one], [mine])).toBeNull();
    expect(mergeLines([one], ['- [R-001] Ours.'], [mine])).toBeNull();
    expect(mergeLines([one, two], [two], [one.trimEnd(), mine])).toBeNull();
    expect(mergeLines([one, two], [one, three], [mine, two])).toEqual([mine, three]);
  });

  test('what would be too much with what they wrote meanwhile is not brought in; taking out always is', () => {
    const theirs = Array.from({ length: MOST_RULES }, (_, index) => `- mine ${index}`);
    expect(mergeLines([], [one], theirs)).toBeNull();
    expect(mergeLines([one], [], [one, ...theirs, '- too many'])).toEqual([...theirs, '- too many']);
  });

  /** A few rules, of which each side changes, takes out and adds some; a person also writes lines in forms of their own. */
  const texts = fc.constantFrom('a', 'b', 'c');
  const ruleOf = fc.tuple(fc.integer({ min: 1, max: 6 }), texts).map(([n, text]) => ruleLine(ruleId(`L${n}`), text));
  const rules = (most: number) => fc.uniqueArray(ruleOf, { maxLength: most, selector: (line) => readRule(line)?.id });
  const free = fc.constantFrom('', '- mine', '  more of it', '> note', '- [ ] box', 'text');
  const theirs = fc.uniqueArray(fc.oneof({ weight: 3, arbitrary: ruleOf }, free), { maxLength: 8 });

  const ids = (lines: readonly string[]) => new Set(rulesIn(lines).map(({ id }) => id));
  const isOf = (id: string, lines: readonly string[]) => lines.filter((line) => readRule(line)?.id === id).join('\n');

  property.prop([rules(5), rules(5), theirs], { numRuns: 20_000 })(
    'D20: every line that a person added or changed is there to the letter and in their order, or nothing is touched',
    (base, ours, yours) => {
      const merged = mergeLines(base, ours, yours);
      if (merged === null) return;
      const written = yours.filter((line) => !base.includes(line));
      expect(merged.filter((line) => written.includes(line))).toEqual(expect.arrayContaining(written));
      const stay = yours.filter((line) => merged.includes(line));
      if (yours.join('\n') !== base.join('\n')) expect(merged.slice(0, stay.length)).toEqual(stay);
      // Nothing comes from nowhere, and what we took out or they deleted does not come back.
      for (const line of merged) expect([...ours, ...yours]).toContain(line);
      for (const line of base.filter((each) => !ours.includes(each) && merged.includes(each)))
        expect.fail(`${line} was taken out, and is there`);
      for (const line of base.filter((each) => !yours.includes(each) && ours.includes(each)))
        expect(merged).not.toContain(line);
      for (const line of ours.filter((each) => !base.includes(each))) expect(merged).toContain(line);
    },
  );

  property.prop([rules(5), rules(5), theirs], { numRuns: 20_000 })(
    'D20: it is null exactly where both touched one rule and did not make the same of it',
    (base, ours, yours) => {
      const lines = (id: string) => [base, ours, yours].map((side) => isOf(id, side)) as [string, string, string];
      const clash = [...ids([...base, ...ours, ...yours])].some((id) => {
        const [was, our, your] = lines(id);
        // Deleting is a change without a text: it never stands against what we did.
        const wrote = your.split('\n').some((line) => line !== '' && line !== was && line !== our);
        return was !== our && wrote;
      });
      const same = yours.join('\n') === base.join('\n') || yours.join('\n') === ours.join('\n');
      expect(mergeLines(base, ours, yours) === null).toBe(clash && !same);
    },
  );
});
