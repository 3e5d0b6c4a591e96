/**
 * A module of Node's own, loaded where it is used: crypto and child_process each cost a third of a no-op tick, and most ticks
 * need neither.
 */
export const builtin = <Name extends keyof Modules>(name: Name): Modules[Name] =>
  process.getBuiltinModule(name) as Modules[Name];

interface Modules {
  'node:child_process': typeof import('node:child_process');
  'node:crypto': typeof import('node:crypto');
}
