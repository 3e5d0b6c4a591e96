import type { SourceSpec } from '../core/model.ts';
import { PawlError } from '../errors.ts';
import { afterMark, CR, ended, type Format, LF, newSpot, otherEncoding, QUOTE, TAB, trimmed } from './table.ts';
import { cellText, csvFormat, NEVER_CLOSED, type Sheet, splitRow } from './table-csv.ts';
import { jsonlFormat } from './table-jsonl.ts';

/** What a table's settings say, with `id` there. */
export type TableSpec = Pick<SourceSpec, 'path' | 'mark' | 'write'> & { id: string };

/** Units: bytes. As much of a file's beginning as `readFormat` has to be given. */
export const HEAD_BYTES = 64 * 1024;
const COLUMNS_MOST = 16_384;
const SEPARATORS = [',', ';', '\t'];

/** @returns `csv`, `tsv` or `jsonl`, as the file's name ends, or null. */
export function tableKind(path: string): 'csv' | 'tsv' | 'jsonl' | null {
  const end = /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase();
  if (end === 'ndjson') return 'jsonl';
  return end === 'csv' || end === 'tsv' || end === 'jsonl' ? end : null;
}

/**
 * Reads how a table is written from its first 64 KiB.
 *
 * @throws PawlError `E_FORMAT` when it is not UTF-8, or a sheet whose header lacks a column of the settings.
 */
export function readFormat(head: Buffer, isWhole: boolean, spec: TableSpec): Format {
  const refuse = (line: number, why: string) => new PawlError('E_FORMAT', why, { at: `${spec.path}:${line}` });
  const encoding = otherEncoding(head);
  if (encoding !== null) throw refuse(1, `a table should be UTF-8 text, this is ${encoding}: save it as "CSV UTF-8"`);
  const kind = tableKind(spec.path);
  if (kind === 'jsonl') return jsonlFormat(afterMark(head), spec.id, spec.mark);
  const { sheet, line, why } = readHeader(head, isWhole, kind === 'tsv' ? TAB : null, spec);
  if (why !== null) throw refuse(line, why);
  return csvFormat(sheet, spec.mark);
}

function readHeader(head: Buffer, isWhole: boolean, fixed: number | null, spec: TableSpec) {
  const start = afterMark(head);
  // What Excel writes and reads before the header, to say how cells are told apart.
  const hint = /^sep=([,;\t])\r?\n/.exec(head.toString('latin1', start, start + 8));
  const from = start + (hint?.[0].length ?? 0);
  const text = linesOf(head, isWhole);
  const separator = fixed ?? (hint?.[1] ?? separatorOf(text, from)).charCodeAt(0);
  const ends = new Int32Array(2 * COLUMNS_MOST);
  const spot = newSpot();
  const count = from < text.length ? splitRow(text, from, separator, ends, spot) : -1;
  const names = Array.from({ length: Math.max(0, Math.min(count, COLUMNS_MOST)) }, (_, column) =>
    trimmed(cellText(head, ends[2 * column] as number, ends[2 * column + 1] as number)),
  );
  const line = hint === null ? 1 : 2;
  const sheet: Sheet = {
    separator,
    names,
    id: names.indexOf(spec.id),
    start: Math.min(spot.next, head.length),
    line: line + spot.lines,
  };
  return {
    sheet,
    line,
    why:
      count === -1
        ? isWhole
          ? NEVER_CLOSED
          : 'the header should end within 64 KiB'
        : (spot.problem ?? headerProblem(names, spec, separator)),
  };
}

/** The whole lines at the beginning; of a file that is all there, its last one too. */
function linesOf(head: Buffer, isWhole: boolean): Buffer {
  if (isWhole) return ended(head);
  // A carriage return at the very end may be half of a line end.
  return head.subarray(0, 1 + Math.max(head.lastIndexOf(LF), head.lastIndexOf(CR, -2)));
}

/** The one of `,` `;` and tab that is most often in the header, outside quotes; a comma when there is none. */
function separatorOf(text: Buffer, from: number): string {
  const line = /^[^\r\n]*/.exec(text.toString('latin1', from).replace(/"(?:[^"]|"")*"/g, ''))?.[0] ?? '';
  const counts = SEPARATORS.map((each) => line.split(each).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function headerProblem(names: string[], { id, mark, write }: TableSpec, separator: number): string | null {
  const wanted = [id, mark.field, ...write];
  const twice = wanted.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice !== undefined) return `the header should have one column ${JSON.stringify(twice)}, it has several`;
  const missing = wanted.filter((name) => !names.includes(name));
  if (missing.length === 0) return null;
  const there = names.every((name) => name === '') ? 'nothing' : names.join(', ');
  const cell = String.fromCharCode(separator);
  const added = missing.map((name) => cell + printName(name, cell)).join('');
  return (
    `the header should have ${missing.map((name) => JSON.stringify(name)).join(' and ')}, it has ${there}: ` +
    `add empty columns of that name in a spreadsheet, or ${JSON.stringify(added)} at its end and ${JSON.stringify(cell.repeat(missing.length))} at the end of each row`
  );
}

const printName = (name: string, cell: string) =>
  name.includes(cell) || name.includes(String.fromCharCode(QUOTE)) ? `"${name.replaceAll('"', '""')}"` : name;
