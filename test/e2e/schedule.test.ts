import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { realProcesses } from '../../src/store/process.ts';
import { loop } from '../support/loop.ts';
import { eventually } from '../support/processes.ts';
import { folder } from '../support/workspace.ts';

const PAWL = resolve(process.env.PAWL_OUT ?? 'dist', 'pawl.cjs');
const HOME = '/';

/** The built program, as started from a terminal with that PATH. */
function pawl(cwd: string, args: readonly string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PAWL, ...args], {
    ...{ cwd, encoding: 'utf8', input: '' },
    env: { ...process.env, ...env },
  });
  return { code: status, out: stdout, error: stderr };
}

/** A command as cron runs it: after taking the backslash before each % away, by sh, from another folder, with four variables. */
function likeCron(line: string) {
  const [, command = ''] = /^\S+ \* \* \* \* (.*)$/m.exec(line) ?? [];
  expect(command.replaceAll('\\%', '')).not.toContain('%');
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command.replaceAll('\\%', '%')], {
    ...{ cwd: '/', encoding: 'utf8', input: '' },
    env: { HOME, LOGNAME: 'ann', PATH: '/usr/bin:/bin', SHELL: '/bin/sh' },
  });
  return { code: status, out: stdout, error: stderr };
}

/** A `crontab` of the test's own, first on PATH: it prints a table, and notes how it was called. */
function crontab(table: string | null, files: Record<string, string> = {}) {
  const script = `#!/bin/sh\necho "$@" >> "$0.calls"\n`;
  const none = 'echo "no crontab for ann" >&2; exit 1\n';
  const at = folder({ 'bin/crontab': script + (table === null ? none : 'cat "$0.table"\n'), ...files });
  if (table !== null) writeFileSync(at.path('bin/crontab.table'), table);
  const path = [at.path('bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  return { ...at, env: { PATH: path }, calls: () => at.read('bin/crontab.calls') };
}

interface Row {
  name: string;
  level: string;
  what: string;
  mend?: string;
}

/** What doctor says about the scheduler. */
function schedule(root: string, env: Record<string, string>): Row[] {
  const rows: Row[] = JSON.parse(pawl(root, ['doctor', '--json'], env).out).rows;
  return rows.filter(({ name }) => name === 'schedule');
}

const line = (root: string, env: Record<string, string> = {}) => pawl(root, ['schedule', 'print', 'cron'], env).out;

/** Where a loop of the tests is moved to, for the sake of its name. */
function moved(at: { root: string }, name: string): string {
  const to = join(folder().root, name);
  renameSync(at.root, to);
  mkdirSync(at.root);
  return to;
}

describe('pawl schedule print', () => {
  test('A50: prints one crontab line for a tick every 15 minutes, and installs nothing', () => {
    const at = loop();
    const table = crontab(null);
    const before = readdirSync(at.path('.jez')).sort();
    const { code, out, error } = pawl(at.root, ['schedule', 'print', 'cron'], table.env);
    expect([code, error]).toEqual([0, '']);
    const lines = out
      .trimEnd()
      .split('\n')
      .filter((each) => !each.startsWith('#'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^\*\/15 \* \* \* \* PATH=\/.* \/.*node \/.*pawl\.cjs tick --dir \/.*$/);
    expect(readdirSync(at.path('.jez')).sort()).toEqual(before);
    expect(existsSync(table.path('bin/crontab.calls'))).toBe(false);
  });

  test('case C5: the printed line ticks under the environment of cron, from another folder, whatever the folders are called', async () => {
    const at = loop({ items: 1, settings: { executor: '{ kind: command, run: [my-worker] }' } });
    // The worker is found by the PATH of the terminal alone.
    const tools = folder({ 'bin 5%/my-worker': `#!/bin/sh\nexec /bin/sh "$PAWL_ROOT/worker.sh"\n` });
    const root = moved(at, `it's 100% "odd" $HOME`);
    const printed = line(root, { PATH: `${tools.path('bin 5%')}:rel::/gone:/usr/bin:/bin` });
    expect(printed).not.toMatch(/rel|gone/);
    const heartbeat = join(root, '.jez/heartbeat');
    utimesSync(heartbeat, 0, 0);
    expect(likeCron(printed)).toEqual({ code: 0, out: '', error: '' });
    const results = () =>
      readdirSync(join(root, '.jez/runs')).filter((run) => existsSync(join(root, '.jez/runs', run, 'result.json')));
    await eventually(() => existsSync(join(root, '.jez/runs')) && results().length === 1);
    expect(likeCron(printed)).toEqual({ code: 0, out: '', error: '' });
    expect(readFileSync(join(root, 'items/a.md'), 'utf8')).toMatch(/^checked: /m);
    expect(statSync(heartbeat).mtimeMs).toBeGreaterThan(0);
  });

  test.each([
    ['print cron --every 7m', '--every 10m'],
    ['print --every 0', 'a minute or more'],
    ['print --every soon', '"soon"'],
    ['print fcron', 'cron, systemd, launchd, windows'],
    ['install', 'only prints'],
    ['', 'print kind?'],
  ])('schedule %s is refused with a word on what would do', (args, told) => {
    const { code, out, error } = pawl(loop().root, ['schedule', ...args.split(' ').filter(Boolean)]);
    expect([code, out]).toEqual([1, '']);
    expect(error).toContain(told);
  });

  test('takes the folder from --dir or from above, and says more with --json', () => {
    const at = loop();
    const from = pawl(at.path('items'), ['schedule', 'print', 'cron']).out;
    expect(from).toBe(pawl('/', ['schedule', 'print', 'cron', '--dir', at.root]).out);
    const told = JSON.parse(pawl(at.root, ['schedule', 'print', 'cron', '--every', '1h', '--json']).out);
    expect(told).toEqual({
      v: 1,
      kind: 'cron',
      everyS: 3600,
      text: from.replace('*/15', '0').replace('15 min', '60 min'),
    });
  });
});

describe('pawl doctor on the scheduler', () => {
  test('case C5: says that there is no line, that the printed one works, and only reads the crontab', () => {
    const at = loop();
    const table = crontab(null);
    expect(schedule(at.root, table.env)).toMatchObject([
      { level: 'ok', what: expect.stringMatching(/^the crontab has no line for this folder; .* works/) },
    ]);
    expect(table.calls()).toBe('-l\n');
    const without = folder();
    for (const name of ['node', 'sh', 'git', 'ps'])
      if (existsSync(`/usr/bin/${name}`)) symlinkSync(`/usr/bin/${name}`, without.path(name));
    expect(schedule(at.root, { PATH: without.root })[0]?.what).toMatch(/^there is no crontab to read here; .* works/);
  });

  test('case C5: tries the line that is there', () => {
    const at = loop();
    const printed = line(at.root);
    expect(schedule(at.root, crontab(`MAILTO=ann\n${printed}`).env)).toMatchObject([
      { level: 'ok', what: expect.stringContaining('works') },
    ]);
    // It was tried without a trace.
    expect(at.told()).toHaveLength(1);
  });

  test('case C5: names the node that is gone, and the worker that cron would not find', () => {
    const at = loop({ settings: { executor: '{ kind: command, run: [my-worker] }' } });
    const files = { 'bin/my-worker': '#!/bin/sh\n' };
    const tick = `${PAWL} tick --dir ${at.root}`;
    expect(schedule(at.root, crontab(`*/15 * * * * /opt/gone/node ${tick}\n`, files).env)).toMatchObject([
      { level: 'fail', what: 'a line for this folder names /opt/gone/node, which is not there' },
    ]);
    expect(schedule(at.root, crontab(`*/15 * * * * ${process.execPath} ${tick}\n`, files).env)).toMatchObject([
      { level: 'ok' },
      {
        level: 'fail',
        what: expect.stringMatching(/^my-worker is not on the PATH of the line/),
        mend: expect.any(String),
      },
    ]);
    const bare = crontab(`*/15 * * * * cd / && no-such-node tick --dir ${at.root}`, files);
    expect(schedule(at.root, bare.env)[0]).toMatchObject({ level: 'fail', what: expect.stringContaining('exit 127') });
    expect(schedule(at.root, crontab(null, files).env)).toMatchObject([
      { level: 'ok' },
      { level: 'warn', what: expect.stringContaining("not on cron's own PATH") },
    ]);
  });

  test('never tries a line that does more than tick', () => {
    const at = loop();
    const table = crontab(`* * * * * touch ${at.path('trace')} && ${process.execPath} ${PAWL} tick --dir ${at.root}\n`);
    expect(schedule(at.root, table.env)).toMatchObject([{ level: 'ok', what: expect.stringContaining('not tried') }]);
    expect(existsSync(at.path('trace'))).toBe(false);
  });

  test('case C5: --deep sees a batch outlive its tick, and leaves nothing behind', () => {
    const at = loop();
    const temp = folder();
    const { out } = pawl(at.root, ['doctor', '--deep', '--json'], { ...crontab(null).env, TMPDIR: temp.root });
    const rows: Row[] = JSON.parse(out).rows;
    expect(rows.find(({ name }) => name === 'supervisor')).toMatchObject({
      level: 'ok',
      what: expect.stringContaining('lives on'),
    });
    expect(readdirSync(temp.root)).toEqual([]);
    expect(realProcesses.findRun('0001', temp.root)).toEqual([]);
  });
});
