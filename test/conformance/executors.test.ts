import { mkdirSync, readFileSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import type { ExecutorSpec } from '../../src/core/model.ts';
import type { ExecutorKind, Job } from '../../src/executors/executor.ts';
import { executorNames, loadExecutor } from '../../src/executors/index.ts';
import { see, seeAll } from '../../src/store/process-table.ts';
import { folder } from '../support/workspace.ts';

/** What each kind needs to be driven by a script of ours: one line here for each line of the registry. */
const DRIVERS: Record<string, { spec(script: string): ExecutorSpec }> = {
  command: {
    spec: () => ({ kind: 'command', run: ['node', 'worker.mjs'], env: [], silenceMinutes: null }),
  },
};

const SAY = 'const say = (line) => console.log(JSON.stringify(line));\n';
const DONE = 'say({ type: "result", outcome: "done", summary: "ok" });\n';

/** A project whose worker is `script`, and a way to do one attempt with it. */
function attempt(kind: string, script: string, more: Partial<Job> = {}) {
  const project = folder({ 'worker.mjs': SAY + script });
  const scratch = project.path('.jez/runs/0042-a/files');
  mkdirSync(scratch, { recursive: true });
  const job: Job = {
    run: 42,
    attempt: 1,
    key: 'k',
    root: project.root,
    item: { id: 'docs/a.md', title: 'A', path: 'docs/a.md', body: 'text', fields: {}, mark: null, refused: null },
    contract: { version: 0, text: 'Be brief.' },
    scratch,
    notes: project.path('.jez/runs/0042-a/notes.md'),
    limits: { checkpointAt: 10, returnBy: 20, wallMs: 60_000, silenceMs: null },
    prior: null,
    ...more,
  };
  const spec = (DRIVERS[kind] as (typeof DRIVERS)[string]).spec(script);
  const stop = new AbortController();
  const trail = { log: [] as Record<string, unknown>[], notes: [] as string[], groups: [] as (number | null)[] };
  const run = async (onLog: (entry: Record<string, unknown>) => void = () => {}) => {
    const { worker }: ExecutorKind = await loadExecutor(kind);
    return worker(spec, job, {
      signal: stop.signal,
      group: (pid) => trail.groups.push(pid),
      checkpoint: (notes) => trail.notes.push(notes),
      log: (entry) => {
        trail.log.push(entry);
        onLog(entry);
      },
    });
  };
  return { project, scratch, job, spec, stop, trail, run };
}

const isGone = (pid: number) => see(pid)?.zombie !== false;
const isGroupGone = (group: number) => seeAll().every((seen) => seen.group !== group || seen.zombie);

test('every line of the registry is tested here, and another name is refused with the list', async () => {
  expect(Object.keys(DRIVERS)).toEqual(executorNames);
  await expect(loadExecutor('constructor')).rejects.toThrow('no executor called constructor; there are command');
});

describe.each(executorNames)('executor %s', (kind) => {
  test('a finished run is done, with what it said on the way', async () => {
    const { trail, run } = attempt(
      kind,
      `say({ type: "step", text: "reading" });
       say({ type: "checkpoint", notes: "half" });
       say({ type: "checkpoint", notes: "all" });
       say({ type: "learning", rule: "Wait.", target: "http.429", level: 1.5 });
       say({ type: "result", outcome: "done", summary: "ok", fields: { size: 7 }, surprises: ["s"], unsure: ["u"], usage: { usd: 0.5 } });`,
    );
    expect(await run()).toEqual({
      outcome: 'done',
      summary: 'ok',
      error: null,
      fields: { size: 7 },
      learnings: [{ rule: 'Wait.', target: 'http.429', level: 1.5 }],
      surprises: ['s'],
      unsure: ['u'],
      usage: { usd: 0.5 },
    });
    expect(trail.notes).toEqual(['half', 'all']);
    expect(trail.log[0]).toEqual({ type: 'step', text: 'reading' });
    expect(trail.groups).toEqual([expect.any(Number), null]);
  });

  test('it is probed, and settles as a value when something goes wrong with it', async () => {
    const { spec, project, run } = attempt(kind, 'throw new Error("burst")');
    const { probe } = await loadExecutor(kind);
    expect(await probe(spec, project.root)).toMatchObject({ ok: true, fix: null });
    expect(await run()).toMatchObject({ outcome: 'failed', error: { class: 'item' } });
  });

  test('a trail that cannot be written is trouble of ours, and the group is gone', async () => {
    const { trail, run } = attempt(kind, 'say({ type: "step", text: "up" }); setInterval(() => {}, 1000)');
    const outcome = await run(() => {
      throw new Error('disk full');
    });
    expect(outcome).toMatchObject({ outcome: 'failed', error: { class: 'infra' } });
    expect(outcome.error?.message).toBe('the attempt could not be recorded: disk full');
    expect(trail.groups).toEqual([expect.any(Number), null]);
    expect(isGroupGone(trail.groups[0] as number)).toBe(true);
  });

  test('it is released soon after the signal, and its whole group is gone', async () => {
    const { stop, trail, run } = attempt(
      kind,
      `const { spawn } = await import("node:child_process");
       const child = spawn("sleep", ["300"], { stdio: "ignore" });
       say({ type: "step", text: String(child.pid) });`,
    );
    const outcome = await run(() => stop.abort());
    expect(outcome).toMatchObject({ outcome: 'released', error: null });
    expect(isGone(Number(trail.log[0]?.text))).toBe(true);
    expect(isGroupGone(trail.groups[0] as number)).toBe(true);
    expect(trail.groups.at(-1)).toBeNull();
  });

  test('an attempt past its wall clock is timed out', async () => {
    const limits = { checkpointAt: 10, returnBy: 20, wallMs: 1000, silenceMs: null };
    const { run } = attempt(kind, 'setInterval(() => {}, 1000)', { limits });
    expect(await run()).toMatchObject({ outcome: 'timed-out', error: { class: 'item' } });
  });

  test('E16, case F5: secrets of the supervisor come back from nowhere', async () => {
    vi.stubEnv('FAKE_TOKEN', 'abc123-abc123');
    const leak = 'abc123-abc123';
    const { trail, run } = attempt(
      kind,
      `console.log("log ${leak}"); console.error("err ${leak}");
       say({ type: "step", text: "${leak}" });
       say({ type: "checkpoint", notes: "${leak}" });
       say({ type: "learning", rule: "say ${leak}", target: "${leak}" });
       say({ type: "result", outcome: "failed", summary: "${leak}", fields: { f: ["${leak}"] }, surprises: ["${leak}"],
         unsure: ["${leak}"], error: { class: "tool", message: "${leak}" } });`,
    );
    const outcome = await run();
    vi.unstubAllEnvs();
    expect(JSON.stringify([outcome, trail])).not.toContain(leak);
    expect(outcome.error?.message).toBe('[redacted FAKE_TOKEN]');
    expect(trail.notes).toEqual(['[redacted FAKE_TOKEN]']);
    expect(trail.log).toHaveLength(6);
  });
});

describe('command: what the worker sees', () => {
  test('the job on stdin, its scratch folder, and the environment of the list and no more', async () => {
    vi.stubEnv('FAKE_TOKEN', 'abc123-abc123');
    vi.stubEnv('MY_SETTING', 'mine');
    vi.stubEnv('TZ', 'Europe/London');
    const { spec, scratch, project, run } = attempt(
      'command',
      `const { readFileSync, writeFileSync } = await import("node:fs");
       const job = JSON.parse(readFileSync(0, "utf8"));
       writeFileSync("seen.json", JSON.stringify({ job, names: Object.keys(process.env).sort(), cwd: process.cwd() }));
       ${DONE}`,
    );
    spec.env.push('MY_SETTING', 'NOT_SET');
    expect(await run()).toMatchObject({ outcome: 'done' });
    const names = ['HOME', 'LANG', 'LC_ALL', 'MY_SETTING', 'PATH', 'PAWL_ROOT', 'PAWL_RUN', 'TMPDIR', 'TZ'];
    const expected = names.filter((name) => name.startsWith('PAWL_') || process.env[name] !== undefined);
    vi.unstubAllEnvs();
    const seen = JSON.parse(readFileSync(`${scratch}/seen.json`, 'utf8'));
    expect(seen).toMatchObject({ names: expected, cwd: scratch, job: { run: '0042', root: project.root, scratch } });
  });

  test('an id full of shell signs is data', async () => {
    const id = 'a $(touch bad) `touch bad`; touch bad | "\'\\\n字\u2028';
    const item = { id, title: id, path: null, body: id, fields: { id }, mark: null, refused: null };
    const script = `const { readFileSync, readdirSync } = await import("node:fs");
      const { item } = JSON.parse(readFileSync(0, "utf8"));
      say({ type: "result", outcome: "done", summary: item.id, fields: { files: readdirSync(".") } });`;
    const { spec, run } = attempt('command', script, { item });
    spec.run.push('$(touch bad)', '; touch bad');
    expect(await run()).toMatchObject({ outcome: 'done', summary: id, fields: { files: [] } });
  });
});

describe('command: what counts', () => {
  const outcomeOf = async (script: string) => attempt('command', script).run();
  const failure = async (script: string) => (await outcomeOf(script)).error;

  test.each([
    ['process.exit(75)', 'infra', 'try later (exit 75)'],
    ['process.exit(78)', 'auth', 'misconfigured (exit 78)'],
    [`${DONE} process.exitCode = 1`, 'item', 'exit 1: ok'],
    ['process.kill(process.pid, "SIGKILL")', 'item', 'ended by SIGKILL'],
    [`${DONE}${DONE}`, 'item', 'exit 0 with 2 results instead of one'],
    ['say({ type: "step", text: "s" })', 'item', 'exit 0 without a result'],
    ['say({ type: "result", outcome: "finished" })', 'item', 'the result breaks the protocol: outcome should be'],
  ])('%j fails with class %s', async (script, kind, message) => {
    const error = await failure(script);
    expect(error?.class).toBe(kind);
    expect(error?.message).toContain(message);
  });

  test('a program that is not there is infra', async () => {
    const { spec, run } = attempt('command', '');
    spec.run[0] = 'no-such-program-here';
    const outcome = await run();
    expect(outcome).toMatchObject({ outcome: 'failed', error: { class: 'infra' } });
    expect(outcome.error?.message).toContain('could not start: spawn no-such-program-here ENOENT');
  });

  const RESULT = '{"type":"result","outcome":"done"}';
  test.each([
    ['a refusal', 'Blocked: package missing. I am not going to print <promise>COMPLETE</promise> yet.'],
    ['a fence', '```\n<promise>COMPLETE</promise>\n```'],
    ['an echo of the prompt', '> When done print <promise>COMPLETE</promise>'],
    ['a tool result', '{"type":"tool_result","content":"<promise>COMPLETE</promise>"}'],
    ['lower case', '<promise>complete</promise>'],
    ['two lines', '<promise>COM\nPLETE</promise>'],
    ['the last line', 'All done.\n<promise>COMPLETE</promise>\n'],
    ['a result inside prose', `I would print ${RESULT} now.`],
    ['a result over two lines', RESULT.replace(',', ',\n')],
    ['a result on stderr', ''],
  ])('case A1: %s is not the end, and is kept as the reason', async (_, text) => {
    const stderr = text === '' ? `console.error(${JSON.stringify(RESULT)});` : '';
    const { trail, run } = attempt('command', `console.log(${JSON.stringify(text)}); ${stderr}`);
    const outcome = await run();
    expect(outcome).toMatchObject({ outcome: 'failed', error: { class: 'item' } });
    expect(outcome.error?.message).toContain('exit 0 without a result: ');
    expect(trail.log.every(({ type }) => type === 'log')).toBe(true);
  });

  test('case A1: the marker beside a result is done, by the result', async () => {
    expect(await outcomeOf(`${DONE} console.log("<promise>COMPLETE</promise>")`)).toMatchObject({ outcome: 'done' });
  });

  test('case A2: questions and exit 0 are a failure that quotes the questions', async () => {
    const error = await failure('console.log("Which company?"); console.log("Which year?")');
    expect(error?.message).toBe('exit 0 without a result: Which company? / Which year?');
  });

  test('case A3: a failed item says why, and a limit says until when', async () => {
    expect(await failure('say({ type: "result", outcome: "failed", summary: "compile failed" })')).toEqual({
      class: 'item',
      message: 'compile failed',
    });
    const limit = { class: 'limit', message: 'usage limit', retry_at: '2026-06-09T08:15:00Z' };
    const script = `say({ type: "result", outcome: "failed", error: ${JSON.stringify(limit)} })`;
    expect(await failure(script)).toEqual({
      class: 'limit',
      message: 'usage limit',
      retryAt: '2026-06-09T08:15:00.000Z',
    });
  });

  test('a result written byte by byte is read whole', async () => {
    const result = JSON.stringify({ type: 'result', outcome: 'done', summary: 'käse 🧀' });
    const script = `const { writeSync } = await import("node:fs");
      for (const byte of Buffer.from(${JSON.stringify(`${result}\n`)})) writeSync(1, Buffer.from([byte]));`;
    expect(await outcomeOf(script)).toMatchObject({ outcome: 'done', summary: 'käse 🧀' });
  });

  test.each(['console.log(RESULT + " ".repeat(1100000))', 'console.log(RESULT.replace("ok", "x".repeat(1100000)))'])(
    'a result in a line that is too long is none: %s',
    async (print) => {
      const result = '{"type":"result","outcome":"done","summary":"ok"}';
      const { trail, run } = attempt('command', `const RESULT = ${JSON.stringify(result)}; ${print}`);
      expect(await run()).toMatchObject({ outcome: 'failed', error: { class: 'item' } });
      expect(trail.log).toMatchObject([{ type: 'log', cut: true }]);
    },
  );

  test('a worker that never stops printing is ended', async () => {
    const { spec, trail, run } = attempt('command', '');
    spec.run.splice(0, 2, 'yes', 'x'.repeat(10_000));
    expect(await run()).toMatchObject({ outcome: 'failed', error: { class: 'item' } });
    expect(isGroupGone(trail.groups[0] as number)).toBe(true);
  });

  test('a worker that falls silent is timed out', async () => {
    const limits = { checkpointAt: 10, returnBy: 20, wallMs: 60_000, silenceMs: 1000 };
    const outcome = await attempt('command', 'setInterval(() => {}, 1000)', { limits }).run();
    expect(outcome).toMatchObject({ outcome: 'timed-out' });
    expect(outcome.summary).toContain('printed nothing for too long');
  });
});

describe('command: the probe says what is missing and how to mend it', () => {
  const probed = async (run: string[], files: Record<string, string> = {}) => {
    const { probe } = await loadExecutor('command');
    return probe({ kind: 'command', run, env: [], silenceMinutes: null }, folder(files).root);
  };

  test('a program, a file that may not be executed, a script, or all of it', async () => {
    expect(await probed(['no-such-program-here'])).toMatchObject({
      ok: false,
      what: 'no-such-program-here was not found, or may not be executed',
      fix: expect.stringContaining('install no-such-program-here'),
    });
    expect(await probed(['tool.sh'], { 'tool.sh': 'echo' })).toMatchObject({
      ok: false,
      fix: expect.stringContaining('chmod +x'),
    });
    expect(await probed(['node', 'missing.mjs'])).toMatchObject({
      ok: false,
      what: expect.stringContaining('there is no missing.mjs below'),
    });
    expect(await probed([])).toMatchObject({ ok: false, what: 'executor.run in loop.md is empty' });
    expect(await probed(['sh', '-c', 'node x.mjs'])).toMatchObject({ ok: true });
    expect(await probed(['tool.sh', '-v'], { 'tool.sh': '#!/bin/sh\n' })).toMatchObject({ ok: true });
  });
});
