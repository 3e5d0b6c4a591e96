import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPlain } from '../../src/formats/plain-yaml.ts';
import { parseRules, printRules } from '../../src/formats/rules.ts';
import { fillStarter } from '../../src/formats/starter.ts';
import { frontMatter } from '../../src/formats/text.ts';
import { mapOf, readYaml } from '../../src/formats/yaml.ts';
import { valuesOf, type YamlMap } from '../../src/formats/yaml-nodes.ts';
import { FULL, MINIMAL } from './states.ts';
import { documents } from './yaml-documents.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const whole = (text: string) => ({ file: 'loop.md', text, from: 0, to: text.length });

/** Read by the package alone; null = refused, or nothing there. */
function byPackage(text: string): YamlMap | null {
  try {
    const root = readYaml(whole(text));
    return root === null ? null : mapOf(root);
  } catch (error) {
    expect(error).toMatchObject({ code: 'E_FORMAT' });
    return null;
  }
}

function settingsOf(text: string): string {
  const found = frontMatter('loop.md', text);
  if (found === null) throw new Error(`no settings: ${text}`);
  return found.text.slice(found.from, found.to);
}

const SHIPPED = fillStarter(read('contracts/loop.md'), {
  cohort: 'Every page of the handbook',
  done_when: 'it was read: no "maybe" is left',
  path: 'docs/**/*.md',
  field: 'checked',
  write: ['findings', 'owner'],
  copy_in: ['{path}', 'README.md'],
  outputs: [],
  run: ['node', 'worker.mjs', '--careful'],
  env: ['API_KEY'],
  timezone: 'Europe/London',
  usd_per_day: 2.5,
});

describe('what the program writes itself is read without the package', () => {
  test.for<[string, string]>([
    ['the loop.md that init makes', settingsOf(SHIPPED)],
    ['the same with CRLF', settingsOf(SHIPPED.replaceAll('\n', '\r\n'))],
    ['the loop.md of this repository', settingsOf(read('.jez/loop.md'))],
    ['a state.md', settingsOf(FULL)],
    ['the shortest state.md', MINIMAL],
  ])('%s', ([, yaml]) => {
    const plain = readPlain(yaml);
    expect(plain).not.toBeNull();
    expect(plain).toEqual(byPackage(yaml));
  });

  test('the ledger of learnings', () => {
    const rules = parseRules(
      `#\t
L1: { state: held, key: http.429, rule: "Wait, then \\"ask\\" again: # 2", level: 1.5, tick: 3, day: 2026-06-09, items: [a.md] }
L2: { state: queued, rule: Say no, level: 1, tick: 4, day: 2026-06-09, items: [a.md, "docs/b, c.md"] }
`,
      'rules.yaml',
    );
    const text = printRules('', rules, 'rules.yaml');
    expect(readPlain(text)).not.toBeNull();
    expect(parseRules(text, 'rules.yaml')).toEqual(rules);
    // A tab in a comment is all it takes to be read by the package.
    expect(parseRules(`${text}#\t\n`, 'rules.yaml')).toEqual(rules);
  });
});

test('every loop.md in the tests, benches and pages of this repository is read alike', () => {
  const texts = ['test', 'bench', 'docs'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:md|ts|mjs)$/.test(name))
      .map((name) => read(join(folder, name))),
  );
  const found = texts.flatMap((text) => text.match(/^cohort: [\s\S]*?(?=^(?:---|`))/gm) ?? []);
  expect(found.length).toBeGreaterThan(5);
  for (const text of found) {
    const yaml = text.replace(/\$\{\w+\}/g, '5');
    const plain = readPlain(yaml);
    expect(plain, yaml).not.toBeNull();
    expect(plain, yaml).toEqual(byPackage(yaml));
  }
});

test('what a person may write besides is read', () => {
  const yaml = `# why
cohort: Every page, [draft] too   # not: a map
empty:
none: ~
list:
- { a: 1, b: [x, "y, z"] }
  # between
- it's
map:   # below

    deep:
      - 007
`;
  const plain = readPlain(yaml);
  expect(plain?.entries.map(({ key, value }) => [key, valuesOf(value)])).toEqual([
    ['cohort', 'Every page, [draft] too'],
    ['empty', null],
    ['none', null],
    ['list', [{ a: 1, b: ['x', 'y, z'] }, "it's"]],
    ['map', { deep: [7] }],
  ]);
  expect(plain).toEqual(byPackage(yaml));
});

test('the rest is left to the package', () => {
  for (const yaml of [
    ...[
      '',
      '# c',
      'a',
      '- a',
      '{ a: 1 }',
      ' a: 1',
      'a : 1',
      '"a": 1',
      '1: a',
      'null: a',
      'a b: 1',
      '? a\n: b',
      '__proto__: 1',
    ],
    ...['a: 1\na: 2', 'a: { b: 1, b: 2 }', 'a: { constructor: 1 }', '---\na: 1', 'a: 1\n...', `${'a'.repeat(200)}: 1`],
    ...[
      'a: &x 1',
      'a: *x',
      'a: !t 1',
      'a: |\n  b',
      'a: >\n  b',
      'a:\tb',
      'a: 1\t# c',
      'a: 1\rb: 2',
      '\ufeffa: 1',
      'a: \u2028',
    ],
    ...[
      'a: b\n  c',
      'a: "b\n  c"',
      'a: [b,\n  c]',
      'a: b: c',
      'a: b:',
      'a: [b: c]',
      'a: [b:]',
      'a: [b:, c]',
      'a: { b: c: }',
    ],
    ...[
      'a: { b }',
      'a: { b: }',
      'a: [b, ]',
      'a: [, b]',
      'a: { "b": 1 }',
      `a: ${'['.repeat(9)}${']'.repeat(9)}`,
      'a: b\u00a0c',
    ],
    ...[
      'a: 0o17',
      'a: 0x1F',
      'a: 1e3',
      'a: .5',
      'a: 1.',
      'a: .inf',
      'a: "\\n"',
      'a: "b" c',
      'a: "b"#c',
      'a: [b]#c',
      'a: <<',
      `a: 1 #${'c'.repeat(262_144)}`,
    ],
    ...[
      'a: @b',
      'a: %b',
      'a: `b`',
      'a: , b',
      'a: - b',
      'a:\n  - b: 1',
      'a:\n  -',
      'a:\n  - - b',
      'a:\n    b: 1\n  c: 2',
    ],
  ]) {
    expect(readPlain(yaml), yaml.slice(0, 60)).toBeNull();
    expect(readPlain(`${yaml}\n`), yaml.slice(0, 60)).toBeNull();
  }
});

test('no text makes it slow', () => {
  const long = 250_000;
  for (const text of [
    `a: "${'\\'.repeat(long)}`,
    `a: '${"''".repeat(long / 2)}`,
    `a: ${'b:'.repeat(long / 2)} `,
    `a: ${'b '.repeat(long / 2)}: c`,
    `a: b${' '.repeat(long)}#`,
    `a: b${' '.repeat(long)}: c`,
    `a: ${'1'.repeat(long)}x`,
    `a: ${'['.repeat(long)}`,
    `a: [${'b, '.repeat(long / 3)}`,
    `a: { ${'b: 1, '.repeat(long / 6)}`,
    Array.from({ length: 25_000 }, (_, index) => `k${index}: 1`).join('\n'),
    Array.from({ length: 600 }, (_, index) => `${' '.repeat(index)}a:`).join('\n'),
    `a:\n${'- b\n'.repeat(long / 4)}`,
    '\n'.repeat(long),
    `a: 1\n${' \n'.repeat(long / 2)}`,
    `${'a'.repeat(long)}: 1`,
    `${' '.repeat(long)}x`,
  ]) {
    const start = process.cpuUsage();
    readPlain(text);
    expect(process.cpuUsage(start).user / 1000, text.slice(0, 30)).toBeLessThan(500);
  }
});

test('whenever it answers, the package reads the very same', () => {
  const next = documents(20);
  const told = { answered: 0, left: 0 };
  for (let run = 0; run < 20_000; run++) {
    const text = next();
    const plain = readPlain(text);
    if (plain !== null) expect(plain, JSON.stringify(text)).toEqual(byPackage(text));
    if (plain !== null) told.answered++;
    // The package takes its time: of those it alone can tell, every fifth says how many are sound.
    else if (run % 5 === 0 && byPackage(text) !== null) told.left += 5;
  }
  expect(told.answered).toBeGreaterThan(4000);
  expect(told.answered).toBeGreaterThan(told.left);
});
