import { expect, test } from 'vitest';
import { redact, secretsIn } from '../../src/core/redact.ts';

const secrets = secretsIn({
  FAKE_TOKEN: 'abc123-abc123',
  LONGER_TOKEN: 'abc123-abc123-and-more',
  DB_PASSWORD: 'four"teen\\chars',
  SSH_KEY: '-----BEGIN KEY-----\nline-of-the-key\n-----END KEY-----\n',
  SHORT_KEY: 'test',
  HOME: '/home/somebody',
});

test('E16, case F5: a secret is taken out of texts, keys and lists at any depth, and nothing else is', () => {
  const said = { note: 'it is abc123-abc123.', deep: [{ 'abc123-abc123': 7, home: '/home/somebody' }], none: null };
  expect(redact(said, secrets)).toEqual({
    note: 'it is [redacted FAKE_TOKEN].',
    deep: [{ '[redacted FAKE_TOKEN]': 7, home: '/home/somebody' }],
    none: null,
  });
});

test('a secret that begins with another one is taken out whole', () => {
  expect(redact('abc123-abc123-and-more', secrets)).toBe('[redacted LONGER_TOKEN]');
});

test('a secret is found as JSON writes it, and line by line', () => {
  expect(redact(JSON.stringify({ a: 'four"teen\\chars' }), secrets)).toBe('{"a":"[redacted DB_PASSWORD]"}');
  expect(redact('> line-of-the-key', secrets)).toBe('> [redacted SSH_KEY]');
});

test('values under eight characters and variables with harmless names stay', () => {
  expect(redact('a test in /home/somebody', secrets)).toBe('a test in /home/somebody');
});
