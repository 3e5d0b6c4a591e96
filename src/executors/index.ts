import { PawlError } from '../errors.ts';
import type { ExecutorKind } from './executor.ts';

/** One line per kind. Each is loaded only when loop.md names it. */
const kinds: Record<string, () => Promise<ExecutorKind>> = {
  command: () => import('./command.ts'),
};

/** The kinds a person may write under `executor.kind`. */
export const executorNames: readonly string[] = Object.keys(kinds);

/** @throws PawlError `E_UNKNOWN_EXECUTOR`. */
export async function loadExecutor(kind: string): Promise<ExecutorKind> {
  const load = Object.hasOwn(kinds, kind) ? kinds[kind] : undefined;
  if (load === undefined)
    throw new PawlError('E_UNKNOWN_EXECUTOR', `no executor called ${kind}; there are ${executorNames.join(', ')}`);
  return load();
}
