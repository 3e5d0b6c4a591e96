import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { codeOf, messageOf, PawlError } from '../errors.ts';
import { realDisk } from '../store/disk.ts';
import { print } from '../store/glance.ts';
import { findRoot } from '../store/workspace.ts';
import type { Call, Command } from './command.ts';
import { onSignals } from './signals.ts';

/** One line per command, in the order of `pawl help`. Each is loaded only when it is asked for. */
const commands: Record<string, () => Promise<{ default: Command }>> = {
  init: () => import('./init.ts'),
  tick: () => import('./tick.ts'),
  run: () => import('./run.ts'),
  status: () => import('./status.ts'),
  log: () => import('./log.ts'),
  pause: () => import('./pause.ts'),
  resume: () => import('./resume.ts'),
  retry: () => import('./retry.ts'),
  learnings: () => import('./learnings.ts'),
  veto: () => import('./veto.ts'),
  approve: () => import('./approve.ts'),
  versions: () => import('./versions.ts'),
  diff: () => import('./diff.ts'),
  rollback: () => import('./rollback.ts'),
  why: () => import('./why.ts'),
  doctor: () => import('./doctor.ts'),
  schedule: () => import('./schedule.ts'),
};

/** Started by a tick, not by people. */
const hidden: typeof commands = { supervise: () => import('./supervise.ts') };

const USAGE = new Set(['E_USAGE', 'E_NO_LOOP']);

/** @returns the exit code. */
export async function main(args: string[]): Promise<number> {
  const [name = 'help', ...rest] = args;
  try {
    if (['help', '--help', '-h'].includes(name)) return await help();
    if (['--version', '-v', 'version'].includes(name)) return await version();
    const load = Object.hasOwn(commands, name)
      ? commands[name]
      : Object.hasOwn(hidden, name)
        ? hidden[name]
        : undefined;
    if (load === undefined) throw new PawlError('E_USAGE', `there is no command ${name}; \`pawl help\` lists them`);
    return await runCommand(name, (await load()).default, rest);
  } catch (error) {
    if (error instanceof PawlError) {
      print(2, `pawl: ${error.message}\n`);
      return USAGE.has(error.code) ? 1 : 2;
    }
    // A full disk or a missing right is the machine's, not a bug: one line, and the next tick tries again.
    if (codeOf(error)?.startsWith('E') && 'syscall' in (error as object)) {
      print(2, `pawl: ${messageOf(error)}\n`);
      return 2;
    }
    throw error;
  }
}

async function runCommand(name: string, command: Command, args: string[]): Promise<number> {
  const { values, positionals } = parse(name, command, args);
  if (values.help === true) {
    print(1, `pawl ${name}: ${command.summary}\n\n${command.help.trim()}\n`);
    return 0;
  }
  const from = resolve(typeof values.dir === 'string' ? values.dir : '.');
  const { signal, code } = onSignals();
  return command.run({
    values,
    positionals,
    from,
    root() {
      const root = findRoot(realDisk, from);
      if (root === null)
        throw new PawlError('E_NO_LOOP', `no .jez folder here or above; \`pawl init\` makes one`, { at: from });
      return root;
    },
    out: (text) => print(1, text),
    signal,
    signalled: code,
  });
}

function parse(name: string, command: Command, args: string[]): Pick<Call, 'values' | 'positionals'> {
  const wanted = command.positionals ?? [];
  const options = {
    ...command.options,
    dir: { type: 'string' as const },
    help: { type: 'boolean' as const, short: 'h' },
  };
  try {
    const parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
    const values = parsed.values as Call['values'];
    const least = wanted.filter((each) => !each.endsWith('?')).length;
    const count = parsed.positionals.length;
    if (values.help !== true && (count < least || count > wanted.length))
      throw new Error(`pawl ${name} takes ${wanted.length === 0 ? 'no arguments' : wanted.join(' ')}, got ${count}`);
    return { values, positionals: parsed.positionals };
  } catch (cause) {
    const first = messageOf(cause).split('. ')[0];
    throw new PawlError('E_USAGE', `${first}; see \`pawl ${name} --help\``, { cause });
  }
}

async function help(): Promise<number> {
  const lines = await Promise.all(
    Object.entries(commands).map(async ([name, load]) => `  ${name.padEnd(9)} ${(await load()).default.summary}`),
  );
  print(
    1,
    `pawl: moves a backlog forward one notch at a time, and never slips back\n\n${lines.join('\n')}\n\n` +
      '`pawl <command> --help` shows examples. `--dir <folder>` says where the loop is.\n',
  );
  return 0;
}

async function version(): Promise<number> {
  const { readFileSync } = await import('node:fs');
  const { default: path } = await import('node:path');
  const { packageRoot } = await import('../store/package.ts');
  const text = readFileSync(path.join(packageRoot(), 'package.json'), 'utf8');
  print(1, `${(JSON.parse(text) as { version: string }).version}\n`);
  return 0;
}
