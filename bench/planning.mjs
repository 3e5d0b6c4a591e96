import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loop } from './loops.mjs';
import { alternate, cpuRatio, entry, has, median, node, pawl, quote } from './measure.mjs';

const dry = (root) => `${node} ${quote(entry)} tick --dry-run --dir ${quote(root)}`;
const status = (root) => `${node} ${quote(entry)} status --json --dir ${quote(root)}`;

/** Warm: the snapshot is there, and old enough to be trusted. */
async function warm(n) {
  const { root } = loop(n);
  pawl(root, 'tick', '--dry-run');
  await sleep(2500);
  pawl(root, 'tick', '--dry-run');
  await sleep(2500);
  pawl(root, 'tick', '--dry-run');
  return root;
}

export async function planning(row, full) {
  const sizes = full ? [1_000, 100_000, 1_000_000] : [1_000, 100_000];
  const roots = [];
  for (const size of sizes) roots.push(await warm(size));
  const [small, ...large] = roots;
  const { ratio, ms, floorMs } = cpuRatio(dry(small), `${node} -e 0`, 15);
  row('next slice of 1,000 items: CPU', `${ms.toFixed(0)} ms`, `node -e 0: ${floorMs.toFixed(0)} ms`, ratio, 3);
  for (const [index, root] of large.entries()) {
    const size = sizes[index + 1].toLocaleString('en');
    const grown = cpuRatio(dry(root), dry(small), 15);
    row(
      `next slice of ${size} items: CPU`,
      `${grown.ms.toFixed(0)} ms`,
      `1,000 items: ${grown.floorMs.toFixed(0)} ms`,
      grown.ratio,
      1.1,
    );
    const whole = cpuRatio(dry(root), `${node} -e 0`, 9);
    row(
      `next slice of ${size} items: CPU`,
      `${whole.ms.toFixed(0)} ms`,
      `node -e 0: ${whole.floorMs.toFixed(0)} ms`,
      whole.ratio,
      3,
    );
  }
  audit(row);
}

/** Reading the head of every file, without the cost of starting either program. */
function audit(row) {
  if (!has('rg')) return row.skip('full audit of 10,000 files', 'rg is not here');
  const { root } = loop(10_000);
  const { root: none } = loop(0);
  mkdirSync(join(none, 'empty'));
  writeFileSync(join(none, 'empty', 'one.md'), '');
  utimesSync(join(none, 'empty'), 0, 0);
  const rg = (path) => `rg -j1 --files-without-match '^checked:' ${quote(path)}`;
  const [all, base, theirs, theirBase] = alternate(
    [status(root), status(none), rg(join(root, 'items')), rg(join(none, 'empty'))],
    7,
  );
  const ours = median(all.cpu) - median(base.cpu);
  const floor = median(theirs.cpu) - median(theirBase.cpu);
  row(
    'full audit of 10,000 files: CPU',
    `${(ours * 1000).toFixed(0)} ms`,
    `rg -j1: ${(floor * 1000).toFixed(0)} ms`,
    ours / floor,
    2,
  );
}
