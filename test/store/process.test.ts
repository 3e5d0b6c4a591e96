import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { realProcesses } from '../../src/store/process.ts';
import { see } from '../../src/store/process-table.ts';
import { eventually, idOf, numbersFrom, shell } from '../support/processes.ts';
import { folder } from '../support/workspace.ts';

const { look, end, endGroup, findRun, endRun } = realProcesses;
const STUBBORN = `trap '' TERM`;

test('this process is alive, and knows when it started', () => {
  const self = realProcesses.self();
  expect(self.start).not.toBeNull();
  expect(look(self)).toBe('alive');
});

test('A31: a process that has ended is dead, and so is one of an earlier start of this machine', async () => {
  const child = shell('exec sleep 300');
  const id = idOf(child.pid);
  expect(look(id)).toBe('alive');
  expect(look({ ...id, boot: 'earlier' })).toBe('dead');
  expect(look({ ...id, boot: 'earlier', namespace: 'pid:[1]' })).toBe('dead');
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(look(id)).toBe('dead');
});

test('a pid says nothing on another host or in another pid namespace', () => {
  const self = realProcesses.self();
  expect(look({ ...self, host: 'another' })).toBe('elsewhere');
  expect(look({ ...self, host: 'another', boot: 'another' })).toBe('elsewhere');
  expect(look({ ...self, namespace: 'pid:[1]' })).toBe('elsewhere');
});

test('A31: a pid that is used again is dead, and the process that has it now is not touched', async () => {
  const child = shell('exec sleep 300');
  const reused = { ...idOf(child.pid), start: '1' };
  expect(look(reused)).toBe('dead');
  expect(await end(reused, 0)).toBe(true);
  expect(look(idOf(child.pid))).toBe('alive');
});

test('a stopped process is alive', async () => {
  const child = shell('exec sleep 300');
  const id = idOf(child.pid);
  child.kill('SIGSTOP');
  expect(look(id)).toBe('alive');
});

test('a zombie is dead', async () => {
  // `exec` leaves a parent that never asks how its child ended.
  const parent = shell('sleep 300 & echo $!; exec sleep 300');
  const [pid = 0] = await numbersFrom(parent, 1);
  const id = idOf(pid);
  await eventually(() => look(id) === 'alive');
  process.kill(pid, 'SIGKILL');
  await eventually(() => see(pid)?.zombie === true);
  expect(look(id)).toBe('dead');
});

test('a process that ignores SIGTERM, or is stopped, is ended all the same', async () => {
  const deaf = shell(`${STUBBORN}; echo 1; while :; do sleep 300; done`);
  await numbersFrom(deaf, 1);
  const stopped = shell('exec sleep 300');
  stopped.kill('SIGSTOP');
  const ids = [idOf(deaf.pid), idOf(stopped.pid)];
  expect(await Promise.all(ids.map((id) => end(id, 50)))).toEqual([true, true]);
  expect(ids.map(look)).toEqual(['dead', 'dead']);
});

test('a process that heeds SIGTERM is given the time to tidy up', async () => {
  const { root, path } = folder();
  const polite = shell(`trap 'touch tidy; exit' TERM; echo 1; while :; do sleep 0.01; done`, { cwd: root });
  await numbersFrom(polite, 1);
  expect(await end(idOf(polite.pid), 60_000)).toBe(true);
  expect(existsSync(path('tidy'))).toBe(true);
});

test('a process elsewhere, and this one, are not ended', async () => {
  const child = shell('exec sleep 300');
  const id = idOf(child.pid);
  expect(await end({ ...id, namespace: 'pid:[1]' }, 0)).toBe(false);
  expect(await end(realProcesses.self(), 0)).toBe(false);
  expect(look(id)).toBe('alive');
});

test('case B7: a group whose grandchild ignores SIGTERM is gone before anybody is told so', async () => {
  const leader = shell(`sh -c "${STUBBORN}; sleep 300 & echo \\$!; wait" & echo $!; wait`);
  const family = [leader.pid, ...(await numbersFrom(leader, 2))].map(idOf);
  expect(family.map(look)).toEqual(['alive', 'alive', 'alive']);
  expect(await endGroup(leader.pid, 50)).toBe(true);
  expect(family.map(look)).toEqual(['dead', 'dead', 'dead']);
});

test('a group that is gone already is gone, and no number reaches everybody or ourselves', async () => {
  const leader = shell('exit 0');
  await once(leader, 'exit');
  expect(await endGroup(leader.pid, 0)).toBe(true);
  const own = see(process.pid)?.group ?? 0;
  expect(await Promise.all([0, 1, -1, 1.5, Number.NaN, own].map((pgid) => endGroup(pgid, 0)))).not.toContain(true);
});

test('case B7: what left its group is found by the run and the root it carries, and by both only', async () => {
  const root = `/tmp/a root/${process.pid}`;
  const carry = (run: string, at: string) => ({ env: { ...process.env, PAWL_RUN: run, PAWL_ROOT: at } });
  const worker = shell(
    `exec "${process.execPath}" -e 'const { spawn } = require("child_process");
      for (let n = 0; n < 2; n++) console.log(spawn("sh", ["-c", "trap \\"\\" TERM; sleep 300"], { detached: true }).pid);
      setInterval(() => {}, 1000)'`,
    carry('0007', root),
  );
  const left = await numbersFrom(worker, 2);
  const others = [shell('sleep 300', carry('0008', root)), shell('sleep 300', carry('0007', `${root}/b`))];

  expect(await endGroup(worker.pid, 50)).toBe(true);
  await eventually(() => findRun('0007', root).length >= 2);
  expect(findRun('0007', root)).toEqual(expect.arrayContaining(left));
  expect(await endRun('0007', root, 50)).toBe(true);
  expect(findRun('0007', root)).toEqual([]);
  expect(left.map((pid) => see(pid)?.zombie ?? true)).toEqual([true, true]);
  expect(others.map(({ pid }) => look(idOf(pid)))).toEqual(['alive', 'alive']);
});

test('a member of its group that dropped the variables ends with the run', async () => {
  const root = `/tmp/${process.pid}`;
  const worker = shell('env -i sleep 300 & echo $!; wait', {
    env: { ...process.env, PAWL_RUN: '0009', PAWL_ROOT: root },
  });
  const [bare = 0] = await numbersFrom(worker, 1);
  await eventually(() => !findRun('0009', root).includes(bare));
  expect(await endRun('0009', root, 50)).toBe(true);
  expect(see(bare)?.zombie ?? true).toBe(true);
  expect(see(worker.pid)?.zombie ?? true).toBe(true);
});
