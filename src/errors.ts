/**
 * An error a person can act on: it says what is wrong, where, and what was wanted.
 *
 * Anything else that is thrown is a bug and keeps its stack.
 */
export class PawlError extends Error {
  override readonly name = 'PawlError';
  /** Stable, for scripts: `E_USAGE`, `E_FORMAT`, `E_FENCED`, ... */
  readonly code: string;
  /** The file concerned, `file:line:column` as far as known. */
  readonly at: string | undefined;

  constructor(code: string, message: string, options: { at?: string | undefined; cause?: unknown } = {}) {
    super(options.at === undefined ? message : `${options.at}: ${message}`, { cause: options.cause });
    this.code = code;
    this.at = options.at;
  }
}

/** @returns the message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** @returns the `code` of a system error or a PawlError, or null. */
export function codeOf(thrown: unknown): string | null {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : null;
}
