import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { aroundBlock, blockLines, findBlock, setBlock } from '../../src/formats/block.ts';

const START = '<!-- pawl:rules:start -->';
const END = '<!-- pawl:rules:end -->';
const with_ = (...lines: string[]) => [START, ...lines, END].join('\n');

describe('the block of a file', () => {
  test('is what stands between its two marker lines, to the letter', () => {
    const text = `# Title\n\n${with_('- [R-001] One.', '', '  mine\t')}\nafter\n`;
    expect(blockLines(text)).toEqual(['- [R-001] One.', '', '  mine\t']);
    expect(aroundBlock(text)).toEqual({ before: `# Title\n\n${START}\n`, after: `${END}\nafter\n` });
  });

  test('may be empty, hold an empty line, or stand at the very end', () => {
    expect(findBlock(with_())).toMatchObject({ lines: [] });
    expect(findBlock(with_(''))).toMatchObject({ lines: [''] });
    expect(findBlock(`\n${with_('a')}`)).toMatchObject({ lines: ['a'], eol: '\n' });
  });

  test('is not there in a text without markers, or in which they are spoken of', () => {
    for (const text of ['', 'text', `the line \`${START}\` opens it`, `${START} x\n${END} y`])
      expect(findBlock(text)).toBeNull();
    const spoken = `say \`${START}\` here\n${with_('- a')}\n`;
    expect(blockLines(spoken)).toEqual(['- a']);
  });

  test('is found behind a BOM, with spaces around its markers, and with other line ends than its file', () => {
    expect(blockLines(`\ufeff${with_('- a')}\n`)).toEqual(['- a']);
    expect(blockLines(`  ${START}\t\n- a\n ${END} `)).toEqual(['- a']);
    expect(findBlock(with_('- a', '- b').replaceAll('\n', '\r\n'))).toMatchObject({
      lines: ['- a', '- b'],
      eol: '\r\n',
    });
    expect(findBlock(`x\ny\n${START}\r\n- a\r\n- b\n${END}\n`)).toMatchObject({ lines: ['- a', '- b'], eol: '\r\n' });
  });

  test.each([
    ['no end', `${START}\n- a\n`, 'missing below'],
    ['no start', `- a\n${END}\n`, 'missing above'],
    ['two of them', `${with_('- a')}\n${with_('- b')}\n`, 'more than once'],
    ['two starts', `${START}\n${with_('- a')}\n`, 'more than once'],
    ['two ends', `${with_('- a')}\n${END}\n`, 'more than once'],
    ['end before start', `${END}\n- a\n${START}\n`, 'wrong order'],
  ])('with %s is broken: that is said, and nothing is read or written', (_, text, why) => {
    expect(findBlock(text)).toContain(why);
    expect(blockLines(text)).toEqual([]);
    expect(setBlock(text, ['- new'])).toBeNull();
    expect(aroundBlock(text)).toEqual({ before: text, after: '' });
  });
});

describe('setting its lines', () => {
  test('D21: replaces what is between the markers, with the line ends that are there', () => {
    expect(setBlock(`a\n${with_('- old')}\nb`, ['- x', '- y'])).toBe(`a\n${with_('- x', '- y')}\nb`);
    const crlf = `\ufeffa\r\n${with_('- old').replaceAll('\n', '\r\n')}`;
    expect(setBlock(crlf, ['- x', '- y'])).toBe(`\ufeffa\r\n${with_('- x', '- y').replaceAll('\n', '\r\n')}`);
    expect(setBlock(with_('- old'), [])).toBe(`${START}\n${END}`);
  });

  test('a text without a block gets one at its end, behind an empty line', () => {
    expect(setBlock('', ['- x'])).toBe(`${with_('- x')}\n`);
    expect(setBlock('text', ['- x'])).toBe(`text\n\n${with_('- x')}\n`);
    expect(setBlock('text\n', ['- x'])).toBe(`text\n\n${with_('- x')}\n`);
    expect(setBlock('a\r\nb', ['- x'])).toBe(`a\r\nb\r\n\r\n${with_('- x').replaceAll('\n', '\r\n')}\r\n`);
  });

  test('a text without a block is left alone where there are no lines to set', () => {
    for (const text of ['', 'text', 'text\r\n']) expect(setBlock(text, [])).toBe(text);
  });

  const noMarker = (text: string) => !text.includes(START) && !text.includes(END);
  const outside = fc
    .array(fc.oneof(fc.string(), fc.constantFrom('\n', '\r\n', '\r', '---', `\`${START}\``, '\ufeff', '\0')))
    .map((parts) => parts.join(''))
    .filter((text) => !text.split('\n').some((line) => [START, END].includes(line.trim())));
  const line = fc.string({ maxLength: 20 }).filter((text) => !/[\r\n]/.test(text) && noMarker(text));
  const eol = fc.constantFrom('\n', '\r\n');
  const rows = fc.array(line, { maxLength: 5 });

  property.prop([outside, outside, rows, rows, eol], { numRuns: 2_000 })(
    'D21: every byte outside stays, and what was set is what is read',
    (before, after, old, next, end) => {
      const head = before === '' ? '' : before + end;
      const text = `${head}${START}${end}${old.map((each) => each + end).join('')}${END}${end}${after}`;
      const set = setBlock(text, next);
      expect(set).toBe(`${head}${START}${end}${next.map((each) => each + end).join('')}${END}${end}${after}`);
      expect(blockLines(set ?? '')).toEqual(next);
      expect(setBlock(set ?? '', old)).toBe(text);
    },
  );

  property.prop([outside, rows], { numRuns: 2_000 })('D21: so it does where the block is new', (text, next) => {
    const set = setBlock(text, next) ?? '';
    expect(set.startsWith(text)).toBe(true);
    expect(blockLines(set)).toEqual(next);
  });
});
