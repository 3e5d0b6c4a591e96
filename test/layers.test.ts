import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

/** From the bottom up. A folder may import itself and those on the lines above its own, never one beside it or below. */
const LAYERS = [
  ['errors.ts'],
  ['core'],
  ['formats'],
  ['store'],
  ['executors', 'sources'],
  ['engine'],
  ['cli'],
  ['demo'],
  ['index.ts', 'main.ts', 'demo.ts'],
];
/** `node:` in front of a name allows a module of Node, everything else is a package. */
const PACKAGES: Record<string, RegExp> = {
  'errors.ts': /^$/,
  core: /^$/,
  formats: /^(yaml|gray-matter)$/,
  store: /^(node:.+|proper-lockfile|picomatch)$/,
};
const LONGEST = 250;

const root = resolve(import.meta.dirname, '..');
const src = join(root, 'src');
const part = (path: string) => path.split('/')[0] ?? '';
const level = (path: string) => LAYERS.findIndex((layer) => layer.includes(part(path)));

const files = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(src, name), 'utf8') }));
const imports = files.flatMap(({ name, text }) =>
  [
    ...text.matchAll(/(?:^import |^export .*from |\bfrom |\bimport\(|\brequire\(|\brequire\.resolve\()\s*'([^']+)'/gm),
  ].map(([, to = '']) =>
    to.startsWith('.') ? { from: name, to: join(dirname(name), to), own: true } : { from: name, to, own: false },
  ),
);
const told = (list: typeof imports) => list.map(({ from, to }) => `${from} imports ${to}`);

test('every folder has its place', () => {
  expect(files.map(({ name }) => name).filter((name) => level(name) === -1)).toEqual([]);
});

test('imports point downwards', () => {
  const own = imports.filter((each) => each.own);
  expect(own.length).toBeGreaterThan(200);
  expect(told(own.filter(({ from, to }) => part(from) !== part(to) && level(to) >= level(from)))).toEqual([]);
  expect(told(own.filter(({ to }) => !files.some(({ name }) => name === to)))).toEqual([]);
});

test('decisions use no package and no module of Node, formats read text and nothing else', () => {
  const foreign = imports.filter(({ own }) => !own);
  expect(foreign.length).toBeGreaterThan(30);
  expect(told(foreign.filter(({ from, to }) => PACKAGES[part(from)]?.test(to) === false))).toEqual([]);
});

test('only one file opens front matter with gray-matter, which runs code unless it is asked not to', () => {
  const users = imports.filter(({ to }) => to === 'gray-matter').map(({ from }) => from);
  expect([...new Set(users)]).toEqual(['formats/front-matter.ts']);
});

test('decisions know no clock, no chance and no environment', () => {
  // The bytes of a text are all that core takes from Node.
  const forbidden =
    /\b(Date\.now|new Date\(\)|Math\.random|performance\b|process\b\.|setTimeout|setInterval|globalThis|fetch\()/;
  const core = files.filter(({ name }) => part(name) === 'core');
  expect(core.filter(({ text }) => forbidden.test(text)).map(({ name }) => name)).toEqual([]);
  expect(core.filter(({ text }) => /\bBuffer\b/.test(text)).map(({ name }) => name)).toEqual(['core/encode-id.ts']);
});

test(`no file is longer than ${LONGEST} lines`, () => {
  const length = (text: string) => text.trimEnd().split('\n').length;
  expect(
    files.filter(({ text }) => length(text) > LONGEST).map(({ name, text }) => `${name}: ${length(text)}`),
  ).toEqual([]);
});

test('the file that cron starts holds no package: a tick with nothing to do costs little more than starting node', () => {
  const entry = readFileSync(join(root, process.env.PAWL_OUT ?? 'dist', 'pawl.cjs'), 'utf8');
  expect(entry).not.toContain('node_modules');
  // The rest of the program is beside it, and loaded on use.
  expect(
    [...entry.matchAll(/require\("([^"]+)"\)/g)]
      .map(([, name]) => name)
      .filter((name) => !/^(node:(fs|path)|\.\/cli\.cjs)$/.test(name ?? '')),
  ).toEqual([]);
});
