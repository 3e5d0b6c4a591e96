/** Aborts on SIGINT and SIGTERM; `code` is the exit code that belongs to the first of them, 0 without one. */
export function onSignals(): { signal: AbortSignal; code(): number } {
  const controller = new AbortController();
  let code = 0;
  // `on`, not `once`: a library that finds nobody else listening any more would end the process at once, and npm hands on a
  // Ctrl-C that the terminal has sent already.
  for (const [name, number] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.on(name, () => {
      code ||= number;
      controller.abort();
    });
  return { signal: controller.signal, code: () => code };
}
