import type { Item } from '../../core/model.ts';
import { PawlError } from '../../errors.ts';
import { loadExecutor } from '../../executors/index.ts';
import { openSource } from '../../sources/index.ts';
import { readBatches } from '../../store/batches.ts';
import { readTick, tickNumbers } from '../../store/ticks.ts';
import { standingOf } from '../reap.ts';
import { readResult } from '../results.ts';
import { type Check, type Finding, ok } from './check.ts';

const SHOWN = 3;
const QUIET_S = 3600;
/** A gate that is kept is touched every second. */
const GATE_STALE_S = 10;
/** Records that a killed tick can have left open are among the newest. */
const LOOK_BACK = 4;

export const executor: Check = {
  name: 'executor',
  async look({ loop, workspace }) {
    if (loop instanceof PawlError) return [];
    const spec = loop.procedure.executor;
    const { probe } = await loadExecutor(spec.kind);
    const { ok: fine, what, fix } = await probe(spec, workspace.root);
    if (!fine) return { level: 'fail', what, where: '.jez/loop.md', mend: fix ?? 'see executor in loop.md' };
    return ok(`${spec.run.join(' ')} (${what})`);
  },
};

export const items: Check = {
  name: 'items',
  async look({ loop, machine: { disk }, workspace }) {
    if (loop instanceof PawlError) return [];
    const { procedure } = loop;
    const source = await openSource({ disk, workspace, procedure, keep: () => {} });
    const { done, total } = await source.count();
    const next: string[] = [];
    const refused: Item[] = [];
    for await (const item of source.pending()) {
      if (item.refused !== null) refused.push(item);
      else if (next.length < SHOWN) next.push(item.id);
    }
    if (total === 0)
      return {
        level: 'warn',
        what: `nothing matches ${procedure.source.path}`,
        where: '.jez/loop.md',
        mend: 'see source.path',
      };
    const isLittle = (total ?? 2) <= 1 || procedure.learn.mode === 'off';
    const advice = isLittle ? '; for this a plain run is enough, without a loop that learns' : '';
    const what = `${done} of ${total ?? 'unknown'} done${next.length === 0 ? '' : `, next ${next.join(', ')}`}${advice}`;
    return [
      ok(what),
      ...refused.slice(0, SHOWN).map(refusal),
      ...(refused.length > SHOWN ? [more(refused.length - SHOWN)] : []),
    ];
  },
};

function refusal({ id, refused }: Item): Finding {
  const [, where = id, what = refused ?? ''] = /^(.*?:\d+(?::\d+)?): (.*)$/s.exec(refused ?? '') ?? [];
  return { level: 'warn', what: `not worked on: ${what}`, where, mend: 'correct that line' };
}

const more = (n: number): Finding => ({ level: 'warn', what: `and ${n} more items that can't be worked on` });

export const leftovers: Check = {
  name: 'work',
  look({ machine, workspace }) {
    const { disk } = machine;
    const open = readBatches(disk, workspace).open.map((claim): Finding => {
      const where = `.jez/batches/${String(claim.batch).padStart(4, '0')}`;
      if (claim.runs.every((run) => readResult(disk, workspace, run) !== null))
        return { level: 'ok', what: `batch ${claim.batch} has ended; the next tick files it`, where };
      const how = standingOf(machine, workspace, claim);
      if (how === 'running') return { level: 'ok', what: `batch ${claim.batch} runs, its owner lives`, where };
      return {
        level: 'warn',
        what: `nobody works on batch ${claim.batch} any more (${how})`,
        where,
        mend: 'the next tick takes care of it',
      };
    });
    const torn = tickNumbers(disk, workspace)
      .slice(-LOOK_BACK)
      .filter((tick) => readTick(disk, workspace, tick)?.state !== 'closed')
      .map(
        (tick): Finding => ({ level: 'warn', what: `tick ${tick} was interrupted`, mend: 'the next tick finishes it' }),
      );
    const all = [...open, ...torn];
    return all.length === 0 ? ok('nothing left over') : all;
  },
};

export const lock: Check = {
  name: 'lock',
  look({ machine: { disk }, workspace }) {
    const gate = disk.stat(workspace.path('lock', 'gate'));
    const isStale = gate !== null && Date.now() / 1000 - Number(gate.mtimeNs / 1_000_000n) / 1000 > GATE_STALE_S;
    if (!isStale) return ok(gate === null ? 'free' : 'a tick is at work');
    return {
      level: 'warn',
      what: 'left by a killed tick',
      where: '.jez/lock/gate',
      mend: 'the next tick goes past it; or: pawl doctor --fix',
    };
  },
};

export const clock: Check = {
  name: 'clock',
  look({ machine, workspace }) {
    const beat = machine.disk.stat(workspace.heartbeat())?.mtimeNs;
    const mend = '`pawl schedule print` prints what a scheduler needs; without one: pawl run';
    if (beat === undefined) return { level: 'warn', what: 'no tick has come yet', mend };
    const seconds = Math.round((machine.clock.now().getTime() - Number(beat / 1_000_000n)) / 1000);
    const what = `the last tick came ${Math.max(0, Math.round(seconds / 60))} min ago`;
    return seconds <= QUIET_S ? ok(what) : { level: 'warn', what: `${what}: no scheduler seen`, mend };
  },
};
