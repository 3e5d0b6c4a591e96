import { account } from '../core/account.ts';
import type { EndedBatch } from '../core/collect.ts';
import type { Sighting } from '../core/filing.ts';
import type { Base, Claim, Day, Result } from '../core/model.ts';
import type { Filed, Filing, Source } from '../sources/source.ts';
import type { Disk } from '../store/disk.ts';
import { sha256, type Workspace } from '../store/workspace.ts';
import { readBase, readResult } from './results.ts';

/** Looks at how the results of an ended batch stand against the files as they are now; changes nothing. */
export async function sightBatch(
  disk: Disk,
  workspace: Workspace,
  source: Source,
  claim: Claim,
  day: Day,
): Promise<EndedBatch> {
  const results = claim.runs.flatMap((run) => readResult(disk, workspace, run) ?? []);
  const marks = claim.settings.shadow ? [] : results;
  const marking = marks.filter((result) => account(result.outcome, result.error?.class ?? null).marks);
  const filings = marking.map((result) => toFiling(disk, workspace, result, day));
  const filed = await source.look(filings);
  return {
    claim,
    sightings: results.map((result) => {
      const at = marking.indexOf(result);
      return sight(disk, workspace, result, filings[at] ?? null, filed[at] ?? null);
    }),
  };
}

function sight(disk: Disk, workspace: Workspace, result: Result, filing: Filing | null, item: Filed | null): Sighting {
  const late = disk.stat(workspace.run(result.run, result.item, 'result.late.json')) !== null;
  if (filing === null) return { result, item: null, outputs: [], ownTaken: true, late };
  const base = readBase(disk, workspace, result);
  const others = Object.entries(result.outputs).filter(([path]) => path !== result.item || !isOwn(result, base));
  const isOwnOutput = isOwn(result, base);
  return {
    result,
    item,
    outputs: others.map(([path, { sha256: made }]) => ({
      path,
      now: compare(disk, workspace, path, base?.files[path] ?? null, made),
      taken: takenBytes(disk, workspace, result, path) !== null,
    })),
    ownTaken: !isOwnOutput || filing.ownBytes !== null,
    late,
  };
}

/** An output that is the item's own file was copied in; the id of a row may look like a path by chance. */
const isOwn = ({ item, outputs }: Result, base: Base | null): boolean =>
  item in outputs && typeof base?.files[item] === 'string';

/** What the source is asked to file for a run. */
export function toFiling(disk: Disk, workspace: Workspace, result: Result, day: Day): Filing {
  const base = readBase(disk, workspace, result);
  return {
    item: result.item,
    run: result.run,
    base: base ?? { files: {}, fields: {} },
    ownBytes: isOwn(result, base) ? takenBytes(disk, workspace, result, result.item) : null,
    fields: result.fields,
    day,
  };
}

/** The bytes that were handed over, or null when the run folder does not hold exactly those any more. */
export function takenBytes(disk: Disk, workspace: Workspace, result: Result, path: string): Buffer | null {
  const bytes = disk.read(workspace.run(result.run, result.item, 'files', path));
  return bytes !== null && sha256(bytes) === result.outputs[path]?.sha256 ? bytes : null;
}

/** A target that is no plain file, or lies behind a link, is never ours to write. */
function compare(
  disk: Disk,
  workspace: Workspace,
  path: string,
  base: string | null,
  made: string,
): 'base' | 'new' | 'other' {
  if (!isPlain(disk, workspace, path)) return 'other';
  const bytes = disk.read(workspace.inRoot(path));
  const now = bytes === null ? null : sha256(bytes);
  if (now === made) return 'new';
  return now === base ? 'base' : 'other';
}

function isPlain(disk: Disk, workspace: Workspace, path: string): boolean {
  const parts = path.split('/');
  return parts.every((_, index) => {
    const kind = disk.stat(workspace.inRoot(parts.slice(0, index + 1).join('/')))?.kind;
    return kind === undefined || kind === (index === parts.length - 1 ? 'file' : 'folder');
  });
}
