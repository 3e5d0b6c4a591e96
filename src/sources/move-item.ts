import type { Item, SourceSpec } from '../core/model.ts';
import { PawlError } from '../errors.ts';
import { type Head, headIn, headingIn, listed, readHead } from './item-file.ts';
import { isFree, type Names, namesOf, type Route } from './move-route.ts';

export interface Wanted {
  route: Route;
  spec: SourceSpec;
}

/** An item that is not done, as far as the head of its file shows; null when there is none. Looked at here and now. */
export function openItem({ route, spec }: Wanted, id: string, free: Set<string>): Item | null {
  const head = readHead(route.disk, route.workspace.root, id, spec.mark);
  if (head === null) return null;
  const item = listed(id, unmarked(head, spec));
  if (isFree(route, id, free)) return item;
  const names = namesOf(route, id);
  return names === null || isDone(names) ? null : { ...item, ...because(id, names) };
}

/** Moved, and at most the old name is still there beside the new one. */
const isDone = ({ isOne, blocked }: Names) => isOne && blocked === null;

function because(id: string, { path, open, done, blocked }: Names): Partial<Item> {
  if (blocked !== null) return { refused: `${id}:1: ${blocked}` };
  if (open === null || done === null) return {};
  return { refused: `${id}:1: the same name is in ${path}: one of the two has to go` };
}

/**
 * The mark is where the file lies, not what it says: where no fields are to be set in it, any file can be moved.
 * A name that is no line, and a head that does not end, stay refused: nothing was read of those.
 */
function unmarked(head: Head, { write }: SourceSpec): Head {
  const { matter, bytes } = head;
  const matters = write.length > 0 || bytes.length === 0;
  return { ...head, mark: matter.kind === 'refused' && matters ? matter : { kind: 'todo' } };
}

/** An item whole, done or not; a done one lies where its `path` says, and that is its mark. */
export async function readItem(wanted: Wanted, id: string): Promise<Item | null> {
  const { route, spec } = wanted;
  const { disk, workspace } = route;
  const names = namesOf(route, id);
  if (names === null) return null;
  const isOpen = names.open !== null && !isDone(names);
  if (!isOpen && names.done === null) return null;
  const path = isOpen ? id : names.path;
  const bytes = disk.read(workspace.inRoot(path));
  if (bytes === null) return null;

  const item = { ...listed(id, unmarked(headIn(bytes, spec.mark), spec)), path, ...(isOpen ? because(id, names) : {}) };
  const whole = await withText(item, bytes, spec);
  return isOpen ? whole : { ...whole, mark: path };
}

async function withText(item: Item, bytes: Buffer, spec: SourceSpec): Promise<Item> {
  if (item.refused !== null) return item;
  const asItIs = { ...item, body: bytes.includes(0) ? '' : bytes.toString('utf8') };
  if (headIn(bytes, spec.mark).matter.kind === 'refused') return asItIs;
  // Loaded only for items that are claimed: with its packages it costs more than a whole tick that does nothing.
  const { splitItem } = await import('../formats/front-matter.ts');
  try {
    const { fields, body } = splitItem(bytes, item.path ?? item.id);
    const title = typeof fields.title === 'string' && fields.title.trim() !== '' ? fields.title : headingIn(body);
    return { ...item, title: title ?? item.id, body, fields };
  } catch (error) {
    if (!(error instanceof PawlError)) throw error;
    return spec.write.length > 0 ? { ...item, refused: error.message } : asItIs;
  }
}
