import { expect, test } from 'vitest';
import { realProcesses } from '../../src/store/process.ts';
import { see, seeAll } from '../../src/store/process-table.ts';
import { type Launch, runProgram } from '../../src/store/spawn.ts';
import { folder } from '../support/workspace.ts';

/** Runs Node on `script` with short clocks. */
async function run(script: string, more: Partial<Launch> = {}) {
  const { root } = folder();
  const lines: string[] = [];
  const groups: (number | null)[] = [];
  const ended = await runProgram({
    argv: ['node', '-e', script],
    cwd: root,
    environment: { PATH: process.env.PATH ?? '' },
    input: '',
    wallMs: 60_000,
    silenceMs: null,
    graceMs: 200,
    signal: new AbortController().signal,
    group: (pid) => groups.push(pid),
    line: (from, { text }) => lines.push(`${from}: ${text}`),
    ...more,
  });
  return { ended, lines, group: groups[0] as number, cwd: root };
}

/** What has ended and only waits to be collected counts as gone. */
const isGone = (pid: number) => see(pid)?.zombie !== false;
const isGroupGone = (group: number) => seeAll().every((seen) => seen.group !== group || seen.zombie);

/** Starts a sleeper that nobody waits for and prints its pid, then goes on with `then`. */
const withGrandchild = (then: string, options = '{stdio: "inherit"}') =>
  `const c = require("child_process").spawn("sleep", ["300"], ${options}); c.unref(); console.log(c.pid); ${then}`;

const pidIn = (lines: string[]) => Number(lines[0]?.replace('stdout: ', ''));

test('a program gets its input and gives its lines and its exit code', async () => {
  const { ended, lines } = await run('process.stdin.pipe(process.stdout); console.error("e"); process.exitCode = 3', {
    input: 'one\ntwo',
  });
  expect(ended).toEqual({ why: 'ended', code: 3, signal: null, error: null, gone: true });
  expect(lines.sort()).toEqual(['stderr: e', 'stdout: one', 'stdout: two']);
});

test('a program that does not read its input is no fault', async () => {
  const { ended } = await run('process.stdin.destroy()', { input: 'x'.repeat(4_000_000) });
  expect(ended).toMatchObject({ why: 'ended', code: 0 });
});

test('a program that is not there could not start', async () => {
  const { ended } = await run('', { argv: ['no-such-program-here'] });
  expect(ended).toMatchObject({ why: 'could-not-start', gone: true });
  expect(ended.error).toContain('ENOENT');
  expect((await run('', { argv: ['a\0b'] })).ended.why).toBe('could-not-start');
  expect((await run('', { argv: [] })).ended.why).toBe('could-not-start');
});

test('no shell reads the arguments', async () => {
  const nasty = ['$(touch bad)', '`touch bad`', '; touch bad', '"\'\\', '*', '-n', '\n', '', '%PATH%', '字'];
  const argv = [
    'node',
    '-e',
    'console.log(JSON.stringify([process.argv.slice(1), require("fs").readdirSync(".")]))',
    '--',
  ];
  const { lines } = await run('', { argv: [...argv, ...nasty] });
  expect(JSON.parse(lines[0]?.replace('stdout: ', '') ?? '')).toEqual([nasty, []]);
});

test('grandchildren of the group are gone after a normal exit too', async () => {
  const { ended, lines, group } = await run(withGrandchild(''));
  expect(ended).toMatchObject({ why: 'ended', code: 0, gone: true });
  expect(isGone(pidIn(lines))).toBe(true);
  expect(isGroupGone(group)).toBe(true);
});

test('a grandchild in a session of its own is gone as well, since it carries the run', async () => {
  const environment = { PATH: process.env.PATH ?? '', PAWL_RUN: '0042', PAWL_ROOT: folder().root };
  const { ended, lines } = await run(withGrandchild('', '{detached: true, stdio: "inherit"}'), { environment });
  expect(ended.gone).toBe(true);
  expect(isGone(pidIn(lines))).toBe(true);
  expect(realProcesses.findRun(environment.PAWL_RUN, environment.PAWL_ROOT)).toEqual([]);
});

test('a pipe that a stranger holds open delays nothing for ever', async () => {
  const { ended, lines } = await run(withGrandchild('', '{detached: true, stdio: "inherit"}'));
  const stranger = pidIn(lines);
  expect(ended).toMatchObject({ why: 'ended', code: 0 });
  expect(isGone(stranger)).toBe(false);
  process.kill(stranger, 'SIGKILL');
});

test('a program past its wall clock is ended, with its children', async () => {
  const { ended, lines } = await run(withGrandchild('setInterval(() => {}, 1000)'), { wallMs: 1500 });
  expect(ended).toMatchObject({ why: 'timed-out', code: null, signal: 'SIGTERM', gone: true });
  expect(isGone(pidIn(lines))).toBe(true);
});

test('a program that ignores SIGTERM is killed after the grace', async () => {
  const script = 'process.on("SIGTERM", () => console.log("no")); setInterval(() => {}, 1000); console.log("up")';
  const stop = new AbortController();
  const { ended } = await run(script, { signal: stop.signal, line: () => stop.abort() });
  expect(ended).toEqual({ why: 'stopped', code: null, signal: 'SIGKILL', error: null, gone: true });
});

test('a program asked to end may still say something', async () => {
  const script =
    'process.on("SIGTERM", () => {console.log("notes"); process.exit(0)}); setInterval(() => {}, 1000); console.log("up")';
  const stop = new AbortController();
  const lines: string[] = [];
  const line: Launch['line'] = (_, { text }) => {
    lines.push(text);
    stop.abort();
  };
  const { ended } = await run(script, { signal: stop.signal, line, graceMs: 20_000 });
  expect(ended).toMatchObject({ why: 'stopped', code: 0 });
  expect(lines).toEqual(['up', 'notes']);
});

test('nothing is started once it has to stop', async () => {
  const { ended, lines } = await run('console.log("up")', { signal: AbortSignal.abort() });
  expect(ended.why).toBe('stopped');
  expect(lines).toEqual([]);
});

test('silence ends a program, and any output keeps it', async () => {
  const { ended } = await run('console.log("up"); setInterval(() => {}, 1000)', { silenceMs: 1500 });
  expect(ended.why).toBe('silent');
  const talking =
    'let n = 0; const t = setInterval(() => ++n > 12 ? clearInterval(t) : process.stderr.write("."), 200)';
  expect((await run(talking, { silenceMs: 1800 })).ended).toMatchObject({ why: 'ended', code: 0 });
});

test('a program that never stops printing is ended at ten mebibytes', async () => {
  let bytes = 0;
  const line: Launch['line'] = (_, { text }) => {
    bytes += text.length + 1;
  };
  const { ended } = await run('', { argv: ['yes', 'all work and no play'], line });
  expect(ended).toMatchObject({ why: 'output-limit', gone: true });
  expect(bytes).toBeLessThanOrEqual(10 * 1024 * 1024 + 1);
});

test('a line over a mebibyte is cut, and what comes after it is read', async () => {
  const seen: [number, boolean][] = [];
  await run('process.stdout.write("x".repeat(3_000_000) + "\\nnext\\n")', {
    line: (_, { text, cut }) => seen.push([text.length, cut]),
  });
  expect(seen).toEqual([
    [1024 * 1024, true],
    [4, false],
  ]);
});

test('a limit too long for a timer does not fire at once', async () => {
  expect((await run('', { wallMs: 2 ** 40, silenceMs: 2 ** 40 })).ended.why).toBe('ended');
});

test('what the listener throws comes out when the program is gone', async () => {
  const groups: (number | null)[] = [];
  const failing = run('console.log("up"); setInterval(() => {}, 1000)', {
    group: (pid) => groups.push(pid),
    line: () => {
      throw new Error('disk full');
    },
  });
  await expect(failing).rejects.toThrow('disk full');
  expect(groups).toEqual([expect.any(Number), null]);
  expect(isGroupGone(groups[0] as number)).toBe(true);
});
