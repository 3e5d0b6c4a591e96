import type { ExecutorSpec } from '../core/model.ts';
import { redact, secretsIn } from '../core/redact.ts';
import { cut, oneLine } from '../core/text.ts';
import { messageOf } from '../errors.ts';
import { judge } from '../formats/judge.ts';
import { type InvalidEvent, printJob, printRun, type ResultEvent, readLine } from '../formats/protocol.ts';
import { realDisk } from '../store/disk.ts';
import type { OutputLine } from '../store/lines.ts';
import { findProgram, program, workerEnvironment } from '../store/program.ts';
import { type Ended, runProgram } from '../store/spawn.ts';
import type { Job, Outcome, Probe, Seat, Worker } from './executor.ts';

/** Between asking a worker to end and making it. */
const GRACE_MS = 10_000;
/** Code points of the last log text that are kept as a reason, and the lines it is taken from. */
const REASON = 500;
const REASON_LINES = 8;
/** One word that can only be meant as a script. */
const SCRIPT = /^[^\s-]\S{0,200}\.([cm]?[jt]s|py|sh|rb|pl)$/;

/** Runs a program of the user's own for each attempt: the job on stdin, one JSON object a line on stdout. */
export const worker: Worker = async (spec, job, seat) => {
  const secrets = secretsIn(process.env);
  const scrub = <T>(value: T): T => redact(value, secrets);
  const heard = listen(seat, scrub);
  try {
    return scrub(outcomeOf(await run(spec, job, seat, heard.line), heard));
  } catch (error) {
    return scrub(unrecorded(messageOf(error)));
  }
};

/** The program is gone, and it was us who could not write down what it said. */
function unrecorded(why: string): Outcome {
  const message = `the attempt could not be recorded: ${why}`;
  const error = { class: 'infra' as const, message };
  return {
    outcome: 'failed',
    summary: message,
    error,
    fields: {},
    learnings: [],
    surprises: [],
    unsure: [],
    usage: {},
  };
}

function run(spec: ExecutorSpec, job: Job, seat: Seat, line: (from: From, line: OutputLine) => void): Promise<Ended> {
  const own = { PAWL_RUN: printRun(job.run), PAWL_ROOT: job.root };
  return runProgram({
    argv: program(spec.run, job.root, realDisk),
    cwd: job.scratch,
    environment: workerEnvironment(process.env, spec.env, own),
    input: printJob(job),
    wallMs: job.limits.wallMs,
    silenceMs: job.limits.silenceMs,
    graceMs: GRACE_MS,
    signal: seat.signal,
    group: (pid) => seat.group(pid),
    line,
  });
}

type From = 'stdout' | 'stderr';

/** Sorts what a worker prints into the trail, the notes, and what counts in the end. */
function listen(seat: Seat, scrub: <T>(value: T) => T) {
  const learnings: Outcome['learnings'] = [];
  const results: (ResultEvent | InvalidEvent)[] = [];
  const said: string[] = [];

  function line(from: From, { text, cut: shortened }: OutputLine) {
    const event = from === 'stdout' && !shortened ? readLine(text) : null;
    seat.log(scrub({ ...(event ?? { type: 'log', from, text: text.replaceAll('\0', ''), cut: shortened }) }));
    if (event === null) {
      if (text.trim() !== '') said.push(cut(oneLine(text), REASON));
      if (said.length > REASON_LINES) said.shift();
    } else if (event.type === 'checkpoint') seat.checkpoint(scrub(event.notes));
    else if (event.type === 'learning') learnings.push({ rule: event.rule, target: event.target, level: event.level });
    else if (event.type === 'result' || (event.type === 'invalid' && event.of === 'result')) results.push(event);
  }

  return { line, learnings, results, said };
}

function outcomeOf(ended: Ended, { results, learnings, said }: ReturnType<typeof listen>): Outcome {
  const reason = ended.error ?? cut(said.join(' / '), REASON);
  const outcome = { ...judge(ended, results, ended.why, reason), learnings };
  if (ended.gone) return outcome;
  // A process we could not end may go on working: nobody else may start on this item.
  const message = 'a process of this run could not be ended';
  return { ...outcome, outcome: 'needs-human', summary: message, error: { class: 'item', message }, fields: {} };
}

/** Whether the program can be started, and its script is there. */
export async function probe(spec: ExecutorSpec, root: string): Promise<Probe> {
  const [name, ...rest] = program(spec.run, root, realDisk);
  if (name === undefined || name === '')
    return missing('executor.run in loop.md is empty', 'name the program there: run: [node, .jez/workers/mine.mjs]');
  const found = findProgram(name, process.env.PATH ?? '');
  if (found === null) return missing(`${name} was not found, or may not be executed`, fixFor(name));
  const script = rest.find((element) => SCRIPT.test(element) && realDisk.stat(element) === null);
  if (script !== undefined)
    return missing(`there is no ${script} below ${root}`, 'paths in executor.run are read from the project folder');
  return { ok: true, what: found, fix: null };
}

const missing = (what: string, fix: string): Probe => ({ ok: false, what, fix });

function fixFor(name: string): string {
  return name.includes('/')
    ? `make sure the file is there, then: chmod +x ${name}`
    : `install ${name}, or give its whole path in executor.run; the scheduler may have a shorter PATH than your terminal`;
}
