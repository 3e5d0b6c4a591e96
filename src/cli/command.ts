import type { ParseArgsConfig } from 'node:util';

/** What a command gets to work with. */
export interface Call {
  values: Record<string, string | boolean | undefined>;
  positionals: string[];
  /** The folder that holds `.jez/`. @throws PawlError `E_NO_LOOP` when there is none. */
  root(): string;
  /** Where to look from: `--dir` or the current folder. */
  from: string;
  out(text: string): void;
  signal: AbortSignal;
  /** The exit code that belongs to the signal: 130 or 143; 0 without one. */
  signalled(): number;
}

/** One subcommand: one file here and one line in index.ts. */
export interface Command {
  /** One line for the list of commands. */
  summary: string;
  /** Usage and examples, printed by `--help`. */
  help: string;
  options?: NonNullable<ParseArgsConfig['options']>;
  /** Names of positional arguments, `?` at the end for optional ones. */
  positionals?: string[];
  /** @returns the exit code: 0 done or nothing to do, 1 usage, 2 refused, 3 paused by this run. */
  run(call: Call): Promise<number>;
}
