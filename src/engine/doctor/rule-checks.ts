import { rulesIn } from '../../core/block.ts';
import { activeOf, OWNED } from '../../core/version.ts';
import { PawlError } from '../../errors.ts';
import { readVersions } from '../../store/versions.ts';
import { readLedger } from '../observe.ts';
import { lookAtOwned } from '../owned.ts';
import { type Check, type Finding, ok } from './check.ts';

/** Whether what the loop learns can be written, and what it has written can be read. */
export const rules: Check = {
  name: 'rules',
  look({ loop, machine: { disk }, workspace }): Finding {
    if (loop instanceof PawlError) return ok('not looked at: loop.md comes first');
    try {
      const ledger = readLedger(disk, workspace);
      const version = activeOf(readVersions(disk, workspace))?.n ?? 0;
      const { blocks, broken } = lookAtOwned(disk, workspace, loop.sections);
      const mend = 'put the two marker lines right, or take both out: then the block comes back at the end of the file';
      if (broken !== null) return { level: 'fail', what: broken, where: `.jez/${broken.split(/[: ]/)[0]}`, mend };
      const count = OWNED.reduce((sum, file) => sum + rulesIn(blocks[file]).length, 0);
      const queued = ledger.filter(({ state }) => state === 'queued').length;
      return ok(`${count} in force, ${queued} queued, version ${version}`);
    } catch (error) {
      if (!(error instanceof PawlError)) throw error;
      const mend = 'correct that line; what only pawl writes comes back from git, or with `pawl rollback`';
      return { level: 'fail', what: error.message, mend };
    }
  },
};
