#!/usr/bin/env node
import { resolve } from 'node:path';
import { beat, findJez, glance, print, say } from './store/glance.ts';

const ANSWERS = {
  paused: 'paused: nothing moves until `pawl resume`',
  waiting: 'waiting for a limit or an outage to pass',
  running: 'a batch is running',
  sealed: 'nothing to do',
};

/** Ends a no-op `pawl tick [--dir <folder>]` here. @returns false when the whole command is needed. */
function answered(args: readonly string[]): boolean {
  const [name, flag, dir] = args;
  if (name !== 'tick' || (args.length !== 1 && !(args.length === 3 && flag === '--dir'))) return false;
  const pinned = process.env.PAWL_NOW;
  const now = pinned ? Date.parse(pinned) : Date.now();
  const jez = findJez(resolve(dir ?? '.'));
  const why = jez === null || Number.isNaN(now) ? null : glance(jez, now);
  if (jez === null || why === null) return false;
  beat(jez, now);
  say(ANSWERS[why]);
  return true;
}

const args = process.argv.slice(2);
if (!answered(args)) {
  // Everything else is loaded on use.
  void import('./cli/index.ts')
    .then(({ main }) => main(args))
    .then(
      (code) => {
        process.exitCode = code;
      },
      // A bug. Node would print the line it came from, which in a bundle is a page.
      (error: unknown) => {
        print(2, `${error instanceof Error ? error.stack : String(error)}\n`);
        process.exitCode = 70;
      },
    );
}
