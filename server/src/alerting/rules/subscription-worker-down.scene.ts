// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { named, run, type Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_stat_subscription',
  [
    [{ subid: '16400', subname: 'orders', datname: 'shop', pid: 0, is_stopped: true }],
    [{ subid: '16400', subname: 'orders', datname: 'shop', pid: 77, is_stopped: false }],
  ],
  { object: 'orders (database shop)' },
);

export const scenes: readonly Scene[] = [
  {
    rules: ['subscription_worker_down'],
    probes: ['pg_stat_subscription'],
    async make({ primary }) {
      await run(
        primary,
        "create subscription kit connection 'host=127.0.0.1 port=1' publication p with (connect = false)",
        'alter subscription kit enable',
      );
      return () =>
        run(
          primary,
          'alter subscription kit disable',
          'alter subscription kit set (slot_name = none)',
          'drop subscription kit',
        );
    },
    isThere: (rows) => named(rows, 'subname', 'kit')?.is_stopped === true,
  },
];
