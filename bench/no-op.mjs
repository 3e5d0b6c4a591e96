import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loop } from './loops.mjs';
import { atExit, cpuRatio, entry, has, node, pawl, quote, syscalls } from './measure.mjs';

const edit = (root, from, to) => {
  const path = join(root, '.jez/state.md');
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
};

/** Loops in the four states in which a tick has nothing to do. */
function loops() {
  const paused = loop(5).root;
  pawl(paused, 'tick');
  edit(paused, 'paused: false', 'paused: true');
  const waiting = loop(5).root;
  pawl(waiting, 'tick');
  edit(waiting, 'waiting_until: null', `waiting_until: ${new Date(Date.now() + 3_600_000).toISOString()}`);
  const running = loop(5, { worker: '#!/bin/sh\nexec sleep 600\n' }).root;
  pawl(running, 'tick');
  pawl(running, 'tick');
  const sealed = loop(5).root;
  pawl(sealed, 'run', '--every', '0', '--until', 'exhausted', '--quiet');
  pawl(sealed, 'tick');
  return { paused, waiting, running, sealed };
}

/** Every file but the heartbeat, with its stamps. */
const listing = (root) =>
  readdirSync(root, { recursive: true })
    .filter((name) => !name.endsWith('heartbeat') && !name.endsWith('alive.json') && !name.includes('batches/'))
    .map((name) => `${name} ${statSync(join(root, name), { bigint: true }).ctimeNs}`)
    .filter((line) => !line.startsWith('.jez '))
    .join('\n');

export function noOp(row) {
  const all = loops();
  const floorCalls = has('strace') ? syscalls([process.execPath, '-e', '0']) : null;
  for (const [name, root] of Object.entries(all)) {
    const before = listing(root);
    const { ratio, ms, floorMs } = cpuRatio(`${node} ${quote(entry)} tick --dir ${quote(root)}`, `${node} -e 0`);
    row(`no-op tick, ${name}: CPU`, `${ms.toFixed(0)} ms`, `node -e 0: ${floorMs.toFixed(0)} ms`, ratio, 1.1);
    const loaded = atExit('Object.keys(require.cache).length', root) - 2;
    row(`no-op tick, ${name}: files loaded but its own`, '', '', loaded, 0);
    row(`no-op tick, ${name}: files written but the heartbeat`, '', '', listing(root) === before ? 0 : 1, 0);
    if (floorCalls === null) continue;
    const more = syscalls([process.execPath, entry, 'tick', '--dir', root]) - floorCalls;
    row(`no-op tick, ${name}: system calls more`, '', `node -e 0: ${floorCalls}`, more, name === 'sealed' ? 42 : 40);
  }
  if (floorCalls === null) row.skip('no-op tick: system calls', 'strace is not here');
  pawl(all.running, 'pause', '--kill');
}
