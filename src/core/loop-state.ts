import type { Standing } from './liveness.ts';
import type { Plan, World } from './world.ts';

/** How a loop stands, in one word and one sentence. */
export interface LoopState {
  name: 'paused' | 'running' | 'new' | 'ready' | 'waiting' | 'capped' | 'stopping' | 'exhausted';
  why: string;
}

/** @param paused why, or null when it is not. @param standings of the batches without all their results. */
export function loopState(world: World, plan: Plan, paused: string | null, standings: readonly Standing[]): LoopState {
  if (paused !== null) return { name: 'paused', why: paused };
  if (standings.includes('running')) return { name: 'running', why: `${count(runs(world), 'item')} being worked on` };
  if (standings.length > 0)
    return { name: 'ready', why: `nobody works on the last batch any more; the next tick takes care of it` };
  if (world.light) return { name: 'new', why: 'the first tick only looks; the one after it starts work' };
  const ended = plan.spent.flatMap(({ runs }) => runs).length;
  const files = ended === 0 ? [] : [`files ${count(ended, 'result')}`];
  if (plan.stop !== null && (ended === 0 || plan.stop.pauses)) return stopped(plan.stop);
  const starts = plan.claim === null ? [] : [`starts ${count(plan.claim.runs.length, 'item')}`];
  return { name: 'ready', why: `the next tick ${[...files, ...starts].join(' and ') || 'starts nothing'}` };
}

const runs = (world: World) => world.running.reduce((sum, claim) => sum + claim.runs.length, 0);
const count = (n: number, word: string) => `${n} ${word}${n === 1 ? '' : 's'}`;

function stopped({ name, reason, pauses }: NonNullable<Plan['stop']>): LoopState {
  if (pauses) return { name: 'stopping', why: `the next tick will pause: ${reason}` };
  if (name === 'exhausted') return { name: 'exhausted', why: reason };
  if (name === 'waiting') return { name: 'waiting', why: reason };
  return { name: 'capped', why: reason };
}
