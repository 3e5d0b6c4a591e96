const PRIVATE = new Set(['.jez', '.git', 'node_modules']);

/** Folders in which there are no items, in any spelling of a file system that ignores case. */
export const isPrivateFolder = (name: string): boolean => PRIVATE.has(name.normalize('NFC').toLowerCase());
