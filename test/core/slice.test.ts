import { describe, expect, test } from 'vitest';
import { choose, sliceSize } from '../../src/core/slice.ts';
import { items, journal, line, procedure } from '../support/world.ts';

const ids = (list: { id: string }[]) => list.map(({ id }) => id);

describe('choosing', () => {
  const past = journal(
    line('twice', 1),
    line('twice', 2),
    line('once', 3),
    line('earlier', 1, { run: 0 }),
    line('stuck', 4),
    line('stuck', 5),
    line('stuck', 6),
  );

  test('A27: fresh items come first, then those with fewer tries, of those the one that waited longest', () => {
    const { ready } = choose(items('x', 'y'), items('twice', 'once', 'earlier'), past, new Set(), procedure());
    expect(ids(ready)).toEqual(['x', 'y', 'earlier', 'once', 'twice']);
  });

  test('A67: one that is stuck is not taken and told with its run', () => {
    const { ready, waiting } = choose([], items('stuck', 'once'), past, new Set(), procedure());
    expect(ids(ready)).toEqual(['once']);
    expect(waiting).toEqual([{ item: 'stuck', run: 6, why: 'stuck after 3 tries: exit 1' }]);
  });

  test('what this tick marks is neither taken nor waiting', () => {
    const gone = new Set(['x', 'once', 'stuck']);
    expect(choose(items('x'), items('once', 'stuck'), past, gone, procedure())).toEqual({ ready: [], waiting: [] });
  });
});

describe('the size of a slice', () => {
  const size = (
    room: number,
    spend: Parameters<typeof sliceSize>[3] = [],
    past = journal(line('a', 1, { outcome: 'done', class: null })),
  ) => sliceSize(procedure({ slice: 5 }), past, room, spend);

  test('A40: is the smaller of slice and room', () => {
    expect(size(40)).toBe(5);
    expect(size(2)).toBe(2);
    expect(size(0)).toBe(0);
  });

  test('case E7: no more than the rest of the money buys of the dearest run', () => {
    expect(size(40, [{ spent: 0, cap: 10, dearest: 3 }])).toBe(3);
    expect(size(40, [{ spent: 9, cap: 10, dearest: 3 }])).toBe(0);
    expect(size(40, [{ spent: 12, cap: 10, dearest: 3 }])).toBe(0);
  });

  test('while nobody has reported a price, the first item tells it', () => {
    expect(size(40, [{ spent: 0, cap: 10, dearest: 0 }], journal())).toBe(1);
    expect(size(40, [{ spent: 0, cap: 10, dearest: 0 }])).toBe(5);
  });

  test('after a usage limit one item finds out whether it is over', () => {
    const limited = journal(line('a', 1, { class: 'limit' }));
    expect(size(40, [], limited)).toBe(1);
    expect(size(0, [], limited)).toBe(0);
  });
});
