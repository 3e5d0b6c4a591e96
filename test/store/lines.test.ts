import { expect, test } from 'vitest';
import { lineReader, type OutputLine } from '../../src/store/lines.ts';

function read(chunks: (string | Buffer)[], longest = 1000): OutputLine[] {
  const lines: OutputLine[] = [];
  const reader = lineReader(longest, (line) => lines.push(line));
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return lines;
}

const texts = (lines: OutputLine[]) => lines.map(({ text }) => text);

test('a line split over chunks is one line, and several lines in a chunk are several', () => {
  expect(texts(read(['{"type":', '"step"}', '\na\n\nb', '\n']))).toEqual(['{"type":"step"}', 'a', '', 'b']);
});

test('a last line without a newline counts', () => {
  expect(texts(read(['a\nb']))).toEqual(['a', 'b']);
});

test('a character split at any byte stays a character', () => {
  const bytes = Buffer.from('käse 🧀 字\n');
  for (let at = 1; at < bytes.length; at += 1)
    expect(texts(read([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(['käse 🧀 字']);
});

test('a line that is too long is cut and says so, and the next one is whole', () => {
  expect(read(['0123456', '789\nnext\n'], 8)).toEqual([
    { text: '01234567', cut: true },
    { text: 'next', cut: false },
  ]);
  expect(read(['01234567\n'], 8)).toEqual([{ text: '01234567', cut: false }]);
});
