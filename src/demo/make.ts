import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeLoop } from '../engine/init.ts';
import { codeOf, PawlError } from '../errors.ts';
import { setSetting } from '../formats/settings.ts';
import { systemZone } from '../formats/zone.ts';
import { realDisk } from '../store/disk.ts';
import { packageRoot } from '../store/package.ts';
import { Workspace } from '../store/workspace.ts';
import { put } from '../store/write.ts';
import { type Corpus, DOCS, makeCorpus } from './corpus.ts';
import { sweepCheck } from './findings.ts';

const SETTINGS = { slice: '10', concurrency: '2', 'caps.items_per_day': '10000' };

/**
 * Makes what is missing of the demo's folder: `docs/` and `.jez/`. Each is made aside and appears whole, so a start that was killed
 * is simply run again, and two starts at once do no harm.
 *
 * @returns what was copied, or null when `docs/` was there. @throws PawlError `E_NO_PAGES` without installed packages.
 */
export async function makeDemo(root: string, most: number, now: Date): Promise<Corpus | null> {
  mkdirSync(root, { recursive: true });
  clearLeftovers(root);
  const making = join(root, `making-${process.pid}`);
  let corpus: Corpus | null = null;
  if (!existsSync(join(root, DOCS))) {
    const modules = join(packageRoot(), 'node_modules');
    if (!existsSync(modules))
      throw new PawlError('E_NO_PAGES', 'the pages are those of the installed packages: run `npm ci` first', {
        at: modules,
      });
    corpus = makeCorpus(modules, making, await sweepCheck(), most);
    moveIn(making, root, DOCS);
  }
  if (!existsSync(join(root, '.jez'))) {
    makeJez(new Workspace(making), now);
    moveIn(making, root, '.jez');
  }
  rmSync(making, { recursive: true, force: true });
  return corpus;
}

function makeJez(workspace: Workspace, now: Date): void {
  mkdirSync(workspace.jez, { recursive: true });
  makeLoop(
    realDisk,
    workspace,
    {
      cohort: 'Every Markdown page that the installed packages ship',
      doneWhen: 'every page was checked and carries the date',
      ...{ path: `${DOCS}/**/*.md`, worker: null, field: 'checked' },
      timezone: systemZone(),
    },
    now,
  );
  const shipped = realDisk.read(workspace.loop())?.toString('utf8') ?? '';
  const text = Object.entries(SETTINGS).reduce(
    (loop, [name, value]) => setSetting(loop, 'loop.md', { name, value }) ?? loop,
    shipped,
  );
  put(realDisk, workspace.loop(), text);
}

/** Whoever is first wins; what the other made goes with its folder. */
function moveIn(making: string, root: string, name: string): void {
  try {
    renameSync(join(making, name), join(root, name));
  } catch (error) {
    if (codeOf(error) !== 'ENOTEMPTY' && codeOf(error) !== 'EEXIST') throw error;
  }
}

function clearLeftovers(root: string): void {
  for (const name of readdirSync(root)) {
    const pid = Number(/^making-(\d+)$/.exec(name)?.[1] ?? 0);
    if (pid > 0 && (pid === process.pid || !isAlive(pid))) rmSync(join(root, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) === 'EPERM';
  }
}
