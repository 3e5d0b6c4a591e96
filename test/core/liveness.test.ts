import { describe, expect, test } from 'vitest';
import { type BatchFacts, standing } from '../../src/core/liveness.ts';
import { claim, SELF } from '../support/world.ts';

const CLAIM = claim(['a']);
const ALIVE = { uptime: 99_200, beat: 3, groups: {}, spent: false };
const at = (change: Partial<BatchFacts>) =>
  standing({
    ...{ claim: CLAIM, owner: null, alive: null, silentS: 1, launcher: 'dead', ownerLooks: null },
    ...{ boot: 'boot-1', uptime: 99_110, pastUntil: false },
    ...change,
  });
const owned = (ownerLooks: BatchFacts['ownerLooks'], change: Partial<BatchFacts> = {}) =>
  at({ owner: SELF, alive: ALIVE, ownerLooks, ...change });

describe('D4: a claim without an owner', () => {
  test.each([
    ['its launcher lives and it is young', { launcher: 'alive' }, 'running'],
    ['A42: its launcher is dead', { launcher: 'dead' }, 'unowned'],
    ['its launcher lives, and nobody took it up for a minute', { launcher: 'alive', uptime: 99_160 }, 'unowned'],
    ['A31: the machine was started since', { launcher: 'alive', boot: 'boot-2', uptime: 50 }, 'unowned'],
    ['A88: its launcher is on another machine', { launcher: 'elsewhere', uptime: 1 }, 'running'],
    ['its launcher is on another machine and its time is over', { launcher: 'elsewhere', pastUntil: true }, 'unowned'],
  ] as const)('%s: %s', (_, change, expected) => {
    expect(at(change)).toBe(expected);
  });
});

describe('D4: a claim with an owner', () => {
  test('that somebody declared ownerless stays so, whoever lives', () => {
    expect(at({ owner: { reaped: true }, launcher: 'alive' })).toBe('reaped');
  });

  test.each([
    ['lives', 'alive', {}, 'running'],
    ['A31: is gone', 'dead', {}, 'dead'],
    ['is gone past its time', 'dead', { pastUntil: true }, 'dead'],
    ['A32: lives past its time', 'alive', { pastUntil: true }, 'overdue'],
    ['says itself that its time is over', 'alive', { alive: { ...ALIVE, spent: true } }, 'overdue'],
    ['lives and never beat', 'alive', { alive: null }, 'running'],
    ['A88: is elsewhere', 'elsewhere', {}, 'running'],
    ['is elsewhere, past its time, and beats', 'elsewhere', { pastUntil: true, silentS: 599 }, 'running'],
    [
      'is elsewhere, past its time, and silent for ten minutes',
      'elsewhere',
      { pastUntil: true, silentS: 600 },
      'unreachable',
    ],
    ['is elsewhere and silent within its time', 'elsewhere', { silentS: 9999 }, 'running'],
  ] as const)('%s', (_, looks, change, expected) => {
    expect(owned(looks, change)).toBe(expected);
  });
});
