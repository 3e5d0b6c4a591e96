const LATIN = '# Caf\u00e9\n\nWritten long ago, in Latin-1: d\u00e9j\u00e0 vu.\n';
const MARKED =
  '\ufeff# A page from Windows\r\n\r\nIt begins with a byte order mark and [ends](#nowhere) its lines with CRLF.\r\n';
const WIDE = '\ufeff# UTF-16\n\nNobody can set a mark in this one without breaking it.\n';

/** Three pages of our own in encodings that packages rarely ship: what a sweep has to live with elsewhere. */
export function oddPages(folder: string): Record<string, Buffer> {
  const path = (name: string) => `${folder}/odd-encodings/${name}.md`;
  return {
    [path('latin-1')]: Buffer.from(LATIN, 'latin1'),
    [path('utf-8-bom-crlf')]: Buffer.from(MARKED, 'utf8'),
    [path('utf-16')]: Buffer.from(WIDE, 'utf16le'),
  };
}
