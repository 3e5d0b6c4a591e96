import { redact, secretsIn } from '../core/redact.ts';
import type { SourceSpec } from '../core/source-spec.ts';
import { cut, oneLine } from '../core/text.ts';
import { PawlError } from '../errors.ts';
import { type Answer, BadLine, printRequest, type Request, readAnswer } from '../formats/source-protocol.ts';
import { realDisk } from '../store/disk.ts';
import type { OutputLine } from '../store/lines.ts';
import { program, workerEnvironment } from '../store/program.ts';
import { type Ended, runProgram } from '../store/spawn.ts';

const WALL_MS = 60_000;
const GRACE_MS = 2_000;
/** Code points of what is told. */
const REASON = 300;
const UNCAUGHT = /^[\w.]*(?:Error|Exception)(?: \[\w+\])?: /;

/** Asks the program of a command source one thing. @throws PawlError `E_SOURCE` unless it answers in full and ends with exit 0. */
export type Ask = (request: Request) => Promise<Answer[]>;

export function asker(spec: SourceSpec, root: string, wallMs = WALL_MS): Ask {
  return async (request) => {
    const answers: Answer[] = [];
    const said = { first: '', error: '' };
    let bad: string | null = null;
    const ended = await runProgram({
      argv: program(spec.run, root, realDisk),
      cwd: root,
      environment: environmentFor(spec, root),
      input: printRequest(request, root),
      wallMs,
      silenceMs: null,
      graceMs: GRACE_MS,
      signal: new AbortController().signal,
      group: () => {},
      line(from, line) {
        if (from === 'stderr') hear(said, oneLine(line.text));
        else bad ??= take(line, answers);
      },
    });
    const why = fault(ended, wallMs) ?? bad;
    const told = said.error || said.first;
    if (why !== null) throw sourceError(request.op, told === '' ? why : `${why}: ${told}`);
    return answers;
  };
}

/** The first line of stderr; of what Node and Python print when nothing caught an error, the line that says it. */
function hear(said: { first: string; error: string }, text: string): void {
  said.first ||= text;
  if (UNCAUGHT.test(text)) said.error ||= text;
}

/** @returns an `E_SOURCE` that says what the program did wrong, without the secrets it was given. */
export function sourceError(op: Request['op'], why: string): PawlError {
  const told = cut(redact(why, secretsIn(process.env)), REASON);
  return new PawlError('E_SOURCE', `source.run, asked to ${op}: ${told}`, { at: '.jez/loop.md' });
}

/** @returns what is wrong with the line, or null. */
function take({ text, cut: isCut }: OutputLine, answers: Answer[]): string | null {
  if (isCut) return 'it printed a line of more than 1 MiB';
  if (text.trim() === '') return null;
  try {
    answers.push(readAnswer(text));
    return null;
  } catch (error) {
    if (error instanceof BadLine) return error.message;
    throw error;
  }
}

function fault({ why, code, signal, error, gone }: Ended, wallMs: number): string | null {
  if (why === 'could-not-start') return `it could not be started (${error})`;
  if (!gone) return 'a process of it could not be ended';
  if (why === 'timed-out') return `it took longer than ${wallMs / 1000} s`;
  if (why === 'output-limit') return 'it printed more than 10 MiB';
  if (code === 0) return null;
  return code === null ? `it was ended by ${signal}` : `exit ${code}`;
}

/** No run has asked: by the number of one, processes that belong to it would be looked for and ended. */
function environmentFor({ env }: SourceSpec, root: string): Record<string, string> {
  const { PAWL_RUN: _, ...environment } = workerEnvironment(process.env, env, { PAWL_RUN: '', PAWL_ROOT: root });
  return environment;
}
