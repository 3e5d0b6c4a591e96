import { expect, onTestFinished, test } from 'vitest';
import { realClock } from '../../src/store/clock.ts';

function pawlNow(value: string) {
  onTestFinished(() => {
    delete process.env.PAWL_NOW;
  });
  process.env.PAWL_NOW = value;
}

test('PAWL_NOW makes the time stand still there', () => {
  pawlNow('2026-06-09T08:15:00+02:00');
  expect(realClock.now().toISOString()).toBe('2026-06-09T06:15:00.000Z');
  expect(realClock.now()).toEqual(realClock.now());
});

test('a PAWL_NOW that is a day is its midnight in UTC', () => {
  pawlNow('2026-06-09');
  expect(realClock.now().toISOString()).toBe('2026-06-09T00:00:00.000Z');
});

test.each(['soon', '9 June 2026', '2026-02-30', '2026-06-31T10:00:00Z', '2026-06-09T25:00:00Z', '1780000000000', ' '])(
  'a PAWL_NOW of %j is refused',
  (value) => {
    pawlNow(value);
    expect(() => realClock.now()).toThrow(expect.objectContaining({ code: 'E_USAGE' }));
  },
);

test('without PAWL_NOW, or with an empty one, it is the time on the wall', () => {
  pawlNow('');
  const before = Date.now();
  expect(realClock.now().getTime()).toBeGreaterThanOrEqual(before);
});

test('PAWL_NOW moves neither the boot clock nor the boot id', () => {
  const [before, boot] = [realClock.uptime(), realClock.bootId()];
  pawlNow('1999-01-01T00:00:00Z');
  expect(before).toBeGreaterThan(0);
  expect(realClock.uptime()).toBeGreaterThanOrEqual(before);
  expect(realClock.bootId()).toBe(boot);
  expect(boot).not.toBe('');
});
