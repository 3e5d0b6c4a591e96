import { fc, test as property } from '@fast-check/vitest';
import { expect, test } from 'vitest';
import { fingerprint } from '../../src/core/fingerprint.ts';

const bytes = fc.uint8Array({ minLength: 1, maxLength: 40 });

property.prop([bytes, fc.nat(), fc.integer({ min: 1, max: 255 })])('one byte that differs is told', (all, at, by) => {
  const other = all.map((byte, index) => (index === at % all.length ? byte ^ by : byte));
  expect(fingerprint(other)).not.toBe(fingerprint(all));
});

property.prop([bytes])('a piece that is missing at the end, or zeros too many, are told', (all) => {
  expect(fingerprint(all.subarray(0, all.length - 1))).not.toBe(fingerprint(all));
  expect(fingerprint(Uint8Array.of(...all, 0))).not.toBe(fingerprint(all));
});

test('it is sixteen digits, of nothing too', () => {
  expect(fingerprint(new Uint8Array(0))).toMatch(/^[0-9a-f]{16}$/);
});
