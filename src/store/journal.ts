import type { OutcomeLine } from '../core/model.ts';
import { emptyJournal, foldLine, type Journal } from '../core/trail.ts';
import type { Disk } from './disk.ts';
import type { Workspace } from './workspace.ts';
import { appendLines, putUnsynced } from './write.ts';

const CHUNK = 1 << 20;
const WITNESS = 256;

/** A folded beginning of outcomes.jsonl; trusted only while the file still has the same bytes before `offset`. */
interface Cached {
  v: 3;
  offset: number;
  /** The last bytes before `offset`, in base64. */
  witness: string;
  journal: Journal;
}

/** Reads outcomes.jsonl on from where the cache ends; without a cache from the start, with the same answer. */
export function readJournal(disk: Disk, workspace: Workspace): { journal: Journal; save(): void } {
  const path = workspace.outcomes();
  const size = Number(disk.stat(path)?.size ?? 0n);
  const cached = readCache(disk, workspace, size);
  const journal = cached?.journal ?? structuredClone(emptyJournal);
  const start = cached?.offset ?? 0;
  let rest = Buffer.alloc(0);
  let offset = start;
  for (let at = start; at < size; at += CHUNK) {
    const chunk = disk.readAt(path, at, Math.min(CHUNK, size - at)) ?? Buffer.alloc(0);
    const text = Buffer.concat([rest, chunk]);
    const end = text.lastIndexOf(0x0a) + 1;
    for (const line of text.subarray(0, end).toString('utf8').split('\n')) {
      const parsed = readLine(line);
      if (parsed !== null) foldLine(journal, parsed);
    }
    offset += end;
    rest = text.subarray(end);
  }
  return {
    journal,
    save: () => (offset > start ? writeCache(disk, workspace, { v: 3, offset, witness: '', journal }) : undefined),
  };
}

/** Step 7. A line torn by a crash is no JSON and counts for nothing; the batch's next filing writes it whole. */
export function appendOutcomes(disk: Disk, workspace: Workspace, lines: readonly OutcomeLine[]): void {
  if (lines.length === 0) return;
  appendLines(disk, workspace.outcomes(), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function readLine(line: string): OutcomeLine | null {
  if (line.trim() === '') return null;
  try {
    const value = JSON.parse(line) as OutcomeLine;
    const isOurs = 'release' in value ? typeof value.release === 'string' : Number.isSafeInteger(value.run);
    return isOurs ? value : null;
  } catch {
    return null;
  }
}

function readCache(disk: Disk, workspace: Workspace, size: number): Cached | null {
  try {
    const cached = JSON.parse(disk.read(workspace.cache('journal.json'))?.toString('utf8') ?? 'null') as Cached | null;
    if (cached?.v !== 3 || cached.offset > size) return null;
    return cached.witness === witness(disk, workspace, cached.offset) ? cached : null;
  } catch {
    return null;
  }
}

/** Beside and renamed, but not synced: a cache that is lost costs time, never the answer. */
function writeCache(disk: Disk, workspace: Workspace, cached: Cached): void {
  const whole = { ...cached, witness: witness(disk, workspace, cached.offset) };
  disk.makeFolder(workspace.cache());
  putUnsynced(disk, workspace.cache('journal.json'), JSON.stringify(whole));
}

function witness(disk: Disk, workspace: Workspace, offset: number): string {
  const from = Math.max(0, offset - WITNESS);
  return disk.readAt(workspace.outcomes(), from, offset - from)?.toString('base64') ?? '';
}
