import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loop } from './loops.mjs';
import { alternate, bundle, cpuRatio, entry, env, folder, has, median, node, pawl, quote } from './measure.mjs';

const dry = (root) => `${node} ${quote(entry)} tick --dry-run --dir ${quote(root)}`;

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
  await audit(row);
}

/** Reading the head of every file, in a fresh process but without what it takes to start one. Where `rg` is not, `grep` is as quick. */
async function audit(row) {
  const what = 'full audit of 10,000 files: CPU';
  const floorName = ['rg', 'grep'].find(has);
  if (floorName === undefined) return row.skip(what, 'neither rg nor grep is here');
  const { root } = loop(10_000);
  const script = join(folder(), 'audit.mjs');
  writeFileSync(script, counting(await bundle(['sources/index', 'store/disk', 'store/workspace']), root));
  const search = { rg: "rg -j1 --files-without-match '^checked:'", grep: "grep -rL '^checked:'" }[floorName];
  const ratios = [];
  let [ours, floor] = [0, 0];
  for (let i = 0; i < 9; i++) {
    ours = Number(execFileSync(process.execPath, [script], { env, encoding: 'utf8' }));
    floor = median(alternate([`${search} ${quote(join(root, 'items'))}`], 1)[0].cpu) * 1000;
    if (i > 0) ratios.push(ours / floor);
  }
  row(
    what,
    `${ours.toFixed(0)} ms`,
    `${search.split(' ').slice(0, 2).join(' ')}: ${floor.toFixed(0)} ms`,
    median(ratios),
    2,
  );
}

const counting = (library, root) => `
import { openSource, realDisk, Workspace } from ${JSON.stringify(library)};
const procedure = { source: { kind: 'folder', path: 'items/*.md', mark: { field: 'checked', value: null, todo: [] }, write: [] } };
const workspace = new Workspace(${JSON.stringify(root)});
const source = await openSource({ disk: realDisk, workspace, procedure, keep: () => {} });
const before = process.cpuUsage();
const { total } = await source.count();
const { user, system } = process.cpuUsage(before);
if (total !== 10_000) throw new Error('counted ' + total);
console.log((user + system) / 1000);
`;
