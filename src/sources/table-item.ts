import type { Item } from '../core/model.ts';
import type { Row } from '../formats/table.ts';
import type { Found } from './table-view.ts';

/** A row as an item, as far as a list shows it. */
export function listedRow(file: string, { row, line }: Found): Item {
  if ('problem' in row) return { ...bare(placeOf(file, line)), refused: `${file}:${line}: ${row.problem}` };
  const { mark } = row;
  return {
    ...{ ...bare(row.id), title: titleOf(row) },
    mark: 'text' in mark ? mark.text : null,
    refused: mark.kind === 'refused' ? `${file}:${line}: ${mark.why}` : null,
  };
}

/** With all that the row says. */
export function wholeRow(file: string, found: Found): Item {
  const item = listedRow(file, found);
  return 'problem' in found.row ? item : { ...item, body: found.row.body, fields: found.row.fields };
}

/** One of several rows with the same id: nobody can say which of them is meant. */
export function twin(file: string, found: Found, other: Found): Item {
  const lines = [found.line, other.line].toSorted((left, right) => left - right);
  const item = listedRow(file, found);
  const why = `the id ${JSON.stringify(item.id)} should be there once, it is in lines ${lines.join(' and ')}`;
  return { ...item, refused: `${file}:${found.line}: ${why}` };
}

/** What a row without an id is called. It holds as long as nothing is put before it, and nobody works on it. */
export const placeOf = (file: string, line: number): string => `${file}:${line}`;

const bare = (id: string): Item => ({ id, title: id, path: null, body: '', fields: {}, mark: null, refused: null });

function titleOf({ id, fields }: Row): string {
  const texts = [fields.title, fields.name].map((value) => (typeof value === 'string' ? value.trim() : ''));
  return (texts.find((text) => text !== '') ?? id).replace(/\s+/g, ' ');
}
