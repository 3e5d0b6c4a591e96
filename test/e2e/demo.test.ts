import { type SpawnSyncOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { makeCorpus } from '../../src/demo/corpus.ts';
import { sweepCheck } from '../../src/demo/findings.ts';
import { realProcesses } from '../../src/store/process.ts';
import { findProgram } from '../../src/store/program.ts';
import { eventually } from '../support/processes.ts';
import { folder } from '../support/workspace.ts';

const DEMO = resolve(process.env.PAWL_OUT ?? 'dist', 'demo.js');

/** Runs the built demo to its end, without a terminal. */
function demo(root: string, ...args: string[]) {
  const options: SpawnSyncOptions = { input: '', env: { ...process.env, NO_COLOR: '' } };
  const { status, stdout, stderr } = spawnSync(process.execPath, [DEMO, '--dir', root, ...args], options);
  return { code: status, out: String(stdout), error: String(stderr) };
}

/** Starts the demo in a process group of its own, as a shell does. */
function start(root: string, ...args: string[]) {
  const child = spawn(process.execPath, [DEMO, '--dir', root, ...args], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = child.pid ?? 0;
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const closed = once(child, 'close');
  onTestFinished(() => realProcesses.endGroup(pid, 0).then(() => undefined));
  return { kill: (signal: NodeJS.Signals) => process.kill(-pid, signal), closed, out: () => out };
}

interface Line {
  item: string;
  outcome: string;
}

/** Every finished run, by what outcomes.jsonl says. */
function outcomes(root: string): Line[] {
  const file = join(root, '.jez/outcomes.jsonl');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line);
}

const checkedOnce = (root: string) =>
  outcomes(root)
    .filter(({ outcome }) => outcome === 'done')
    .map(({ item }) => item)
    .sort();

/** Pages below docs/, and those of them that carry the mark. */
function pages(root: string): { all: string[]; marked: string[] } {
  const names = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  const all = names.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
  const isMarked = (page: string) => /^checked: \d{4}-\d\d-\d\d\r?$/m.test(readFileSync(join(root, page), 'latin1'));
  return { all: all.sort(), marked: all.filter(isMarked).sort() };
}

/** Nobody can mark this one. */
const UTF_16 = 'docs/odd-encodings/utf-16.md';
const readable = (root: string) => pages(root).all.filter((page) => page !== UTF_16);

describe('the demo', () => {
  test('after kill -9 the same command does exactly the rest, and a third time nothing', async () => {
    const { root } = folder();
    const first = start(root, '--pages', '25');
    await eventually(() => outcomes(root).length > 0);
    first.kill('SIGKILL');
    await first.closed;
    const before = pages(root).marked.length;
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(readable(root).length);

    const second = demo(root);
    expect([second.code, second.error]).toEqual([0, '']);
    expect(second.out).toMatch(/^going on in /);
    expect(second.out).toMatch(new RegExp(`^${readable(root).length - before} pages in `, 'm'));
    expect(pages(root).marked).toEqual(readable(root));
    expect(checkedOnce(root)).toEqual(readable(root));

    const told = readdirSync(join(root, '.jez/ticks'));
    const third = demo(root);
    expect(third.code).toBe(0);
    expect(third.out).toContain(
      `nothing to do: ${readable(root).length} of ${pages(root).all.length} are done, one waits`,
    );
    expect(third.out).toContain(`rm -r ${root}`);
    expect(checkedOnce(root)).toEqual(readable(root));
    expect(readdirSync(join(root, '.jez/ticks'))).toEqual(told);
  });

  test('Ctrl-C gives the running slice back and exits 130, also when it comes twice; then the rest is done', async () => {
    const { root } = folder();
    const first = start(root, '--pages', '25');
    await eventually(() => outcomes(root).length > 0);
    first.kill('SIGINT');
    first.kill('SIGINT');
    expect(await first.closed).toEqual([130, null]);
    expect(first.out()).toContain('the same command goes on from here');
    expect(pages(root).marked.length).toBeLessThan(readable(root).length);

    expect(demo(root).code).toBe(0);
    expect(pages(root).marked).toEqual(readable(root));
    expect(checkedOnce(root)).toEqual(readable(root));
  });

  test('tells what it found, where the marks are and what comes next, without escape codes in a pipe', () => {
    const { root, read } = folder();
    const { code, out, error } = demo(root, '--pages', '3');
    expect([code, error]).toEqual([0, '']);
    expect(out).not.toContain('\u001b');
    expect(out).not.toContain('\r');
    expect(out).toContain('and 3 pages of our own');
    expect(out).toContain('docs/odd-encodings/latin-1.md:1\n');
    expect(out).toContain('docs/odd-encodings/utf-8-bom-crlf.md:3 #nowhere\n');
    expect(out).toContain(`${UTF_16}:1: an item should be UTF-8 text`);
    expect(out).toMatch(
      /^ {2}reflection {2}\S+\/\.jez\/reflections\/\d{4}-\d\d-\d\d\.md ends with\n {16}## \d\d:\d\d tick/m,
    );
    expect(out).toMatch(/^ {2}\*\/15 \* \* \* \* .*pawl\.cjs tick --dir \/path\/to\/your-project$/m);
    expect(read('docs/odd-encodings/utf-8-bom-crlf.md')).toMatch(
      /^\ufeff---\r\nfindings: 1\r\nchecked: [\d-]+\r\n---\r\n# /,
    );
    expect(readFileSync(join(root, 'docs/odd-encodings/latin-1.md')).includes(Buffer.from('Caf\u00e9', 'latin1'))).toBe(
      true,
    );
  });

  test('a corpus that was half made when the power went is made again, whole', () => {
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    const { root, path } = folder({ [`making-${gone}/docs/half.md`]: '# Ha' });
    expect(demo(root, '--pages', '2').code).toBe(0);
    expect(readdirSync(root).sort()).toEqual(['.jez', 'docs']);
    expect(existsSync(path('docs/half.md'))).toBe(false);

    rmSync(path('.jez'), { recursive: true });
    expect(demo(root).out).toContain('nothing to do');
  });

  test('--help shows examples, and a wrong number of pages is refused before anything is made', () => {
    const { root } = folder();
    expect(demo(root, '--help').out).toContain('npm start -- --pages 25');
    const { code, error } = demo(root, '--pages', 'many');
    expect([code, error]).toEqual([1, 'demo: --pages should be a number, got many; see: npm start -- --help\n']);
    expect(readdirSync(root)).toEqual([]);
  });

  // `script` gives a program a terminal; where everything is meant to be installed, a skip would hide a fault.
  const hasTerminal = findProgram('script', process.env.PATH ?? '') !== null || process.env.PAWL_CI === '1';
  test.skipIf(!hasTerminal)('on a terminal a bar shows how long it takes (needs `script` of util-linux)', () => {
    const { root } = folder();
    const line = `'${process.execPath}' '${DEMO}' --dir '${root}' --pages 12`;
    const run = (env: Record<string, string>) =>
      spawnSync('script', ['-qec', line, '/dev/null'], {
        encoding: 'utf8',
        input: '',
        env: { ...process.env, ...env },
      });
    const first = run({ NO_COLOR: '' });
    expect(first.status).toBe(0);
    const drawn = first.stdout.split('\r\u001b[2K');
    expect(drawn).toContainEqual(expect.stringMatching(/^\[#+\.+\] \d+ of 15, about \d+ s left$/));
    expect(first.stdout).toContain('\u001b[1mwhere to look');
    expect(run({ NO_COLOR: '1' }).stdout).not.toContain('\u001b[1m');
  });
});

describe('the corpus', () => {
  test('what packages ship and link to is there; a link to what they left out is a finding', async () => {
    const check = await sweepCheck();
    const modules = folder({
      'kit/README.md':
        '# Kit\n\n[the code](dist/kit.js), [more](docs), [b](docs/b.md#b), [gone](LICENSE) [up](../../x.md)\n',
      'kit/dist/kit.js': '1;\n',
      'kit/dist/big.js': '2;\n',
      'kit/docs/b.md': '# B\n\n[kit](../README.md#nowhere) [hidden](../.github/c.md)\n',
      'kit/.github/c.md': '# C\n',
      'kit/node_modules/inner/README.md': '# Inner\n',
    });
    const to = folder();
    const corpus = makeCorpus(modules.root, to.root, check, 1);
    expect(corpus.pages).toEqual(['docs/kit/README.md', 'docs/kit/docs/b.md']);
    expect(corpus.linked).toEqual(['docs/kit/.github/c.md', 'docs/kit/dist/kit.js', 'docs/kit/docs']);
    expect(corpus.own).toHaveLength(3);
    expect(to.read('docs/kit/dist/kit.js')).toBe('1;\n');
    expect(existsSync(to.path('docs/kit/dist/big.js'))).toBe(false);
    expect(targets(to.root, 'docs/kit/README.md', check)).toEqual(['LICENSE', '../../x.md']);
    expect(targets(to.root, 'docs/kit/docs/b.md', check)).toEqual(['../README.md#nowhere']);
  });

  test('the installed packages give over a hundred pages, and no dead link is one of our making', async () => {
    const check = await sweepCheck();
    const to = folder();
    const { pages: copied } = makeCorpus(resolve('node_modules'), to.root, check, Number.POSITIVE_INFINITY);
    expect(copied.length).toBeGreaterThan(100);
    const dead = copied.flatMap((page) =>
      findings(to.root, page, check)
        .filter(({ rule }) => rule === 'dead-link')
        .map(({ target = '' }) =>
          resolve('node_modules', page.slice(5), '..', decodeURIComponent(target.split(/[?#]/)[0] ?? '')),
        ),
    );
    expect(dead).toContain(resolve('node_modules/gray-matter/examples/coffee.js'));
    expect(dead.filter((path) => existsSync(path))).toEqual([]);
  });

  type Check = Awaited<ReturnType<typeof sweepCheck>>;
  const findings = (root: string, path: string, check: Check) => {
    const read = (each: string) => readFileSync(join(root, each), 'utf8');
    return check({ path, text: read(path) }, { has: (each) => existsSync(join(root, each)), read });
  };
  const targets = (root: string, path: string, check: Check) => findings(root, path, check).map(({ target }) => target);
});
