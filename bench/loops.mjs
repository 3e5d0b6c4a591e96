// Workspaces for the benches: folders of small items and workers that answer at once.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from './measure.mjs';

const RESULT = '{"type":"result","outcome":"done","summary":"ok"}';

/** A loop of `n` items with an instant worker, of which at most `perDay` are worked off. */
export function loop(n, { worker = `#!/bin/sh\necho '${RESULT}'\n`, perDay = 1_000_000 } = {}) {
  const root = folder();
  mkdirSync(join(root, 'items'));
  mkdirSync(join(root, '.jez'));
  for (let i = 0; i < n; i++)
    writeFileSync(
      join(root, 'items', `${String(i).padStart(7, '0')}.md`),
      `---\ntitle: item ${i}\n---\nText of item ${i}.\n`,
    );
  const stub = join(root, 'worker.sh');
  writeFileSync(stub, worker);
  chmodSync(stub, 0o755);
  writeFileSync(
    join(root, '.jez/loop.md'),
    `---
cohort: bench
done_when: marked
source: { kind: folder, path: "items/*.md", mark: { field: checked } }
executor: { kind: command, run: [./worker.sh] }
slice: 50
concurrency: 1
caps: { items_per_day: ${perDay} }
timezone: UTC
---
## Boundary
none
`,
  );
  writeFileSync(join(root, '.jez/state.md'), '---\npaused: false\n---\n');
  return { root, stub };
}
