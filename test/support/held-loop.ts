import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isReaped } from '../../src/core/liveness.ts';
import type { ProcessId } from '../../src/core/model.ts';
import { readOwner } from '../../src/store/batches.ts';
import { realDisk } from '../../src/store/disk.ts';
import { realProcesses } from '../../src/store/process.ts';
import { Workspace } from '../../src/store/workspace.ts';
import { callsOf } from './loop-faults.ts';
import { eventually } from './processes.ts';
import { type Home, type LoopSpec, openClaim, pawl } from './real-loop.ts';

/**
 * Works as long as a file `<root>.hold` is there, with a child in its group, and notes both pids. One that finds a process
 * of an earlier try at its item alive says so. `<root>.stubborn` makes it deaf to SIGTERM.
 */
const HELD_WORKER = `#!/bin/sh
[ -e "$PAWL_ROOT.stubborn" ] && trap '' TERM
read -r job
id=\${job#*'"item":{"id":"'}
id=\${id%%'"'*}
name=\${id#items/}
name=\${name%.md}
for pid in $(cat "$PAWL_ROOT.pids.$name" 2>/dev/null); do
  grep -q '^State:.[^ZX]' "/proc/$pid/status" 2>/dev/null && echo "$id" >> "$PAWL_ROOT.overlap"
done
if [ -e "$PAWL_ROOT.hold" ]; then
  sleep 300 &
  echo "$$ $!" > "$PAWL_ROOT.pids.$name"
  echo "$id" >> "$PAWL_ROOT.calls"
  while [ -e "$PAWL_ROOT.hold" ]; do sleep 0.1; done
  kill -9 $!
else
  echo "$id" >> "$PAWL_ROOT.calls"
fi
case $name in [ace]) echo "More of $name." >> "$id" ;; esac
echo '{"type":"learning","rule":"Remember '"$name"'."}'
echo '{"type":"result","outcome":"done","summary":"did it"}'
`;

export interface HeldLoop {
  root: string;
  /** Workers begun from now on work until they are let go. */
  hold(how?: 'stubborn'): void;
  letGo(): void;
  calls(): string[];
  /** Resolves once so many workers were called. */
  called(count: number): Promise<void>;
  /** Processes of workers that are alive. */
  alive(): number[];
  /** Items that were tried again while a process of their last try was alive. */
  overlaps(): string[];
  /** The supervisor of the newest batch. */
  owner(): ProcessId;
  ownerFile(): string;
}

/** A loop past its first tick, whose workers can be held; whatever is left of it is ended after the tests. */
export async function heldLoop(at: Home, name: string, spec: LoopSpec = {}): Promise<HeldLoop> {
  const root = at.make(name, { worker: HELD_WORKER, ...spec });
  const claim = () => {
    const found = openClaim(root);
    if (found === null) throw new Error('there is no open batch');
    return found;
  };
  const held: HeldLoop = {
    root,
    hold(how) {
      writeFileSync(`${root}.hold`, '');
      if (how !== undefined) writeFileSync(`${root}.stubborn`, '');
    },
    letGo: () => rmSync(`${root}.hold`, { force: true }),
    calls: () => callsOf(root),
    called: (count) => eventually(() => callsOf(root).length >= count),
    alive: () => pidsBeside(root).filter((pid) => realProcesses.look(realProcesses.identify(pid)) === 'alive'),
    overlaps: () => (existsSync(`${root}.overlap`) ? readFileSync(`${root}.overlap`, 'utf8').split('\n') : []),
    owner() {
      const owner = readOwner(realDisk, new Workspace(root), claim().batch);
      if (owner === null || isReaped(owner)) throw new Error('nobody owns the batch');
      return owner;
    },
    ownerFile: () => new Workspace(root).batch(claim().batch, 'owner.json'),
  };
  at.atEnd(() => {
    held.letGo();
    for (const pid of [...held.alive(), ...ownersOf(root)]) process.kill(pid, 'SIGKILL');
  });
  await pawl(root, ['tick']);
  return held;
}

function pidsBeside(root: string): number[] {
  const names = readdirSync(dirname(root)).filter((name) => name.startsWith(`${basename(root)}.pids.`));
  return names.flatMap((name) =>
    readFileSync(join(dirname(root), name), 'utf8')
      .trim()
      .split(' ')
      .map(Number),
  );
}

function ownersOf(root: string): number[] {
  const workspace = new Workspace(root);
  const batches = realDisk.list(workspace.path('batches')).map(Number);
  return batches.flatMap((batch) => {
    const owner = readOwner(realDisk, workspace, batch);
    return owner !== null && !isReaped(owner) && realProcesses.look(owner) === 'alive' && owner.pid !== process.pid
      ? [owner.pid]
      : [];
  });
}
