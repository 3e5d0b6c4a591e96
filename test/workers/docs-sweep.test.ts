import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
// @ts-expect-error The worker is plain JavaScript without types: it is copied into projects and has to run by itself.
import { check as untyped } from '../../contracts/workers/docs-sweep.mjs';
import { readLine } from '../../src/formats/protocol.ts';
import { folder } from '../support/workspace.ts';

interface Finding {
  line: number;
  rule: string;
  message: string;
  target?: string;
}
interface Project {
  has(path: string): boolean;
  read(path: string): string | null;
}
const check: (page: { path: string; text: string }, project: Project) => Finding[] = untyped;

const WORKER = new URL('../../contracts/workers/docs-sweep.mjs', import.meta.url).pathname;

/** The project around the page `docs/page.md` of the table below. */
const FILES: Record<string, string> = {
  'README.md': '# Read me\n\n## Usage\n\ntext\n\n## Usage\n',
  'docs/page.md': '',
  'docs/b.md': '# Bee\n\nSetext title\n---\n\n<a name="named"></a>\n\n## Given {#own}\n',
  'docs/a b.md': '# Blank',
  'docs/x(1).md': '# Round',
  'docs/héllo.md': '# Accents',
  'docs/latin.md': '',
  'docs/img/logo.png': '',
  'docs/site/guide/start.md': '# Start\n',
  'src/a.ts': '',
};
const FOLDERS = new Set(['', 'docs', 'docs/img', 'docs/site', 'docs/site/guide', 'src']);
const project: Project = {
  has: (path) => path in FILES || FOLDERS.has(path),
  read: (path) => (path === 'docs/latin.md' ? null : (FILES[path] ?? null)),
};

/** `rule:line` of each finding. */
function findings(text: string) {
  return check({ path: 'docs/page.md', text }, project).map(({ rule, line }) => `${rule}:${line}`);
}

type Row = [name: string, text: string, ...expected: string[]];

const LINKS: Row[] = [
  ['a file beside the page', '[b](b.md)'],
  ['a file that is not there', 'one\n\n[b](no.md) two', 'dead-link:3'],
  ['a file above, a folder, a folder with a slash', '[r](../README.md) [i](img) [i](./img/) [s](../src/)'],
  ['a folder that is not there', '[i](imgs/)', 'dead-link:1'],
  ['the root of the project', '[r](..) [r](../) [r](/)'],
  ['two on one line', '[a](no.md) and [b](b.md) and [c](none.md)', 'dead-link:1', 'dead-link:1'],
  ['a link over two lines counts at its start', 'x\n[a\nb](no.md)', 'dead-link:2'],
  ['URL decoding', '[a](a%20b.md) [h](h%C3%A9llo.md) [h](héllo.md)'],
  ['URL decoding of a file that is not there', '[a](a%20c.md)', 'dead-link:1'],
  ['a percent sign that is no code', '[a](100%.md) [b](%zz)', 'dead-link:1', 'dead-link:1'],
  ['angle brackets hold blanks', '[a](<a b.md>) [a](<a c.md>)', 'dead-link:1'],
  ['blanks without angle brackets make no link', '[a](no such file.md)'],
  ['balanced parentheses', '[x](x(1).md) [y](y(1).md)', 'dead-link:1'],
  ['escaped parentheses', '[x](x\\(1\\).md) [y](y\\).md)', 'dead-link:1'],
  ['titles', '[b](b.md "T") [b](b.md \'T\') [b](b.md (T)) [c](c.md "a ) b")', 'dead-link:1'],
  ['a title that does not end makes no link', '[c](c.md "a)'],
  ['character references in a target', '[x](x&#40;1&#41;.md) [y](a&amp;b.md)', 'dead-link:1'],
  ['a query is not part of the name', '[b](b.md?plain=1#L3) [c](c.md?raw=true)', 'dead-link:1'],
  ['outside the project', '[o](../../other/x.md) [o](<../..>)', 'outside-project:1', 'outside-project:1'],
  ['outside by coded dots', '[o](%2e%2e/%2e%2e/etc/passwd)', 'outside-project:1'],
  ['from the root of the project', '[r](/README.md) [n](/NO.md)', 'dead-link:1'],
  ['from the root of a site', '[b](/b.md) [s](/img/logo.png)'],
  ['a page without its .md, as site generators allow', '[s](site/guide/start) [n](site/guide/end)', 'dead-link:1'],
  [
    'addresses',
    '[a](https://x.org/no.md) [b](HTTP://x) [c](mailto:a@b.c) [d](tel:+1) [e](data:text/plain,x) [f](//x.org/y)',
  ],
  ['other schemes', '[a](vscode://x) [b](javascript:0) [c](ftp://x)'],
  ['templates', '[a]({{site.url}}) [b]({{x}}/y.md) [c]($' + '{x}/y.md) [d]({%link%})'],
  ['empty targets', '[a]() [b](<>) [c](#)'],
  ['a reference', '[b][ref] [ref][] [ref]\n\n[ref]: b.md'],
  ['a dead definition counts once, where it is', '[b][ref] [ref][]\n\n[ref]: no.md "T"', 'dead-link:3'],
  ['definitions one after another', '[a]: no.md\n[b]: <b.md>\n[c]:\n  none.md\n  "T"', 'dead-link:1', 'dead-link:3'],
  ['a definition in a quote and in a list', '> [a]: no.md\n\n- x\n\n  [b]: none.md', 'dead-link:1', 'dead-link:5'],
  ['what only looks like a definition', '[note]: two words\n\n[a]: no.md oh\n\ntext\n[b]: no.md'],
  ['a reference that is not defined is text', '[a][b] a[0][1] [x]'],
  ['a badge: an image in a link', '[![alt](img/no.png)](no.md)', 'dead-link:1', 'dead-link:1'],
  ['a link in a link is the inner one', '[a [b](b.md) c](no.md)'],
  ['brackets in the text', '[a [b] c](no.md)', 'dead-link:1'],
  ['an escaped bracket', '\\[a](no.md) [a\\](no.md) \\\\[a](no.md)', 'dead-link:1'],
  ['a table', '| a | b |\n|---|:-:|\n| [x](no.md) | [y](b.md) |\n| ` | [z](none.md) ` |', 'dead-link:3', 'dead-link:4'],
  [
    'headings, quotes and lists',
    '# [a](1.md)\n> [b](2.md)\n- [c](3.md)\n  1. [d](4.md)',
    ...[1, 2, 3, 4].map((n) => `dead-link:${n}`),
  ],
  [
    'HTML links',
    '<a href="no.md">x</a>\n\n<p>\n<a href=\'b.md\'>x</a> <a\n href=none.md>y</a></p>',
    'dead-link:1',
    'dead-link:4',
  ],
  ['CRLF and a BOM keep the lines', '\u{feff}# T\r\n\r\n[a](no.md)\r\n[b](b.md)\r\n', 'dead-link:3'],
  ['a lone CR ends a line', 'a\rb\r[a](no.md)', 'dead-link:3'],
  ['a path that is no path', `[a](a%00b.md) [b](${'x'.repeat(5000)})`, 'dead-link:1', 'dead-link:1'],
];

const ANCHORS: Row[] = [
  ['a heading of this page', '# One Two!\n\n[x](#one-two) [y](#one-too)', 'dead-anchor:3'],
  ['by the name of this page', '# One\n[x](page.md#one) [y](./page.md#two)', 'dead-anchor:2'],
  ['headings of another page', '[a](b.md#bee) [b](b.md#setext-title) [c](b.md#no)', 'dead-anchor:1'],
  ['names and ids of another page', '[a](b.md#named) [b](b.md#own) [c](b.md#given-own)', 'dead-anchor:1'],
  ['a page that cannot be read is not judged', '[a](latin.md#x)'],
  ['a heading that comes later', '[a](#later)\n\n## Later'],
  ['closing hashes', '## A ##\n## B#\n[a](#a) [b](#b)'],
  ['hashes without a blank are no heading', '#tag\n[a](#tag)', 'dead-anchor:2'],
  ['setext headings', 'A b\n===\n\nC\nd\n---\n[a](#a-b) [c](#c-d) [d](#d)', 'dead-anchor:7'],
  ['a rule is no setext heading', 'text\n\n---\n[a](#text)', 'dead-anchor:4'],
  ['repeated headings have numbers', '# A\n# A\n# A\n[1](#a-1) [2](#a-2) [3](#a-3)', 'dead-anchor:4'],
  ['a heading that has the number of another', '# A\n# A 1\n# A\n[1](#a-1) [2](#a-2)'],
  ['an ambiguous anchor', '# A\n# A\n[1](#a)', 'ambiguous-anchor:3'],
  ['an ambiguous anchor of another page', '[1](../README.md#usage) [2](../README.md#read-me)', 'ambiguous-anchor:1'],
  ['a table of contents knows both', '# A\n# A\n- [1](#a)\n- [2](#a-1)'],
  ['an id of its own settles it', '# A\n# A\n<a id="a"></a>[1](#a)'],
  ['repeated headings that nothing links to', '# A\n# A\n# A'],
  [
    'HTML ids and names',
    '<div id="One"></div>\n\nx <a name=\'two\'></a> <b id=three>\n\n[1](#One) [2](#two) [3](#three) [4](#four)',
    'dead-anchor:5',
  ],
  ['HTML headings', '<h1 align="center">\n  My <b>Page</b>\n</h1>\n\n[a](#my-page)'],
  [
    'explicit ids',
    '# A {#one}\n# B {: #two .c}\n\nText {#three}\n\n[1](#one) [2](#two) [3](#three) [a](#a) [n](#a-one)',
    'dead-anchor:6',
  ],
  ['code, emphasis and links in headings', '# `a_b` _c_ **d** [e](b.md) ~~f~~\n[x](#a_b-c-d-e-f)'],
  ['images and tags in headings', '# A ![logo](b.md) <b>B</b>\n[x](#a--b)'],
  ['underscores that are no emphasis', '# __dirname and a_b_c\n[x](#__dirname-and-a_b_c)'],
  [
    'other scripts, marks and emoji',
    '# Über café 日本\n# 🎉 Go\n# ❤️ L\n[1](#über-café-日本) [2](#%C3%BCber-caf%C3%A9-日本) [3](#-go) [4](#️-l) [5](#-l)',
  ],
  ['character references in headings', '# A &amp; B &copy; &#67;\n[x](#a--b--c)'],
  ['letter case makes no difference', '# Big\n[x](#Big)'],
  ['places every page has', '[a](#top) [b](#) [c](b.md#) [d](#user-content-t)\n# T'],
  ['lines, text fragments and routes', '[a](b.md#L10) [b](b.md#L1-L3) [c](#:~:text=x) [d](#/route) [e](#!x)'],
  ['anchors of other files and folders', '[a](../src/a.ts#L1) [b](../src/a.ts#x) [c](img#x) [d](https://x.org#y)'],
  ['a dead file with an anchor is one finding', '[a](no.md#x)', 'dead-link:1'],
];

const IMAGES: Row[] = [
  ['an image with alt text', '![Logo](img/logo.png)'],
  ['an image without', 'x\n![](img/logo.png)', 'image-alt:2'],
  ['blank alt text', '![  ](img/logo.png)', 'image-alt:1'],
  ['a dead image', '![Logo](img/no.png)', 'dead-link:1'],
  ['an image from elsewhere', '![](https://x.org/y.png)', 'image-alt:1'],
  ['an image by reference', '![][l] ![Logo][l]\n\n[l]: img/logo.png', 'image-alt:1'],
  ['an image in a badge', '[![](img/logo.png)](b.md)', 'image-alt:1'],
  ['an <img> without alt', '<img src="img/logo.png">\n\nx <img\n src=img/logo.png />', 'image-alt:1', 'image-alt:3'],
  ['an <img> with alt', '<img src="img/logo.png" alt="Logo"> <IMG ALT=x SRC=img/logo.png>'],
  ['an empty alt is a choice', '<img src="img/logo.png" alt=""> <img alt src="img/logo.png">'],
  ['an <img> after a comment with blank lines', '<!--\n\n\n--> <img src="img/logo.png">', 'image-alt:4'],
  ['a dead <img>', '<p align="center">\n<img src="img/no.png" alt="x"></p>', 'dead-link:2'],
  ['an exclamation mark before a link', 'So\\![a](b.md)!'],
];

const FENCES: Row[] = [
  ['a closed fence', '```js\n[a](no.md) ![](x)\n# No\n```\n[n](#no)', 'dead-anchor:5'],
  ['an open fence', 'a\n\n```\n[a](no.md)\n', 'open-fence:3'],
  ['tildes do not close backticks', '```\n~~~\n', 'open-fence:1'],
  ['a longer fence closes, a shorter does not', '````\n```\n[a](no.md)\n`````\n[b](no.md)', 'dead-link:5'],
  ['a fence with a language does not close', '```\n```js\n[a](no.md)\n```'],
  ['backticks in one line are code', '```js``` [a](no.md)', 'dead-link:1'],
  ['a fence in a list', '- a\n\n  ```\n  [a](no.md)\n\n  ```\n- b\n1. c\n   ~~~\n   x\n   ~~~'],
  ['a fence that its list item ends', '- a\n  ```\n  code\n\nText [a](no.md)', 'open-fence:2', 'dead-link:5'],
  ['a fence in a quote', '> ```\n> [a](no.md)\n> ```\n> [b](no.md)', 'dead-link:4'],
  ['a fence that its quote ends', '> ```\n> x\n\n[b](b.md)', 'open-fence:1'],
  ['a fence in an open comment', '<!--\n```\n-->\n[a](no.md)', 'dead-link:4'],
];

const SILENCE: Row[] = [
  ['nothing at all', ''],
  ['indented code', 'a\n\n    [a](no.md)\n\n\t[b](no.md)'],
  ['indented code in a list', '- a\n\n      [a](no.md)\n\n1. b\n\n       ![](x)'],
  ['an indented line of a paragraph is no code', 'a\n    [a](no.md)', 'dead-link:2'],
  ['an indented paragraph of a list item is no code', '1.  a\n\n    [a](no.md)', 'dead-link:3'],
  ['inline code', '`[a](no.md)` ``[b](no.md) ` x`` `![](x)`'],
  ['inline code over two lines', '`[a](no.md)\n[b](no.md)`'],
  ['a backtick alone is no code', 'a ` b [a](no.md)', 'dead-link:1'],
  ['escaped backticks are no code', '\\`[a](no.md)\\`', 'dead-link:1'],
  ['code wins over links', '[a`](no.md)`'],
  ['HTML comments', '<!-- [a](no.md) -->\n\nx <!-- ![](x) --> y\n\n<!--\n\n[b](no.md)\n\n<img src="x">\n-->'],
  ['a comment that does not end', 'a\n\n<!-- b\n\n[a](no.md) <img src="x">'],
  ['autolinks', '<https://x.org/a> <mailto:a@b.c> <a@b.c> https://x.org/no.md www.x.org'],
  ['footnotes', 'Text[^1] and [^note].\n\n[^1]: no.md\n[^note]: See it.'],
  ['checkboxes', '- [ ] todo\n- [x] done\n* [X] done'],
  ['alerts', '> [!NOTE]\n> Text'],
  ['front matter', '---\ntitle: "[a](no.md)"\n# Not a heading\n---\n[a](#not-a-heading)', 'dead-anchor:5'],
  ['a rule on the first line is no front matter', '---\n\n[a](no.md)\n\n---', 'dead-link:3'],
  ['HTML blocks hold no Markdown', '<div>\n[a](no.md)\n</div>\n\n<pre>\n[b](no.md)\n\n[c](no.md)\n</pre>'],
  ['Markdown after a blank line in HTML', '<details>\n\n[a](no.md)\n\n</details>', 'dead-link:3'],
  ['scripts and styles', '<script>\nx = "<img src=y>"\n\n[a](no.md)\n</script>\n<style>\n\n[b](no.md)\n</style>'],
  ['attributes of tags', '<b title="[a](no.md)">x</b> <b title="`"> [b](b.md) `'],
  ['wiki links', '[[no]] [[a|b]]'],
  [
    'a number and a dot do not cut a paragraph short',
    'In\n1986. [a](no.md)\n- [b](no.md)',
    'dead-link:2',
    'dead-link:3',
  ],
  ['a lazy line of a quote makes no heading', '> a\n===\n[a](no.md) [x](#a)', 'dead-link:3', 'dead-anchor:3'],
  ['a list item that begins with code', '-      [a](no.md)\n\n  [b](no.md)', 'dead-link:3'],
];

describe.each([
  ['links', LINKS],
  ['anchors', ANCHORS],
  ['images', IMAGES],
  ['code fences', FENCES],
  ['what is no finding', SILENCE],
])('docs-sweep: %s', (_, rows) => {
  test.each(rows)('%s', (_name, text, ...expected) => {
    expect(findings(text)).toEqual(expected);
  });
});

test('docs-sweep: a finding says what is wrong and how the link was written', () => {
  const text = '# A\n# A\n[a](../docs/no%20.md#x) [b](#b) [c](#a) [d](../../d) ![](e.png)\n';
  expect(check({ path: 'docs/page.md', text }, project).map(({ message, target }) => [message, target])).toEqual([
    ['image without alt text: e.png', undefined],
    ['no file or folder docs/no .md', '../docs/no%20.md#x'],
    ['no heading or id #b in docs/page.md', '#b'],
    ['2 headings of docs/page.md answer to #a: lines 1, 2', '#a'],
    ['points outside the project: ../../d', '../../d'],
    ['no file or folder docs/e.png', 'e.png'],
  ]);
});

test('docs-sweep: a link out of the project is not looked up', () => {
  const asked: string[] = [];
  const text = '[a](../../x) [b](/../x) [c](../../page.md#y) <a href="../../../etc/passwd">';
  check({ path: 'docs/page.md', text }, { has: (path) => asked.push(path) < 0, read: () => null });
  expect(asked.filter((path) => path.startsWith('..') || path.startsWith('/'))).toEqual([]);
});

/** One unit of each is harmless; a million signs of it are a trap for a reader that goes back and forth. */
const TRAPS = [
  ...['[', ']', '![', '[]', '[a](', '[a]((', '[a](b "', "[a](b '", '[a][', '[a](b.md) ', '\\', '*', '_', '# _a '],
  ...['`', '`a` ', '`` ` ', '```\n', '```\nx\n> ```\n', '{', '{#a ', '&amp;', '#', '# a\n', '# a #### x\n', 'a\n===\n'],
  ...['<', '<a ', '<a b="', ' a=b', '<!-- ', '<a:', '<a@', '<div>\n', '<h1>a', '<a id="x">', ' ', '\t', '\n', '|'],
  ...['> ', '- ', '-\n', '1. ', '- a\n  ', '[a]: b\n', '[a]: b "\n', 'a|b\n-|-\n', '[x](#a)\n'],
];

test('docs-sweep: takes time that grows no faster than the page', () => {
  const time = (text: string) => {
    const before = process.cpuUsage();
    check({ path: 'docs/page.md', text }, project);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  const shapes = (size: number) => [
    ...TRAPS.flatMap((unit) => ['', '# ', '<div>'].map((start) => start + unit.repeat(size / unit.length))),
    '['.repeat(size / 2) + ']'.repeat(size / 2),
    '['.repeat(size / 4) + '](x)'.repeat(size / 8),
    '- + '.repeat(size / 8) + '\n'.repeat(size / 2),
    '>'.repeat(size / 2) + '\n'.repeat(size / 2),
    `<a${' '.repeat(size)}`,
    `{#${'a'.repeat(size)}`,
    `# ${'#'.repeat(size)}x`,
    `# _a${' '.repeat(size)}b_`,
    Array.from({ length: Math.sqrt(size) }, (_, index) => '`'.repeat(index + 1)).join(' '),
  ];
  const small = shapes(10_000).map(time);
  const large = shapes(80_000).map(time);
  // Eight times the size: 8 is even, 64 is squared. What takes less than 150 ms is too quick to be told from noise.
  const squared = large.flatMap((ms, index) =>
    ms > 150 && ms > 30 * Math.max(1, small[index] ?? 0) ? [`${index}: ${ms} ms`] : [],
  );
  expect(squared).toEqual([]);
});

test('docs-sweep: reads every Markdown file that the packages here ship', () => {
  const modules = new URL('../../node_modules', import.meta.url).pathname;
  const pages = readdirSync(modules, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => join(modules, path));
  expect(pages.length).toBeGreaterThan(50);
  for (const page of pages) {
    const root = dirname(page);
    const at = { has: (path: string) => existsSync(join(root, path)), read: () => null };
    const lines = readFileSync(page, 'utf8').split('\n').length;
    for (const { line } of check({ path: relative(root, page), text: readFileSync(page, 'utf8') }, at)) {
      expect(line).toBeGreaterThan(0);
      expect(line).toBeLessThanOrEqual(lines);
    }
  }
});

function run(
  files: Record<string, string | Uint8Array>,
  path: string | null,
  more: { rules?: string; contract?: string; root?: string } = {},
) {
  const made = folder({ 'scratch/.keep': '', ...files });
  const root = more.root ?? made.root;
  const scratch = made.path('scratch');
  const item = { id: path, title: path, path, body: '', fields: {} };
  const job = {
    v: 1,
    run: '0001',
    attempt: 1,
    root,
    item,
    contract: { version: 0, text: more.contract ?? '' },
    scratch,
  };
  const env = { PATH: process.env.PATH, ...(more.rules === undefined ? {} : { DOCS_SWEEP_RULES: more.rules }) };
  const ended = spawnSync(process.execPath, [WORKER], {
    cwd: scratch,
    env,
    input: `${JSON.stringify(job)}\n`,
    encoding: 'utf8',
  });
  const lines = ended.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
  const report = join(scratch, 'findings.json');
  return {
    status: ended.status,
    stdout: ended.stdout,
    stderr: ended.stderr,
    lines,
    learnings: lines.filter(({ type }) => type === 'learning'),
    results: lines.filter(({ type }) => type === 'result'),
    report: existsSync(report) ? readFileSync(report, 'utf8') : null,
  };
}

describe('docs-sweep as a process', () => {
  test('prints steps, then one result, and writes findings.json', () => {
    const done = run(
      { 'docs/a.md': '# A\n\n[x](no.md) [y](b.md#b)\n![](i.png)\n', 'docs/b.md': '# B', 'docs/i.png': '' },
      'docs/a.md',
    );
    expect(done.status).toBe(0);
    expect(done.lines.map(({ type }) => type)).toEqual(['step', 'step', 'result']);
    const heard = done.stdout.split('\n').map((line) => readLine(line)?.type);
    expect(heard).toEqual(['step', 'step', 'result', undefined]);
    expect(done.results).toEqual([
      {
        type: 'result',
        outcome: 'done',
        summary: '2 findings: 1 dead link, 1 image without alt text',
        surprises: [],
        fields: { findings: 2 },
      },
    ]);
    expect(done.report).toBe(
      `{"file":"docs/a.md","findings":[
{"line":3,"rule":"dead-link","message":"no file or folder docs/no.md","target":"no.md"},
{"line":4,"rule":"image-alt","message":"image without alt text: i.png"}
]}
`,
    );
  });

  test('writes nothing about a page without findings', () => {
    const done = run({ 'a.md': '# A\n' }, 'a.md');
    expect(done.results[0]).toMatchObject({ outcome: 'done', summary: 'no findings', fields: { findings: 0 } });
    expect(done.report).toBe(null);
  });

  test('a file that is gone, and a folder, are failures of the item', () => {
    expect(run({}, 'no.md').results).toMatchObject([
      {
        outcome: 'failed',
        summary: 'there is no file no.md',
        error: { class: 'item', message: 'there is no file no.md' },
      },
    ]);
    expect(run({ 'd.md/x': '' }, 'd.md').results).toMatchObject([
      { outcome: 'failed', summary: 'd.md is a folder, not a Markdown file' },
    ]);
  });

  test('items that are not files, and rules that do not exist, are settings to be mended: exit 78', () => {
    const noFile = run({}, null);
    expect([noFile.status, noFile.results]).toEqual([78, []]);
    expect(noFile.stderr).toContain('items have to be files');
    expect(run({ 'a.md': '' }, '../a.md').status).toBe(78);
    const noRule = run({ 'a.md': '' }, 'a.md', { rules: 'dead-link,typo' });
    expect(noRule.status).toBe(78);
    expect(noRule.stderr).toContain('"typo"; the rules are dead-link,');
  });

  test('DOCS_SWEEP_RULES chooses the rules', () => {
    const page = { 'a.md': '[x](no.md) ![](b.png)\n\n```', 'b.png': '' };
    expect(run(page, 'a.md', { rules: ' image-alt, open-fence ' }).results[0].summary).toBe(
      '2 findings: 1 image without alt text, 1 unclosed code fence',
    );
    expect(run(page, 'a.md', { rules: '' }).results[0].fields).toEqual({ findings: 3 });
  });

  test.each([
    ['UTF-16 with a BOM', Buffer.from('\u{feff}# A\n[x](no.md)', 'utf16le')],
    ['UTF-16 without a BOM', Buffer.from('# A\n[x](no.md)', 'utf16le')],
    ['latin-1', Buffer.from('# Ünder\n[x](no.md)', 'latin1')],
    ['noise', Uint8Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256)],
  ])('%s is one finding', (_, bytes) => {
    const done = run({ 'a.md': bytes }, 'a.md');
    expect(done.status).toBe(0);
    expect(done.results[0].summary).toBe('1 finding: 1 file that is not UTF-8');
    expect(JSON.parse(done.report ?? '').findings).toEqual([{ line: 1, rule: 'encoding', message: 'not UTF-8' }]);
  });

  test('a BOM, CRLF and a name with blanks are read like anything else', () => {
    const done = run({ 'my docs/ä b.md': '\u{feff}# A\r\n\r\n[x](#a)\r\n[y](no.md)\r\n' }, 'my docs/ä b.md');
    expect(JSON.parse(done.report ?? '')).toMatchObject({
      file: 'my docs/ä b.md',
      findings: [{ line: 4, rule: 'dead-link' }],
    });
  });

  test('pages that are linked to may be latin-1, or a folder with the name of a page', () => {
    const files = {
      'a.md': '[x](latin.md#a) [y](dir.md#a) [z](b.md#a)',
      'latin.md': Buffer.from('# ü', 'latin1'),
      'dir.md/x': '',
      'b.md': '',
    };
    expect(run(files, 'a.md').results[0].summary).toBe('1 finding: 1 dead anchor');
  });

  test('a symlink out of the project is there, but is not read', () => {
    const outside = folder({ 'secret.md': '# A' });
    const inside = folder({ 'a.md': '[x](out.md#a) [y](out.md#b)' });
    symlinkSync(outside.path('secret.md'), inside.path('out.md'));
    expect(run({}, 'a.md', { root: inside.root }).results[0].summary).toBe('no findings');
  });

  test('files that packages leave out teach one rule a kind, until the contract has it', () => {
    const page = '[l](LICENSE) [m](../LICENSE.txt) [c](CHANGELOG.md#1) [g](.github/x.md) [n](no.md)';
    const first = run({ 'docs/a.md': page }, 'docs/a.md');
    expect(first.learnings.map(({ target, level }) => [target, level])).toEqual([
      ['dead-link.license', 1],
      ['dead-link.changelog', 1],
      ['dead-link.github', 1],
    ]);
    const contract = `- [R-001] ${first.learnings[0].rule}`;
    const second = run({ 'docs/a.md': page }, 'docs/a.md', { contract });
    expect(second.learnings.map(({ target }) => target)).toEqual(['dead-link.changelog', 'dead-link.github']);
    expect(second.results).toEqual(first.results);
  });

  test('a page of a megabyte gets one result', () => {
    const text = '# A\n\n[x](no.md) `code` <b>x</b> [y][z]\n\n'.repeat(25_000);
    expect(run({ 'a.md': text }, 'a.md').results).toMatchObject([{ outcome: 'done', fields: { findings: 25_000 } }]);
  });
});
