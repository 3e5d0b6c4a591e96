export type { Claim, Item, OutcomeLine, Procedure, Result, State } from './core/model.ts';
export { plan } from './core/plan.ts';
export type { Stop } from './core/stops/stop.ts';
export type { Plan, World } from './core/world.ts';
export { dryRun, type TickOptions, type TickReport, tick } from './engine/tick.ts';
export { PawlError } from './errors.ts';
export type { Executor, Job, Outcome, Worker } from './executors/executor.ts';
export type { Source } from './sources/source.ts';
export { Workspace } from './store/workspace.ts';
