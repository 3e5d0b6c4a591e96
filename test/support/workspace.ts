import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A real folder on disk, removed after the test. Keys are paths, values are file texts; `#!` makes a file executable. */
export function folder(files: Record<string, string | Uint8Array> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'pawl-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: String(text).startsWith('#!') ? 0o755 : 0o644 });
  }
  return {
    root,
    path: (path: string) => join(root, path),
    read: (path: string) => readFileSync(join(root, path), 'utf8'),
  };
}
