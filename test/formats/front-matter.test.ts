import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { splitItem } from '../../src/formats/front-matter.ts';

const split = (text: string | Uint8Array) =>
  splitItem(typeof text === 'string' ? Buffer.from(text) : text, 'docs/a.md');
const CANARY = 'pawlCanary';
const evil = `{ "x": (globalThis.${CANARY} = 1) }`;

describe('case D1, E1: front matter is never run', () => {
  test.for([
    '---js',
    '---javascript',
    '---JS',
    '---JavaScript',
    '--- js',
    '---\tjs',
    '---js ',
    '---coffee',
    '---json',
    '---toml',
    '---yaml',
  ])('%s is refused with file and line', (opening) => {
    expect(() => split(`${opening}\n${evil}\n---\nbody\n`)).toThrow(
      expect.objectContaining({ code: 'E_FORMAT', at: 'docs/a.md:1:1' }),
    );
    expect(globalThis).not.toHaveProperty(CANARY);
  });

  test('a body that begins so is text', () => {
    for (const body of [`---js\n${evil}\n---\n`, `---javascript\n${evil}\n---\n`, `\n---js\n${evil}\n---\n`]) {
      expect(split(`---\na: 1\n---\n${body}`)).toEqual({ fields: { a: 1 }, body });
      expect(split(`---\n---\n${body}`)).toEqual({ fields: {}, body });
      expect(split(`\n${body}`)).toEqual({ fields: {}, body: `\n${body}` });
    }
    expect(globalThis).not.toHaveProperty(CANARY);
  });

  test('nor is a second language below a bare line', () => {
    expect(() => split(`---\n---js\n${evil}\n---\n`)).toThrow(expect.objectContaining({ at: 'docs/a.md:2:1' }));
    expect(() => split(`---\na: 1\n---js\n${evil}\n---\n`)).toThrow(expect.objectContaining({ at: 'docs/a.md:3:1' }));
    expect(() => split(`---\na: !!js/function "x"\n---\n`)).toThrow(expect.objectContaining({ at: 'docs/a.md:2:4' }));
    expect(globalThis).not.toHaveProperty(CANARY);
  });
});

test('case D2: broken front matter is the same error twice, and two readings share nothing', () => {
  const read = () => {
    try {
      return split('---\na: [\n---\nx\n');
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(read()).toMatch(/^docs\/a\.md:\d:\d+: /);
  expect(read()).toBe(read());
  const first = split('---\na: { b: 1 }\n---\n');
  (first.fields.a as { b: number }).b = 2;
  expect(split('---\na: { b: 1 }\n---\n').fields).toEqual({ a: { b: 1 } });
});

test('case D3: a day stays the text it is, in every time zone', () => {
  const item = '---\ndate: 2026-06-09\nat: 2026-06-09T08:15:00Z\n---\n';
  const before = process.env.TZ;
  onTestFinished(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  for (const [zone, minutes] of [
    ['Pacific/Kiritimati', -840],
    ['America/New_York', 240],
  ] as const) {
    process.env.TZ = zone;
    expect(new Date('2026-06-09T00:00:00Z').getTimezoneOffset()).toBe(minutes);
    expect(split(item).fields).toEqual({ date: '2026-06-09', at: '2026-06-09T08:15:00Z' });
  }
});

test('case D4: an alias bomb in an item is refused', () => {
  const lines = Array.from(
    { length: 9 },
    (_, n) =>
      `k${n}: &k${n} [${Array(9)
        .fill(n ? `*k${n - 1}` : 'x')
        .join(', ')}]`,
  );
  const cpu = process.cpuUsage();
  expect(() => split(`---\n${lines.join('\n')}\n---\n`)).toThrow(expect.objectContaining({ at: 'docs/a.md:2:9' }));
  expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(50);
});

test('case D8: a tab is an error with its place', () => {
  expect(() => split('---\ntoday:\n\tdate: 2026-06-09\n---\n')).toThrow(
    expect.objectContaining({ at: 'docs/a.md:3:1' }),
  );
});

test('numbers that would not come back as they are written stay text', () => {
  const { fields } = split(
    '---\nn: 12\nf: 1.5\nid: 007\nhex: 0x1F\npower: 1e3\nbig: 12345678901234567890\nno: no\nyes: true\nnone:\nl: [1, {a: b}]\n---\n',
  );
  expect(fields).toEqual({
    n: 12,
    f: 1.5,
    id: '007',
    hex: '0x1F',
    power: '1e3',
    big: '12345678901234567890',
    no: 'no',
    yes: true,
    none: null,
    l: [1, { a: 'b' }],
  });
});

test('what is no front matter is body, to the letter', () => {
  for (const text of ['', 'x', '# Title\n---\n', '----\n', ' ---\na: 1\n---\n', '\n---\na: 1\n---\n'])
    expect(split(text)).toEqual({ fields: {}, body: text });
  expect(split('\ufeff---\r\na: 1\r\n---\r\nb\r\n')).toEqual({ fields: { a: 1 }, body: 'b\r\n' });
  expect(split('---\n# only a comment\n---\nb')).toEqual({ fields: {}, body: 'b' });
  expect(split('---\na: 1\n---')).toEqual({ fields: { a: 1 }, body: '' });
});

test('bytes that are not UTF-8 are replaced, UTF-16 is refused', () => {
  const odd = Buffer.concat([Buffer.from('---\na: x'), Buffer.of(0xff), Buffer.from('\n---\n'), Buffer.of(0xfe)]);
  expect(split(odd)).toEqual({ fields: { a: 'x\ufffd' }, body: '\ufffd' });
  expect(() => split(Buffer.from('\ufeff---\n', 'utf16le'))).toThrow(
    'docs/a.md:1:1: this file is UTF-16: save it as UTF-8',
  );
  expect(() => split(Buffer.of(0xfe, 0xff, 0, 45))).toThrow(/UTF-16/);
});

test('front matter that is never closed is refused', () => {
  expect(() => split('---\na: 1\n')).toThrow(expect.objectContaining({ code: 'E_FORMAT', at: 'docs/a.md:1:1' }));
});

test('blank lines without end do not hang it', () => {
  const cpu = process.cpuUsage();
  expect(() => split(`---\n${'\n'.repeat(200_000)}a: 1\n---\n`)).toThrow(/1000 blanks/);
  expect(split(`---\n${'\n'.repeat(990)}a: 1\n---\n`).fields).toEqual({ a: 1 });
  expect(process.cpuUsage(cpu).user / 1000).toBeLessThan(500);
});

test('gray-matter is imported here and nowhere else', () => {
  const src = join(import.meta.dirname, '../../src');
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const importers = files.filter((name) => readFileSync(join(src, name), 'utf8').includes("'gray-matter'"));
  expect(importers).toEqual([join('formats', 'front-matter.ts')]);
});
