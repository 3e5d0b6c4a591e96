import type { Base, Claim, Item, Result } from '../core/model.ts';
import { messageOf } from '../errors.ts';
import type { Job, Outcome, Seat, Worker } from '../executors/executor.ts';
import { printJob } from '../formats/protocol.ts';
import type { Source } from '../sources/source.ts';
import { copyIn } from '../store/copy-in.ts';
import { takeOutputs } from '../store/outputs.ts';
import { number, sha256, type Workspace } from '../store/workspace.ts';
import { makeFolder, putNew, readJson, toJson } from '../store/write.ts';
import { runCheck } from './check.ts';
import type { Hands } from './reap.ts';
import { readResult, unfinished } from './results.ts';

const CHECKPOINT_AT = 10;
const RETURN_BY = 20;
/** Units: bytes. What is kept of a run's trail, and of notes from an earlier one. */
const TRAIL_BYTES = 10 * 1024 * 1024;
const NOTES_BYTES = 64 * 1024;

export interface Attempt {
  hands: Hands;
  workspace: Workspace;
  claim: Claim;
  run: Claim['runs'][number];
  worker: Worker;
  source: Source;
  signal: AbortSignal;
  group: Seat['group'];
}

/** One try at one item: copy in, base.json, the worker, the check, and what may be taken out of its scratch folder. */
export async function attempt(at: Attempt): Promise<Result> {
  const { hands, workspace, claim, run, worker, source } = at;
  const { disk, clock } = hands;
  const item = await source.read(run.item).catch((error: unknown) => messageOf(error));
  if (item === null || typeof item === 'string') {
    const why = item === null ? 'the item is gone' : `the item can't be read: ${item}`;
    return unfinished(claim, run, 'released', why, 'supervisor', clock.now());
  }
  const folder = workspace.run(run.run, run.item);
  const scratch = `${folder}/files`;
  makeFolder(disk, folder);
  const { copyIn: inputs } = claim.settings.workspace;
  const base: Base = { ...copyIn(disk, workspace, inputs, item, scratch), fields: pickFields(item, claim) };
  // From here on the run may have had effects: it is lost, no longer released, when nobody finishes it.
  putNew(disk, `${folder}/base.json`, toJson(base));
  const job = makeJob(at, item, scratch);
  disk.create(`${folder}/job.json`, printJob(job));

  const startedAt = clock.now().toISOString();
  const outcome = await worker(claim.settings.executor, job, seatOf(at, folder));
  const settled = await settle(at, item, scratch, base, job, outcome);
  return {
    ...{ v: 1, run: run.run, item: run.item, attempt: run.attempt, version: claim.version, ...settled },
    ...{ startedAt, endedAt: clock.now().toISOString(), by: 'supervisor' },
  };
}

type Settled = Outcome & Pick<Result, 'outputs'>;

/** A success counts only with its check passed and its outputs fit to be taken. */
async function settle(
  at: Attempt,
  item: Item,
  scratch: string,
  base: Base,
  job: Job,
  outcome: Outcome,
): Promise<Settled> {
  if (outcome.outcome !== 'done' && outcome.outcome !== 'nothing') return { ...outcome, outputs: {} };
  const failed = (errorClass: 'item' | 'tool', message: string): Settled => ({
    ...outcome,
    ...{ outcome: 'failed', error: { class: errorClass, message }, fields: {}, outputs: {} },
  });
  const { check, workspace: spec, source } = at.claim.settings;
  if (check !== null) {
    const broken = await runCheck(at, check, job);
    if (broken !== null) return failed(broken.class, broken.message);
  }
  // Whoever says that there was nothing to do has no files to hand over.
  const { taken, refused } =
    outcome.outcome === 'nothing'
      ? { taken: {}, refused: [] }
      : takeOutputs(at.hands.disk, { scratch, outputs: spec.outputs, item, base: base.files });
  const [first] = refused;
  if (first !== undefined) return failed('item', `output ${first.path} refused: ${first.why}`);
  const stray = Object.keys(outcome.fields).filter((name) => !source.write.includes(name));
  const fields = Object.fromEntries(Object.entries(outcome.fields).filter(([name]) => source.write.includes(name)));
  const note =
    stray.length > 0 ? `${outcome.summary} (not in source.write, not filed: ${stray.join(', ')})` : outcome.summary;
  return { ...outcome, summary: note, fields, outputs: taken };
}

const pickFields = (item: Item, { settings }: Claim): Record<string, unknown> =>
  Object.fromEntries(settings.source.write.flatMap((name) => (name in item.fields ? [[name, item.fields[name]]] : [])));

function makeJob({ workspace, claim, run, hands }: Attempt, item: Item, scratch: string): Job {
  const { caps, executor } = claim.settings;
  return {
    run: run.run,
    attempt: run.attempt,
    key: sha256(`${[claim.settings.source.path, ...claim.settings.source.run].join('\n')}\n${item.id}`).slice(0, 32),
    root: workspace.root,
    item,
    contract: claim.contract,
    scratch,
    notes: workspace.run(run.run, run.item, 'notes.md'),
    limits: {
      checkpointAt: CHECKPOINT_AT,
      returnBy: RETURN_BY,
      wallMs: caps.minutesPerItem * 60_000,
      silenceMs: executor.silenceMinutes === null ? null : executor.silenceMinutes * 60_000,
    },
    prior: run.prior === null ? null : readPrior(hands, workspace, run.prior, run.item),
  };
}

/** A retry starts from the notes of the attempt before. */
function readPrior({ disk }: Hands, workspace: Workspace, run: number, item: string): Job['prior'] {
  const result = readResult(disk, workspace, { run, item });
  if (result === null) return null;
  const notes = disk.readHead(workspace.run(run, item, 'notes.md'), NOTES_BYTES)?.toString('utf8') ?? '';
  const check = readJson<{ output: string }>(disk, workspace.run(run, item, 'check.json'));
  const error = result.error === null ? null : { class: result.error.class, message: result.error.message };
  return { run, notes, error, check: check?.output ?? null, message: null };
}

function seatOf({ hands, signal, group }: Attempt, folder: string): Seat {
  const { disk } = hands;
  let trail = 0;
  return {
    signal,
    group,
    checkpoint(notes) {
      const beside = `${folder}/notes.md.${number(trail)}`;
      disk.unlink(beside);
      disk.create(beside, notes);
      disk.sync(beside);
      disk.rename(beside, `${folder}/notes.md`);
    },
    log(entry) {
      if (trail > TRAIL_BYTES) return;
      const line = `${JSON.stringify(entry)}\n`;
      trail += line.length;
      disk.append(`${folder}/transcript.jsonl`, line);
    },
  };
}
