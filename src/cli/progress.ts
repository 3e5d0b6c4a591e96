const WIDTH = 24;

/** A line at the foot of a terminal that is drawn over: how far, and how long it may take. Without `write` nothing is drawn. */
export interface ProgressBar {
  start(count: { done: number; total: number | null }): void;
  /** So many of the running slice are over. */
  running(n: number): void;
  /** A tick has filed what ended. */
  filed(doneCount: number | null): void;
  clear(): void;
}

export function progressBar(
  write: ((text: string) => void) | null,
  now: () => number = () => performance.now(),
): ProgressBar {
  let total: number | null = null;
  let atStart = 0;
  let slice = 0;
  let base: number | null = null;
  let counted = 0;
  let began = 0;

  const draw = () => {
    if (write === null || total === null) return;
    const done = Math.min(total, atStart + counted + slice);
    write(`\r\u001b[2K${bar(done, total)} ${done} of ${total}${eta(done - atStart, total - done, now() - began)}`);
  };
  return {
    start(count) {
      total = count.total;
      atStart = count.done;
      began = now();
      draw();
    },
    running(n) {
      slice = n;
      draw();
    },
    filed(doneCount) {
      if (doneCount === null) return;
      base ??= doneCount;
      counted = doneCount - base;
      slice = 0;
      draw();
    },
    clear: () => write?.('\r\u001b[2K'),
  };
}

function bar(done: number, total: number): string {
  const full = total === 0 ? WIDTH : Math.floor((done / total) * WIDTH);
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}]`;
}

/** `, about 12 s left`, once there is something to go by. */
function eta(worked: number, left: number, ms: number): string {
  if (worked <= 0 || left <= 0) return '';
  const seconds = Math.ceil(((ms / worked) * left) / 1000);
  return seconds < 90 ? `, about ${seconds} s left` : `, about ${Math.ceil(seconds / 60)} min left`;
}
