import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Ending, Exit } from '../core/job.ts';
import { messageOf } from '../errors.ts';
import { lineReader, type OutputLine } from './lines.ts';
import { realProcesses } from './process.ts';

/** A program to be run in a process group of its own. Units: milliseconds, bytes. */
export interface Launch {
  argv: readonly string[];
  cwd: string;
  /** All of it: nothing is inherited. */
  environment: Record<string, string>;
  /** Written to stdin, which is then closed. A program that does not read it is no fault. */
  input: string;
  wallMs: number;
  /** Ended after this long without a byte of output; null = never. */
  silenceMs: number | null;
  /** Between SIGTERM and SIGKILL. */
  graceMs: number;
  /** Ends the program when it aborts. */
  signal: AbortSignal;
  /** Called with the process group as soon as there is one, and with null when it is gone. */
  group(pid: number | null): void;
  line(from: 'stdout' | 'stderr', line: OutputLine): void;
}

export interface Ended extends Exit {
  why: Ending;
  /** Why it could not start, or null. */
  error: string | null;
  /** False when a process of the group could not be ended: somebody has to look. */
  gone: boolean;
}

/** Of one line; what is beyond is dropped. */
const LONGEST_LINE = 1024 * 1024;
/** Of a whole run, stdout and stderr together; then the program is ended. */
const MOST_OUTPUT = 10 * 1024 * 1024;
/** Timers turn longer ones into 1 ms. 24.8 days. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A process that left the group can hold our end of the pipe open for ever. */
const DRAIN_MS = 1000;
/** No system gives a pid out again so soon: they go round, by tens of thousands. */
const PID_REST_MS = 5000;

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * Runs a program, never through a shell, and settles when its whole process group is gone, also after a normal exit.
 *
 * The clocks are monotonic. @throws what `line` or `group` threw, once the group is gone and never before.
 */
export async function runProgram(launch: Launch): Promise<Ended> {
  if (launch.signal.aborted) return { why: 'stopped', code: null, signal: null, error: null, gone: true };
  let child: Child;
  const others = processesBefore();
  try {
    const [file = '', ...args] = launch.argv;
    const { cwd, environment: env } = launch;
    child = spawn(file, args, { cwd, env, detached: true, shell: false, stdio: ['pipe', 'pipe', 'pipe'] });
    await spawned(child);
  } catch (error) {
    return { why: 'could-not-start', code: null, signal: null, error: messageOf(error), gone: true };
  }
  return supervise(child, child.pid as number, launch, others);
}

const spawned = (child: Child): Promise<void> =>
  new Promise((resolve, reject) => void child.once('spawn', resolve).once('error', reject));

async function supervise(child: Child, group: number, launch: Launch, others: Others): Promise<Ended> {
  const exited = new Promise<Exit>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const watch = watched(child, launch);
  watch.guarded(() => launch.group(group));
  child.stdin.on('error', () => {}).end(launch.input);

  const why = await Promise.race([watch.over, exited.then(() => 'ended' as const)]);
  watch.stopClocks();
  const gone = await endAll(group, launch, others);
  const exit = gone ? await exited : { code: null, signal: null };
  await atMost(DRAIN_MS, closed);
  watch.close();
  if (gone) launch.group(null);
  if (gone && watch.faults.length > 0) throw watch.faults[0];
  return { ...exit, why, error: null, gone };
}

/** The group, and what left it for a session of its own, as agents' tools do: it still carries PAWL_RUN and PAWL_ROOT. */
async function endAll(group: number, launch: Launch, others: Others): Promise<boolean> {
  const { environment, graceMs } = launch;
  const { PAWL_RUN, PAWL_ROOT } = environment;
  const gone = await realProcesses.endGroup(group, graceMs);
  if (PAWL_RUN === undefined || PAWL_ROOT === undefined) return gone;
  return (await realProcesses.endRun(PAWL_RUN, PAWL_ROOT, graceMs, others())) && gone;
}

type Others = () => ReadonlySet<number> | undefined;

/** Who was there before a program started is none of its children, as long as no pid can have changed hands. */
function processesBefore(): Others {
  const present = realProcesses.present();
  const at = performance.now();
  return () => (performance.now() - at < PID_REST_MS ? present : undefined);
}

/** Reads the output and watches the clocks; `over` resolves with the first reason to end the program. */
function watched(child: Child, launch: Launch) {
  let settle: (why: Ending) => void = () => {};
  const over = new Promise<Ending>((resolve) => {
    settle = resolve;
  });
  const faults: unknown[] = [];
  function guarded(work: () => void) {
    if (faults.length > 0) return;
    try {
      work();
    } catch (error) {
      faults.push(error);
      settle('stopped');
    }
  }

  const clocks = [setTimeout(settle, Math.min(launch.wallMs, LONGEST_TIMER_MS), 'timed-out')];
  const silence =
    launch.silenceMs === null ? null : setTimeout(settle, Math.min(launch.silenceMs, LONGEST_TIMER_MS), 'silent');
  if (silence !== null) clocks.push(silence);
  const stop = () => settle('stopped');
  launch.signal.addEventListener('abort', stop);
  if (launch.signal.aborted) stop();

  let printed = 0;
  const readers = (['stdout', 'stderr'] as const).map((from) => {
    const reader = lineReader(LONGEST_LINE, (line) => guarded(() => launch.line(from, line)));
    child[from].on('data', (chunk: Buffer) => {
      printed += chunk.length;
      if (printed > MOST_OUTPUT) return settle('output-limit');
      silence?.refresh();
      reader.push(chunk);
    });
    return reader;
  });

  return {
    over,
    faults,
    guarded,
    stopClocks() {
      for (const clock of clocks) clearTimeout(clock);
      launch.signal.removeEventListener('abort', stop);
    },
    close() {
      for (const reader of readers) reader.end();
      child.stdout.destroy();
      child.stderr.destroy();
    },
  };
}

async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
