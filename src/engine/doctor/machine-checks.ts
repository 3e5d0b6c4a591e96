import { codeOf, messageOf } from '../../errors.ts';
import { freeBytes } from '../../store/space.ts';
import { type Check, ok } from './check.ts';

const WANTED = [20, 19] as const;
const MIB = 1024 * 1024;
const LITTLE = 200 * MIB;
/** Less than a batch may hand over. */
const TOO_LITTLE = 50 * MIB;

export const node: Check = {
  name: 'node',
  look() {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    const isOld = major < WANTED[0] || (major === WANTED[0] && minor < WANTED[1]);
    if (!isOld) return ok(`${process.versions.node} at ${process.execPath}`);
    return {
      level: 'fail',
      what: `${process.versions.node} is too old`,
      where: process.execPath,
      mend: `install Node ${WANTED.join('.')} or newer`,
    };
  },
};

/** Claims, locks and results are made by a hard link: it is what makes "exactly one" hold. */
export const links: Check = {
  name: 'links',
  look({ machine: { disk }, workspace }) {
    const [from, to] = [workspace.cache(`doctor.${process.pid}`), workspace.cache(`doctor.${process.pid}.link`)];
    try {
      disk.makeFolder(workspace.cache());
      disk.unlink(from);
      disk.unlink(to);
      disk.create(from, '');
      disk.link(from, to);
      disk.unlink(to);
      disk.unlink(from);
      return ok('this file system makes hard links');
    } catch (error) {
      if (codeOf(error) === null) throw error;
      const mend = 'the folder has to be writable, on a file system with hard links (not FAT or exFAT)';
      return { level: 'fail', what: messageOf(error), where: workspace.cache(), mend };
    }
  },
};

export const space: Check = {
  name: 'space',
  look({ workspace }) {
    const free = freeBytes(workspace.jez);
    const what = `${Math.floor(free / MIB)} MiB free`;
    if (free >= LITTLE) return ok(what);
    return {
      level: free < TOO_LITTLE ? 'fail' : 'warn',
      what,
      where: workspace.jez,
      mend: 'make room: .jez/runs keeps every attempt',
    };
  },
};
