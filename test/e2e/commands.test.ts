import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder } from '../support/workspace.ts';

const PAWL = resolve(process.env.PAWL_OUT ?? 'dist', 'pawl.cjs');
const COMMANDS = ['init', 'tick', 'run', 'status', 'log', 'pause', 'resume', 'retry', 'doctor', 'schedule'];

/** Runs the built program as a person without a terminal would. */
function pawl(cwd: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PAWL, ...args], { cwd, encoding: 'utf8', input: '' });
  return { code: status, out: stdout, error: stderr, json: () => JSON.parse(stdout) };
}

const PAGES = Object.fromEntries(['a', 'b', 'c'].map((name) => [`docs/${name}.md`, `# ${name}\n`]));

/** A loop over three pages. `worker` is a script of its own. */
function loop(files: Record<string, string> = {}, ...args: string[]) {
  const at = folder({ ...PAGES, ...files });
  expect(pawl(at.root, 'init', '--yes', ...args).error).toBe('');
  return at;
}

/** A worker that asks a person. */
const ASK = {
  'ask.mjs': `console.log(JSON.stringify({ type: 'result', outcome: 'needs-human', summary: 'which one?' }));`,
};

/** All files below, with their bytes. */
function snapshot(root: string): Record<string, string> {
  const names = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    names
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path, readFileSync(path, 'latin1')]),
  );
}

const row = (rows: { name: string; level: string }[], name: string) => rows.find((each) => each.name === name);

/** Changes a file with a replacement that has to find something. */
function edit(
  at: { path(path: string): string; read(path: string): string },
  path: string,
  from: string | RegExp,
  to: string,
) {
  const text = at.read(path).replace(from, to);
  expect(text).not.toBe(at.read(path));
  writeFileSync(at.path(path), text);
}

describe('every command', () => {
  test.each(COMMANDS)('%s --help shows an example and exits 0', (name) => {
    const { code, out, error } = pawl(folder().root, name, '--help');
    expect([code, error]).toEqual([0, '']);
    expect(out).toContain(`\npawl ${name}`);
  });

  test.each(['init', 'status', 'log', 'retry', 'doctor'])(
    '%s refuses a flag it does not know, and writes nothing',
    (name) => {
      const at = folder(PAGES);
      const before = snapshot(at.root);
      const { code, out, error } = pawl(at.root, name, '--frob');
      expect([code, out]).toEqual([1, '']);
      expect(error).toContain('--frob');
      expect(snapshot(at.root)).toEqual(before);
    },
  );

  test.each(['status', 'log', 'retry --all'])('%s without a loop says how to make one', (line) => {
    const { code, error } = pawl(folder().root, ...line.split(' '));
    expect(code).toBe(1);
    expect(error).toContain('pawl init');
  });

  test('prints no colour, so NO_COLOR has nothing to turn off', () => {
    const at = loop();
    for (const name of ['status', 'doctor', 'log']) expect(pawl(at.root, name).out).not.toContain('\u001b');
  });
});

describe('init', () => {
  test('A5: makes a loop in .jez and nothing outside, in a repository with docs', () => {
    const at = folder({
      ...PAGES,
      'README.md': '# it\n',
      'package.json': '{"name":"acme"}',
      'docs/deep/d.md': '# d\n',
    });
    const before = snapshot(at.root);
    const { code, out } = pawl(at.root, 'init', '--yes');
    expect(code).toBe(0);
    expect(readdirSync(at.path('.jez')).sort()).toEqual([
      '.gitignore',
      'contract.md',
      'loop.md',
      'reflections',
      'state.md',
      'workers',
    ]);
    const after = snapshot(at.root);
    for (const [path, bytes] of Object.entries(before)) expect(after[path]).toBe(bytes);
    expect(at.read('.jez/loop.md')).toContain('path: docs/**/*.md');
    expect(at.read('.jez/loop.md')).toContain('docs of acme');
    expect(out).toContain('4 items');
    expect(out).toContain('pawl doctor');
    expect(out).toMatch(/^ {2}\*\/15 \* \* \* \* .*\/.*node \/.*pawl\.cjs tick --dir \/.*$/m);
  });

  test('takes pages from anywhere in a folder of notes', () => {
    const at = folder({ 'one.md': '# 1\n', 'sub/two.md': '# 2\n', 'docs/three.md': '# 3\n' });
    expect(pawl(at.root, 'init', '--yes').code).toBe(0);
    expect(at.read('.jez/loop.md')).toContain('path: "**/*.md"');
  });

  test('A81: names exactly what it could not know in an empty folder, and makes nothing', () => {
    const at = folder();
    const all = pawl(at.root, 'init', '--yes');
    expect(all.code).toBe(1);
    expect(all.error).toContain('--path, --cohort, --done-when');
    const some = pawl(at.root, 'init', '--yes', '--path', 'leads/*.md', '--cohort', 'Leads');
    expect(some.code).toBe(1);
    expect(some.error).toContain('please say --done-when (');
    expect(readdirSync(at.root)).toEqual([]);
  });

  test('A81: an empty folder becomes a loop when everything is said', () => {
    const at = folder();
    const args = ['--path', 'leads/*.md', '--cohort', 'Leads: the "new" ones', '--done-when', 'each has a size'];
    expect(pawl(at.root, 'init', '--yes', ...args).code).toBe(0);
    expect(at.read('.jez/loop.md')).toContain('cohort: "Leads: the \\"new\\" ones"');
    expect(row(pawl(at.root, 'doctor', '--json').json().rows, 'loop')?.level).toBe('ok');
  });

  test('A84, A85: what it wrote passes doctor: caps, a pause that is off, checkpoints and no narration', () => {
    const at = loop();
    expect(pawl(at.root, 'doctor').code).toBe(0);
    const text = at.read('.jez/loop.md');
    for (const line of [
      'items_per_day: 40',
      'learn: { mode: on, sightings: 1, per_day: 5 }',
      'timezone: ',
      '## Boundary',
    ])
      expect(text).toContain(line);
    expect(at.read('.jez/state.md')).toMatch(/^paused: false/m);
    expect(at.read('.jez/contract.md')).toMatch(/step 10[\s\S]*step 20/);
  });

  test('a second time it changes no byte', () => {
    const at = loop();
    const before = snapshot(at.root);
    const again = pawl(at.root, 'init', '--yes');
    expect(again.code).toBe(0);
    expect(again.out).toContain('there is a loop already');
    expect(snapshot(at.root)).toEqual(before);
  });

  test('an init that was killed before its last file is simply run again', () => {
    const at = folder({ ...PAGES, '.jez/contract.md': 'half of it', '.jez/.gitignore': 'batches/\n' });
    expect(pawl(at.root, 'init', '--yes').code).toBe(0);
    expect(pawl(at.root, 'doctor').code).toBe(0);
  });

  test('D15: a second loop in the same folder is refused, and the first stays as it is', () => {
    const at = loop();
    const before = snapshot(at.root);
    const { code, error } = pawl(at.root, 'init', '--yes', '--cohort', 'Something else', '--path', 'docs/**/*.md');
    expect(code).toBe(2);
    expect(error).toContain('another --cohort');
    expect(error).not.toContain('--path');
    expect(snapshot(at.root)).toEqual(before);
  });

  test('D15: a loop of its own in a folder below stands beside it', () => {
    const at = loop();
    const { code, out } = pawl(at.path('docs'), 'init', '--yes');
    expect(code).toBe(0);
    expect(out).toContain('another loop above');
    expect(existsSync(at.path('docs/.jez/loop.md'))).toBe(true);
  });

  test('A6: joins a knowledge hub: its files keep every byte, its secrets are not even read', () => {
    const theirs = '# How I work\r\n\r\n## Procedure\r\n\r\nAs always.\r\n';
    const at = folder({
      ...PAGES,
      '.jez/about.md': '# me\n',
      '.jez/CLAUDE.md': 'mine\n',
      '.jez/secrets/key.md': 'hunter2\n',
      '.jez/loop.md': theirs,
      '.jez/contract.md': 'Be kind.\n',
      '.jez/.gitignore': 'secrets/\nruns',
    });
    const before = snapshot(at.path('.jez'));
    expect(pawl(at.root, 'init', '--yes').code).toBe(0);
    const after = snapshot(at.path('.jez'));
    for (const name of ['about.md', 'CLAUDE.md', 'secrets/key.md', 'contract.md'])
      expect(after[at.path(`.jez/${name}`)]).toBe(before[at.path(`.jez/${name}`)]);
    expect(at.read('.jez/loop.md').endsWith(theirs)).toBe(true);
    expect(at.read('.jez/loop.md')).toContain('## Boundary');
    expect(at.read('.jez/loop.md').match(/^## Procedure/gm)).toHaveLength(1);
    expect(at.read('.jez/.gitignore').startsWith('secrets/\nruns\nbatches/\n')).toBe(true);
    expect(Object.values(after).join('')).not.toMatch(/hunter2[\s\S]*hunter2/);
    const doctor = pawl(at.root, 'doctor', '--json');
    expect(doctor.json().rows.filter(({ level }: { level: string }) => level === 'fail')).toEqual([]);
    expect(doctor.json().rows.find(({ name }: { name: string }) => name === 'items').what).toContain('0 of 3');
  });

  test('A6: limits in a state.md that is there are named, and moved only when asked', () => {
    const state =
      '# my own\npaused: false\n# twelve is enough\ndaily_cap: 12\ncursor: 3 # here\ncaps: { minutes_per_item: 7 }\n';
    const at = folder({ ...PAGES, '.jez/state.md': state });
    const { out } = pawl(at.root, 'init', '--yes');
    expect(out).toContain('daily_cap belongs in loop.md as caps.items_per_day');
    expect(at.read('.jez/state.md')).toBe(state);
    const doctor = pawl(at.root, 'doctor');
    expect(doctor.code).toBe(2);
    expect(doctor.out).toContain('.jez/state.md:4:1');
    expect(pawl(at.root, 'init', '--move-caps').code).toBe(0);
    expect(at.read('.jez/state.md')).toBe('# my own\npaused: false\n# twelve is enough\ncursor: 3 # here\n');
    expect(at.read('.jez/loop.md')).toContain(
      'items_per_day: 12, usd_per_day: null, tokens_per_day: null, minutes_per_item: 7',
    );
    expect(pawl(at.root, 'doctor').code).toBe(0);
  });

  test('A3: says that a plain run is enough when there is one item, and still works', () => {
    const at = folder({ 'only.md': '# one\n' });
    const { code, out } = pawl(at.root, 'init', '--yes');
    expect(code).toBe(0);
    expect(out.match(/a plain run is enough/g)).toHaveLength(1);
    expect(pawl(folder(PAGES).root, 'init', '--yes').out).not.toContain('a plain run');
  });

  test('in a git work tree nothing of the work is taken up', () => {
    const at = folder({ ...PAGES, 'other.txt': '' });
    spawnSync('git', ['init', '-q', at.root]);
    expect(pawl(at.root, 'init', '--yes').out).not.toContain('no git here');
    expect(pawl(at.root, 'tick').code).toBe(0);
    const seen = spawnSync('git', ['-C', at.root, 'status', '--porcelain', '-uall'], { encoding: 'utf8' }).stdout;
    expect(seen).toContain('.jez/loop.md');
    expect(seen).not.toMatch(/\.jez\/(batches|runs|ticks|lock|cache|heartbeat)/);
    expect(row(pawl(at.root, 'doctor', '--json').json().rows, 'git')?.level).toBe('ok');
  });

  test('takes a worker, a field and a zone of one’s own, and refuses those that can’t be', () => {
    const at = loop(
      { 'tidy.mjs': '' },
      '--worker',
      'node tidy.mjs --fast',
      '--field',
      'seen',
      '--timezone',
      'Asia/Kolkata',
    );
    const text = at.read('.jez/loop.md');
    for (const part of [
      'run: [node, tidy.mjs, "--fast"]',
      'mark: { field: seen }',
      'timezone: Asia/Kolkata',
      'outputs: ["{path}"]',
    ])
      expect(text).toContain(part);
    expect(existsSync(at.path('.jez/workers'))).toBe(false);
    const other = folder(PAGES);
    for (const args of [
      ['--timezone', 'Mars/Base'],
      ['--field', 'two words'],
      ['--worker', ' '],
    ])
      expect(pawl(other.root, 'init', '--yes', ...args).code).toBe(1);
    expect(existsSync(other.path('.jez'))).toBe(false);
  });
});

describe('status', () => {
  test('fits ten seconds: at most fifteen lines, with the next step', () => {
    const { code, out } = pawl(loop().root, 'status');
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(15);
    expect(out).toContain('pawl tick --wait');
  });

  test('M37: says unchecked while no check is set', () => {
    const at = loop();
    expect(pawl(at.root, 'status').out).toMatch(/^check +unchecked/m);
    edit(at, '.jez/loop.md', /^check: null/m, 'check: [node, --version]');
    expect(pawl(at.root, 'status').out).toMatch(/^check +node --version/m);
  });

  test('A60: shows the default for a cap that was left out, and 0 for none', () => {
    const at = loop();
    edit(at, '.jez/loop.md', 'items_per_day: 40, ', '');
    expect(pawl(at.root, 'status').out).toContain('20 a day (default)');
    expect(pawl(at.root, 'status', '--json').json()).toMatchObject({
      limits: { caps: { itemsPerDay: 20 } },
      defaults: expect.arrayContaining(['items_per_day']),
    });
    edit(at, '.jez/loop.md', 'caps: { ', 'caps: { items_per_day: 0, ');
    pawl(at.root, 'tick');
    const { state, why } = pawl(at.root, 'status', '--json').json();
    expect([state, why]).toEqual(['capped', 'daily cap of 0 items reached']);
  });

  test('--json has its documented shape, v1, from the first look to the end', () => {
    const at = loop();
    expect(Object.keys(pawl(at.root, 'status', '--json').json())).toEqual([
      ...[
        'v',
        'root',
        'state',
        'why',
        'version',
        'inFlight',
        'today',
        'errorsInARow',
        'items',
        'learnings',
        'waitingForYou',
      ],
      ...['last', 'heartbeatAgeS', 'check', 'limits', 'defaults'],
    ]);
    expect(pawl(at.root, 'status', '--json').json()).toMatchObject({
      v: 1,
      state: 'new',
      items: { done: 0, total: 3 },
      last: null,
    });
    pawl(at.root, 'run', '--every', '0', '--until', 'exhausted');
    const end = pawl(at.root, 'status', '--json').json();
    expect(end).toMatchObject({ state: 'exhausted', items: { done: 3, total: 3 }, today: { count: 3 }, inFlight: [] });
    expect(end.last.headline).toContain('exhausted');
  });

  test('names a pause and its reason, whoever made it', () => {
    const at = loop();
    writeFileSync(at.path('.jez/PAUSE'), '');
    expect(pawl(at.root, 'status', '--json').json()).toMatchObject({
      state: 'paused',
      why: 'there is a file .jez/PAUSE',
    });
    edit(
      at,
      '.jez/state.md',
      /paused: false.*\npause_reason: null/,
      'paused: true\npause_reason: "tick 3: 3 errors in a row"',
    );
    expect(pawl(at.root, 'status').out).toContain('paused: tick 3: 3 errors in a row');
  });

  test('changes nothing, and refuses a state.md that can’t be read with its place', () => {
    const at = loop();
    const before = { ...snapshot(at.path('.jez')) };
    pawl(at.root, 'status');
    expect(snapshot(at.path('.jez'))).toEqual(before);
    writeFileSync(at.path('.jez/state.md'), '---\npaused: perhaps\n---\n');
    const { code, error } = pawl(at.root, 'status');
    expect(code).toBe(2);
    expect(error).toContain('.jez/state.md:2:9');
  });
});

describe('log', () => {
  test('shows the newest day, the last entries, or the day asked for', () => {
    const at = loop();
    expect(pawl(at.root, 'log').out).toContain('nothing was done yet');
    const block = (tick: number, what: string) =>
      `<!-- tick:${tick} -->\n## 08:15 tick ${tick}, version 7: ${what}\n- done ${what}\n<!-- /tick:${tick} -->\n`;
    const torn = '<!-- tick:4 -->\n## 08:15 tick 4, ver\n';
    mkdirSync(at.path('.jez/reflections'), { recursive: true });
    writeFileSync(at.path('.jez/reflections/2026-06-08.md'), block(2, 'one'));
    writeFileSync(
      at.path('.jez/reflections/2026-06-09.md'),
      `${block(3, 'two')}my own note\n${torn}${block(4, 'three')}`,
    );
    const { out } = pawl(at.root, 'log');
    expect(out).not.toContain('<!--');
    expect(out).toBe(
      '2026-06-09\n\n08:15 tick 3, version 7: two\n  done two\n\n08:15 tick 4, version 7: three\n  done three\n',
    );
    expect(pawl(at.root, 'log', '--day', '2026-06-08', '--json').json()).toEqual({
      v: 1,
      entries: [{ day: '2026-06-08', tick: 2, time: '08:15', version: 7, headline: 'one', lines: ['done one'] }],
    });
    expect(
      pawl(at.root, 'log', '--last', '2', '--json')
        .json()
        .entries.map(({ tick }: { tick: number }) => tick),
    ).toEqual([3, 4]);
    expect(
      pawl(at.root, 'log', '--last', '3', '--json')
        .json()
        .entries.map(({ tick }: { tick: number }) => tick),
    ).toEqual([2, 3, 4]);
    for (const args of [
      ['--day', 'today'],
      ['--last', '0'],
      ['--last', 'x'],
    ])
      expect(pawl(at.root, 'log', ...args).code).toBe(1);
  });
});

describe('retry', () => {
  test('gives items that wait for a person back, one or all, and names them to whoever errs', () => {
    const at = loop(ASK, '--worker', 'node ask.mjs');
    pawl(at.root, 'run', '--every', '0', '--until', 'exhausted');
    expect(pawl(at.root, 'status', '--json').json()).toMatchObject({ state: 'exhausted', waitingForYou: 3 });
    const wrong = pawl(at.root, 'retry', 'docs/x.md');
    expect(wrong.code).toBe(1);
    expect(wrong.error).toContain('docs/a.md, docs/b.md, docs/c.md');
    expect(pawl(at.root, 'retry').code).toBe(1);
    expect(pawl(at.root, 'retry', 'docs/a.md', '--all').code).toBe(1);
    const review = at.read('.jez/review.md');
    expect(pawl(at.root, 'retry', './docs/a.md', '--json').json()).toMatchObject({
      v: 1,
      released: [{ item: 'docs/a.md' }],
    });
    expect(pawl(at.root, 'status', '--json').json()).toMatchObject({ state: 'ready', waitingForYou: 2 });
    expect(pawl(at.root, 'retry', '--all').out).toContain('2 items may be tried again');
    expect(at.read('.jez/review.md')).toBe(review);
    expect(pawl(at.root, 'retry', '--all').out).toBe('nothing waits for you\n');
    const lines = at
      .read('.jez/outcomes.jsonl')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.filter((line) => 'release' in line).map((line) => line.release)).toEqual([
      'docs/a.md',
      'docs/b.md',
      'docs/c.md',
    ]);
  });
});

describe('doctor', () => {
  test('A57: a loop.md without a Boundary is an error', () => {
    const at = loop();
    edit(at, '.jez/loop.md', '## Boundary', '## Fence');
    const { code, out } = pawl(at.root, 'doctor');
    expect(code).toBe(2);
    expect(out).toMatch(/^fail +boundary/m);
  });

  test('tells what is wrong, where, and how to mend it', () => {
    const at = loop({ 'docs/d.md': '---\nchecked: soon\n---\n' });
    edit(at, '.jez/loop.md', 'caps: {', 'speed: 9\ncaps: {');
    edit(at, '.jez/loop.md', '".jez/workers/docs-sweep.mjs"', '".jez/workers/gone.mjs"');
    writeFileSync(at.path('.jez/.gitignore'), 'runs/\n');
    const { rows } = pawl(at.root, 'doctor', '--json').json();
    expect(row(rows, 'settings')).toMatchObject({ level: 'warn', what: 'speed is read by nobody' });
    expect(row(rows, 'executor')).toMatchObject({ level: 'fail' });
    expect(row(rows, 'gitignore')).toMatchObject({ level: 'warn', mend: 'pawl doctor --fix' });
    expect(rows.filter(({ name }: { name: string }) => name === 'items')[1]).toMatchObject({
      level: 'warn',
      where: 'docs/d.md:2',
    });
    expect(row(rows, 'clock')).toMatchObject({ level: 'warn' });
  });

  test('A3: for a loop that does not learn, a plain run is enough', () => {
    const at = loop();
    edit(at, '.jez/loop.md', 'mode: on', 'mode: off');
    const doctor = pawl(at.root, 'doctor');
    expect(doctor.code).toBe(0);
    expect(doctor.out).toContain('a plain run is enough');
  });

  test('without a loop it says so, by exit code 2', () => {
    const { code, json } = pawl(folder().root, 'doctor', '--json');
    expect(code).toBe(2);
    expect(json()).toMatchObject({ v: 1, fixed: [], rows: [{ name: 'folder', level: 'fail', mend: 'pawl init' }] });
  });

  test('without --fix it changes nothing but .jez/cache', () => {
    const at = loop();
    writeFileSync(at.path('.jez/state.md'), 'torn');
    const before = snapshot(at.path('.jez'));
    expect(pawl(at.root, 'doctor').code).toBe(2);
    expect(snapshot(at.path('.jez'))).toEqual(before);
  });

  test('--fix completes .gitignore and clears the gate of a killed tick', () => {
    const at = loop();
    writeFileSync(at.path('.jez/.gitignore'), '# mine\nruns/');
    mkdirSync(at.path('.jez/lock/gate'), { recursive: true });
    utimesSync(at.path('.jez/lock/gate'), 1, 1);
    expect(row(pawl(at.root, 'doctor', '--json').json().rows, 'lock')?.level).toBe('warn');
    const { fixed, rows } = pawl(at.root, 'doctor', '--fix', '--json').json();
    expect(fixed).toEqual(['.jez/.gitignore: the missing lines added']);
    expect(row(rows, 'lock')?.level).toBe('ok');
    expect(existsSync(at.path('.jez/lock/gate'))).toBe(false);
    expect(at.read('.jez/.gitignore').startsWith('# mine\nruns/\nbatches/\n')).toBe(true);
    expect(pawl(at.root, 'doctor', '--fix', '--json').json().fixed).toEqual([]);
  });

  test('case C5: a torn state.md is refused by the tick, and --fix rebuilds it paused with its counts', () => {
    const at = loop();
    pawl(at.root, 'run', '--every', '0', '--until', 'exhausted');
    const good = at.read('.jez/state.md');
    const { tick } = pawl(at.root, 'log', '--last', '1', '--json').json().entries[0];
    for (const torn of [good.slice(0, 300), '', '\0'.repeat(200), at.read('.jez/loop.md'), `<<<<<<< a\n${good}`]) {
      writeFileSync(at.path('.jez/state.md'), torn);
      expect(pawl(at.root, 'tick').code).toBe(2);
      expect(at.read('.jez/state.md')).toBe(torn);
      const { code, json } = pawl(at.root, 'doctor', '--fix', '--json');
      expect(code).toBe(0);
      const [fixed] = json().fixed;
      const kept = /state\.md\.corrupt-\S+Z(-\d+)?/.exec(fixed)?.[0] ?? '';
      expect(at.read(`.jez/${kept}`)).toBe(torn);
      const status = pawl(at.root, 'status', '--json').json();
      expect(status).toMatchObject({ state: 'paused', items: { done: 3 }, today: { count: 3 } });
      expect(status.why).toContain(kept);
      const now = at.read('.jez/state.md');
      expect(Number(/^tick: (\d+)/m.exec(now)?.[1])).toBeGreaterThanOrEqual(tick);
      expect(now).toMatch(/^done_count: 3$/m);
    }
    expect(pawl(at.root, 'resume').code).toBe(0);
    expect(pawl(at.root, 'doctor').code).toBe(0);
  });

  test('--fix makes a state.md where there is none', () => {
    const at = loop();
    rmSync(at.path('.jez/state.md'));
    expect(pawl(at.root, 'doctor', '--fix', '--json').json().fixed[0]).toContain('state.md was missing');
    expect(pawl(at.root, 'status', '--json').json().state).toBe('paused');
  });
});
