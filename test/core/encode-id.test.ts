import { createHash } from 'node:crypto';
import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { encodeId } from '../../src/core/encode-id.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const encode = (id: string) => encodeId(id, sha256);

const awkward = fc.constantFrom(
  ...['/', '\\', '.', '..', ' ', 'a', 'A', 'con', 'NUL', 'com1', '.txt', '%', '%61', '~', ':', '\0', '\n', '-', '_'],
  ...['é', 'e\u0301', 'ß', 'ẞ', 'İ', 'ı', 'ﬁ', '日', '👩‍👩‍👧', '\ud83d', '\ude00', '\udfff', 'docs/', 'x'.repeat(40)],
);
const id = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(awkward, { maxLength: 12 }).map((parts) => parts.join('')),
);

property.prop([fc.array(id, { minLength: 10, maxLength: 20 })], { numRuns: 1000 })(
  'ids that differ give names that differ even where case is ignored, and every file system can hold them',
  (ids) => {
    const forms = new Set(ids.map((each) => each.normalize('NFC')));
    const names = new Set(ids.map((each) => encode(each).toLowerCase()));
    expect(names.size).toBe(forms.size);
    for (const name of names) {
      expect(name).toMatch(/^[a-z0-9_%~-]{1,160}$/);
      expect(name).not.toMatch(/^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/);
      expect(name).toBe(name.normalize('NFC'));
    }
  },
);

describe('a name', () => {
  test.each([
    ['acme', 'acme'],
    ['docs/acme.md', 'docs%2facme%2emd'],
    ['Acme', '%41cme'],
    ['', '%'],
    ['.', '%2e'],
    ['..', '%2e%2e'],
    ['con', '%63on'],
    ['lpt9', '%6cpt9'],
    ['\ud800', '%ed%a0%80'],
    ['\ufffd', '%ef%bf%bd'],
  ])('of %j is %s', (from, name) => {
    expect(encode(from)).toBe(name);
  });

  test('is the same for both Unicode forms of an id', () => {
    expect(encode('caf\u00e9')).toBe(encode('cafe\u0301'));
  });

  test('of a long id is short, readable at its start, and tells apart what differs only at the end', () => {
    for (const start of ['docs/', 'docs1/', 'docs12/']) {
      const [one, two] = [encode(`${start}${'é'.repeat(200)}1`), encode(`${start}${'é'.repeat(200)}2`)] as [
        string,
        string,
      ];
      expect(one).not.toBe(two);
      expect(one.startsWith(`${start.slice(0, -1)}%2f%c3%a9`)).toBe(true);
      // Never cut inside an escape.
      expect(one).toMatch(/^(?:[a-z0-9_-]|%[0-9a-f]{2})+~[0-9a-f]{32}$/);
    }
    expect(encode(`${'x'.repeat(200)}\ud800`)).not.toBe(encode(`${'x'.repeat(200)}\ud801`));
  });
});
