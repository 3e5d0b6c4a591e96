// Ways of measuring by public means only. Ratios in one run, pairwise and alternating: machines are shared and noisy.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  closeSync,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';

/** The environment of every child. Node 20 reads NODE_EXTRA_CA_CERTS at each start, which makes any ratio to it look better. */
export const env = { PATH: process.env.PATH, HOME: process.env.HOME ?? '/', LANG: 'C.UTF-8', TZ: 'UTC' };

const made = [];
process.on('exit', () => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});

export function folder() {
  const path = mkdtempSync(join(tmpdir(), 'pawl-bench-'));
  made.push(path);
  return path;
}

export const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
export const has = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** CPU (user and system) and wall seconds of commands, run in turn `n` times by one shell: bash tells both to the millisecond. */
export function alternate(commands, n) {
  const once = commands.map((command) => `time ${command} >/dev/null 2>&1 </dev/null`).join('\n');
  const script = `TIMEFORMAT='%3U %3S %3R'\nfor i in $(seq ${n + 2}); do\n${once}\ndone`;
  const { stderr } = spawnSync('bash', ['-c', script], { env, encoding: 'utf8', maxBuffer: 1e8 });
  const rows = stderr
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number));
  const of = (index) => rows.filter((_, at) => at % commands.length === index).slice(2);
  return commands.map((_, index) => ({
    cpu: of(index).map(([user, system]) => user + system),
    wall: of(index).map(([, , wall]) => wall),
  }));
}

/** The ratio of two commands' CPU: the median of the pairs, which run close together in time. */
export function cpuRatio(command, floor, n = 30) {
  const [a, b] = alternate([command, floor], n);
  const ratio = median(a.cpu.map((value, index) => value / (b.cpu[index] || 0.001)));
  return { ratio, ms: median(a.cpu) * 1000, floorMs: median(b.cpu) * 1000 };
}

/** Overwriting 4 KiB and syncing it, on the disk the benches use: milliseconds, median. */
export function fdatasyncMs(n = 200) {
  const path = join(folder(), 'floor');
  const fd = openSync(path, 'w');
  const block = Buffer.alloc(4096, 1);
  writeSync(fd, block, 0, 4096, 0);
  fdatasyncSync(fd);
  const times = Array.from({ length: n }, () => {
    const start = performance.now();
    writeSync(fd, block, 0, 4096, 0);
    fdatasyncSync(fd);
    return performance.now() - start;
  });
  closeSync(fd);
  return median(times);
}

/** Peak resident memory of a living process in MiB, or 0 when it is gone. */
export function peakMiB(pid) {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** System calls of a command, with all its threads. */
export function syscalls(command) {
  const { stderr } = spawnSync('strace', ['-f', '-c', '-S', 'calls', ...command], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  return Number(/^\s*100\.00\s+\S+\s+(?:\d+\s+)?(\d+)\s+(?:\d+\s+)?total/m.exec(stderr)?.[1] ?? Number.NaN);
}

/** What `expression` is worth at the end of a tick's process, as JSON. */
export function atExit(expression, root) {
  const hook = join(folder(), 'hook.cjs');
  const told = join(folder(), 'told');
  writeFileSync(
    hook,
    `process.on('exit', () => require('fs').writeFileSync(${JSON.stringify(told)}, JSON.stringify(${expression})));\n`,
  );
  execFileSync(process.execPath, ['--require', hook, entry, 'tick', '--dir', root], { env, stdio: 'ignore' });
  return JSON.parse(readFileSync(told, 'utf8'));
}

/** One file with all that these modules of src/ export. @returns its path. */
export async function bundle(modules) {
  const outfile = join(folder(), 'bundle.mjs');
  const contents = modules.map((name) => `export * from './src/${name}.ts';`).join('\n');
  await build({
    stdin: { contents, resolveDir: join(import.meta.dirname, '..') },
    ...{ outfile, bundle: true, platform: 'node', format: 'esm', logLevel: 'error' },
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
  });
  return outfile;
}

export const pawl = (root, ...args) =>
  execFileSync(process.execPath, [entry, ...args, '--dir', root], { env, encoding: 'utf8' });
export const entry = join(resolve(import.meta.dirname, '..', process.env.PAWL_OUT ?? 'dist'), 'pawl.cjs');
export const quote = (text) => `'${text.replaceAll("'", "'\\''")}'`;
export const node = quote(process.execPath);
