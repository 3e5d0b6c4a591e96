import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Procedure, SourceSpec } from '../../src/core/model.ts';
import openCommand from '../../src/sources/command.ts';
import { asker } from '../../src/sources/command-call.ts';
import type { Filing } from '../../src/sources/source.ts';
import { realDisk } from '../../src/store/disk.ts';
import { Workspace } from '../../src/store/workspace.ts';
import { DATE_MARK, idsOf, pending } from '../support/sources.ts';
import { folder } from '../support/workspace.ts';

const HELLO = resolve('docs/sources/hello.mjs');

const settings = (spec: Partial<SourceSpec>): SourceSpec => ({
  ...{ kind: 'command', path: '', mark: DATE_MARK, write: [], id: null, to: null, run: [], env: [] },
  ...spec,
});

function open(root: string, spec: Partial<SourceSpec>) {
  const procedure = { source: settings(spec) } as unknown as Procedure;
  const keep = (path: string) => expect.fail(`kept ${path}`);
  return openCommand({ disk: realDisk, workspace: new Workspace(root), procedure, keep });
}

/** A source whose program runs `body`, with `request` and `say` at hand. Everything it is asked is kept in `asked`. */
function scripted(body: string, spec: Partial<SourceSpec> = {}) {
  const script = `
    import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
    const text = readFileSync(0, 'utf8');
    appendFileSync('asked', text);
    const request = JSON.parse(text);
    const say = (line) => console.log(JSON.stringify(line));
    ${body}`;
  const { root, path, read } = folder({ '.jez/sources/mine.mjs': script });
  const source = open(root, { run: ['node', '.jez/sources/mine.mjs'], ...spec });
  const asked = () =>
    read('asked')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  return { source, asked, root, path, read };
}

const wish = (item: string, more: Partial<Filing> = {}): Filing => ({
  ...{ item, run: 42, base: { files: {}, fields: {} }, ownBytes: null, fields: {}, day: '2026-06-09' },
  ...more,
});

/** Lists `names`, two at a time. */
const paged = (names: string[]) => `
  const names = ${JSON.stringify(names)};
  const rest = names.slice(names.indexOf(request.after) + 1);
  for (const id of rest.slice(0, 2)) say({ type: 'item', id, mark: id.startsWith('x') ? 'done' : null });
  say({ type: 'end', complete: rest.length <= 2 });`;

afterEach(() => void vi.unstubAllEnvs());

describe('listing', () => {
  test("A27: goes on page by page in the program's order, past what is marked, and round once from anywhere", async () => {
    const { source, asked } = scripted(paged(['c', 'x1', 'b', 'x2', 'x3', 'a', 'd']));
    expect(idsOf(await pending(source))).toEqual(['c', 'b', 'a', 'd']);
    expect(asked().map(({ op, after, want }) => [op, after, want])).toEqual([
      ...[
        ['list', null, 50],
        ['list', 'x1', 50],
        ['list', 'x2', 50],
        ['list', 'a', 50],
      ],
    ]);
    expect(idsOf(await pending(source, 'b'))).toEqual(['a', 'd', 'c', 'b']);
    expect(idsOf(await pending(source, 'x2'))).toEqual(['a', 'd', 'c', 'b']);
    expect(idsOf(await pending(source, 'd'))).toEqual(['c', 'b', 'a', 'd']);
  });

  test('A15: a bookmark the program does not know begins at the beginning, and each item comes once', async () => {
    const { source } = scripted(paged(['c', 'b', 'a']));
    for (const after of ['gone', '9999', '-1', ''])
      expect(idsOf(await pending(source, after))).toEqual(['c', 'b', 'a']);
  });

  test('a slice that is full asks for no more', async () => {
    const { source, asked } = scripted(paged(['c', 'b', 'a']));
    expect(idsOf(await pending(source, undefined, 2))).toEqual(['c', 'b']);
    expect(asked()).toHaveLength(1);
  });

  test('a bookmark that was marked meanwhile, and is listed no more, yields nothing twice', async () => {
    const { source } = scripted(`
      const open = request.after === 'b' ? ['c', 'd'] : ['a', 'c', 'd'];
      for (const id of open) say({ type: 'item', id });
      say({ type: 'end', complete: true });`);
    expect(idsOf(await pending(source, 'b'))).toEqual(['c', 'd', 'a']);
  });

  test('two items with one id are both refused, and so is one that the program refuses', async () => {
    const { source } = scripted(`
      for (const id of ['a', 'b', 'a']) say({ type: 'item', id, title: 'T ' + id, refused: id === 'b' ? 'no owner' : null });
      say({ type: 'end', complete: true });`);
    expect((await pending(source)).map(({ title, refused }) => [title, refused])).toEqual([
      ['T a', 'a: the list has this id more than once'],
      ['T b', 'b: no owner'],
      ['T a', 'a: the list has this id more than once'],
    ]);
  });

  test.each([
    [
      'does not heed "after"',
      "say({ type: 'item', id: 'a' }); say({ type: 'end', complete: false });",
      '"a" was listed before',
    ],
    ['lists nothing and is not complete', "say({ type: 'end', complete: false });", 'a list without an item should be'],
    ['forgets the end', "say({ type: 'item', id: 'a' });", 'items, then one end should be the answer'],
    [
      'goes on behind the end',
      "say({ type: 'end', complete: true }); say({ type: 'item', id: 'a' });",
      'items, then one',
    ],
    ['answers something else', "say({ type: 'count', done: 1 }); say({ type: 'end', complete: true });", 'items, then'],
    ['says nothing', '', 'items, then one end should be the answer'],
  ])('a program that %s is told so', async (_, body, why) => {
    await expect(pending(scripted(body).source)).rejects.toMatchObject({
      code: 'E_SOURCE',
      message: expect.stringContaining(`.jez/loop.md: source.run, asked to list: ${why}`),
    });
  });
});

describe('reading, filing, counting', () => {
  test('an item is read whole, and has no file', async () => {
    const { source, asked, root } = scripted(`
      const [id] = request.ids;
      if (id === 'gone') say({ type: 'gone', id });
      else say({ type: 'item', id, title: 'T', body: 'text', fields: { company: 'Acme' }, mark: 'done' });`);
    const item = {
      id: 'a "b"',
      title: 'T',
      path: null,
      body: 'text',
      fields: { company: 'Acme' },
      mark: 'done',
      refused: null,
    };
    expect(await source.read('a "b"')).toEqual(item);
    expect(await source.read('gone')).toBeNull();
    expect(asked()[0]).toEqual({ v: 1, root, op: 'read', ids: ['a "b"'] });
  });

  test('a whole batch is filed in one call, with the run, what it saw and the mark', async () => {
    const { source, asked, root } = scripted(`
      const answers = { a: ['marked', []], b: ['already', ['company']], c: ['theirs', []], d: ['gone', []] };
      for (const { id } of request.items) say({ type: 'filed', id, as: answers[id][0], kept: answers[id][1] });`);
    const batch = [
      wish('a', { fields: { company: 'Acme' }, base: { files: {}, fields: { company: null } } }),
      ...['b', 'c', 'd'].map((id, at) => wish(id, { run: 43 + at })),
    ];
    const filed = await source.file(batch);
    expect(filed).toEqual([
      { item: 'a', run: 42, as: 'marked', kept: [] },
      { item: 'b', run: 43, as: 'already', kept: ['company'] },
      { item: 'c', run: 44, as: 'theirs', kept: [] },
      { item: 'd', run: 45, as: 'gone', kept: [] },
    ]);
    expect(await source.look(batch)).toEqual(filed);
    const [file, look] = asked();
    expect(file).toMatchObject({ v: 1, root, op: 'file' });
    expect(file.items[0]).toEqual({
      ...{ id: 'a', run: '0042', base: { company: null }, fields: { company: 'Acme' }, mark: '2026-06-09' },
    });
    expect(look).toEqual({ ...file, op: 'look' });
  });

  test('with a word for the mark that word is sent; for an empty batch nothing is started', async () => {
    const body = "for (const { id } of request.items) say({ type: 'filed', id, as: 'marked' });";
    const { source, asked, path } = scripted(body, { mark: { field: 'status', value: 'done', todo: [] } });
    expect(await source.file([])).toEqual([]);
    expect(existsSync(path('asked'))).toBe(false);
    await source.file([wish('a')]);
    expect(asked()[0].items[0].mark).toBe('done');
  });

  test('nothing is watched, and the total may be unknown', async () => {
    const { source } = scripted("say({ type: 'count', done: 3 });");
    expect(await source.count()).toEqual({ done: 3, total: null });
    expect(source.folders()).toEqual([]);
  });

  const twice = "for (const _ of [1, 2]) say({ type: 'gone', id: 'a' });";
  test.each([
    ['read', '', 'one item or gone should be the answer for "a"'],
    ['read', "say({ type: 'item', id: 'b' });", 'one item or gone should be the answer for "a"'],
    ['read', twice, 'one item or gone should be the answer for "a"'],
    ['read', "say({ type: 'end', complete: true });", 'one item or gone should be the answer for "a"'],
    ['count', '', 'one count should be the answer'],
    ['count', twice, 'one count should be the answer'],
    ['file', '', 'one filed for each item, in their order, should be the answer; missing "a"'],
    ['look', "say({ type: 'filed', id: 'b', as: 'gone' });", 'one filed for each item, in their order'],
    ['file', "say({ type: 'gone', id: 'a' });", 'one filed for each item, in their order'],
    ['file', "for (const _ of [1, 2]) say({ type: 'filed', id: 'a', as: 'gone' });", 'one filed for each item'],
  ] as const)('asked to %s and answered with %s it does not go on', async (op, body, why) => {
    const { source } = scripted(body);
    const call = {
      read: () => source.read('a'),
      count: () => source.count(),
      ...{ file: () => source.file([wish('a')]), look: () => source.look([wish('a')]) },
    };
    await expect(call[op]()).rejects.toMatchObject({
      code: 'E_SOURCE',
      message: expect.stringContaining(`source.run, asked to ${op}: ${why}`),
    });
  });
});

describe('a program that fails', () => {
  const count = "say({ type: 'count', done: 1 });";

  test.each([
    [
      'exits with 3',
      `${count} console.error('\\n\\n no such table: leads\\nmore'); process.exitCode = 3;`,
      'exit 3: no such table: leads',
    ],
    ['is killed', `${count} process.kill(process.pid, 'SIGKILL');`, 'it was ended by SIGKILL'],
    ['prints prose', `console.log('Counting...'); ${count}`, 'a line should be one JSON object, got Counting...'],
    [
      'prints a line of 2 MiB',
      `say({ type: 'item', id: 'x'.repeat(2 ** 21) });`,
      'it printed a line of more than 1 MiB',
    ],
    [
      'prints 11 MiB',
      "for (let n = 0; n < 11; n += 1) console.log('x'.repeat(2 ** 20));",
      'it printed more than 10 MiB',
    ],
    ['throws', "throw new Error('oops');", 'exit 1: Error: oops'],
  ])('that %s: exit 2 with its first words', async (_, body, why) => {
    await expect(scripted(body).source.count()).rejects.toMatchObject({
      code: 'E_SOURCE',
      message: expect.stringContaining(`.jez/loop.md: source.run, asked to count: ${why}`),
    });
  });

  test('that is not there, or takes too long, with what it started', async () => {
    const { root, path } = folder({
      'slow.mjs': "process.stdin.resume(); setInterval(() => {}, 1000); console.error('busy');",
    });
    await expect(open(root, { run: ['./missing'] }).count()).rejects.toMatchObject({
      code: 'E_SOURCE',
      message: '.jez/loop.md: source.run, asked to count: it could not be started (spawn ./missing ENOENT)',
    });
    const ask = asker(settings({ run: ['node', path('slow.mjs')] }), root, 1_000);
    await expect(ask({ op: 'count' })).rejects.toThrow('source.run, asked to count: it took longer than 1 s');
  });

  test('tells no secret it was given', async () => {
    vi.stubEnv('TRACKER_TOKEN', 'hunter2-hunter2');
    const { source } = scripted('console.error(process.env.TRACKER_TOKEN); process.exit(1);', {
      env: ['TRACKER_TOKEN'],
    });
    await expect(source.count()).rejects.toThrow('asked to count: exit 1: [redacted TRACKER_TOKEN]');
  });
});

describe('how it is started', () => {
  test('with argv, never through a shell; from the project; with six names, those of `env` and the project', async () => {
    vi.stubEnv('TRACKER_TOKEN', 'given');
    vi.stubEnv('OTHER_TOKEN', 'not given');
    const body =
      "writeFileSync('seen', JSON.stringify([process.cwd(), process.argv.slice(1), process.env])); say({ type: 'count', done: 0 });";
    const odd = ['; touch canary', '$(touch canary)', '*', ''];
    const { source, root, path, read } = scripted(body, {
      ...{ run: ['node', '.jez/sources/mine.mjs', ...odd], env: ['TRACKER_TOKEN', 'MISSING'] },
    });
    await source.count();
    const [cwd, argv, env] = JSON.parse(read('seen'));
    expect([cwd, argv]).toEqual([root, [path('.jez/sources/mine.mjs'), ...odd]]);
    const names = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TRACKER_TOKEN', 'PAWL_ROOT'];
    expect(Object.keys(env).filter((name) => !names.includes(name))).toEqual([]);
    expect(env).toMatchObject({ TRACKER_TOKEN: 'given', PAWL_ROOT: root });
    expect(existsSync(path('canary'))).toBe(false);
  });

  test('an id is data: it comes back to the letter', async () => {
    const { source, asked } = scripted("say({ type: 'gone', id: request.ids[0] });");
    for (const id of ["'; DROP TABLE leads; --", '$(touch canary)', '../../etc', '\u202e\u{1f600}', ' ', '"'])
      expect(await source.read(id)).toBeNull();
    expect(asked()).toHaveLength(6);
  });

  test('a program that does not read what it is asked is no fault', async () => {
    const { root, path } = folder();
    mkdirSync(path('bin'));
    writeFileSync(path('bin/count'), '#!/bin/sh\necho \'{"type":"count","done":2,"total":2}\'\n', { mode: 0o755 });
    expect(await open(root, { run: ['bin/count'] }).count()).toEqual({ done: 2, total: 2 });
  });

  test('without a program loop.md is refused', () => {
    expect(() => open(folder().root, {})).toThrow(
      '.jez/loop.md: source.run should be a program and its arguments, [node, .jez/sources/tickets.mjs], got nothing',
    );
  });
});

test('A22: a call that was killed after it filed is found to be our own', async () => {
  const tickets = `${JSON.stringify([{ id: 'a', title: 'A', company: null, checked: null }], null, 1)}\n`;
  const { root, path } = folder({ 'tickets.json': tickets });
  const source = open(root, { run: ['node', HELLO, 'tickets.json'], write: ['company'] });
  const filing = wish('a', { fields: { company: 'Acme' } });
  await source.file([filing]);
  const once = readFileSync(path('tickets.json'));
  expect(await source.look([filing])).toMatchObject([{ as: 'already' }]);
  expect(await source.file([filing])).toMatchObject([{ as: 'already' }]);
  expect(await source.file([{ ...filing, run: 43 }])).toMatchObject([{ as: 'theirs' }]);
  expect(readFileSync(path('tickets.json'))).toEqual(once);
});
