import { createInterface } from 'node:readline/promises';
import { PawlError } from '../errors.ts';

/** Asks on the terminal; an empty answer takes the proposal. @throws PawlError `E_USAGE` when the person goes away. */
export function asker(signal: AbortSignal) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const gone = new AbortController();
  terminal.once('close', () => gone.abort());
  return {
    close: () => terminal.close(),
    async put(question: string, proposal: string | null): Promise<string | null> {
      const hint = proposal === null ? '' : ` [${proposal}]`;
      const stop = AbortSignal.any([signal, gone.signal]);
      const answer = await terminal.question(`${question}${hint}\n> `, { signal: stop }).catch((cause: unknown) => {
        throw new PawlError('E_USAGE', 'not answered, so nothing was made', { cause });
      });
      return answer.trim() === '' ? null : answer.trim();
    },
  };
}
