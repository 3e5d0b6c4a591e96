import { readFileSync } from 'node:fs';
import { parseState } from '../../src/formats/state.ts';

// Reads and parses a state.md as fast as it can until its stdin ends, then says how often and what it could not read.

export interface Seen {
  reads: number;
  /** Reads that were not as the one before. */
  differing: number;
  bad: string[];
}

const path = process.argv[2] ?? '';
const seen: Seen = { reads: 0, differing: 0, bad: [] };
let ends = false;
let last = '';
process.stdin
  .on('data', () => {})
  .on('end', () => {
    ends = true;
  });

function read(): void {
  for (let n = 0; n < 50; n++) {
    const bytes = readFileSync(path);
    const text = bytes.toString();
    seen.reads += 1;
    if (text === last) continue;
    seen.differing += 1;
    last = text;
    try {
      parseState(bytes, path);
    } catch (error) {
      seen.bad.push(`${error}`);
    }
  }
  if (ends) process.stdout.write(JSON.stringify(seen));
  else setImmediate(read);
}

read();
