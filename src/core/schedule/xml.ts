const NAMES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

/** Text between two tags. */
export const xmlText = (text: string): string => text.replace(/[&<>"']/g, (character) => NAMES[character] ?? '');
