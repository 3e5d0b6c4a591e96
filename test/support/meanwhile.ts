import { type Disk, realDisk } from '../../src/store/disk.ts';

/** A person who acts right before, or right after, a step of one tick that writes. */
export function meanwhile(acts: (step: number, kind: string, path: string) => void): Disk {
  let step = 0;
  const watched =
    <A extends unknown[], R>(kind: string, path: (args: A) => unknown, work: (...args: A) => R) =>
    (...args: A): R => {
      step += 1;
      acts(step, kind, String(path(args)));
      const done = work(...args);
      acts(0, `${kind} done`, String(path(args)));
      return done;
    };
  return {
    ...realDisk,
    create: watched('create', ([path]) => path, realDisk.create),
    append: watched('append', ([path]) => path, realDisk.append),
    rename: watched('rename', ([, to]) => to, realDisk.rename),
    link: watched('link', ([, to]) => to, realDisk.link),
    unlink: watched('unlink', ([path]) => path, realDisk.unlink),
    sync: watched('sync', ([path]) => path, realDisk.sync),
  };
}
