// What the probe stores just beyond the threshold and just not, and the trouble on a server.

import { named, run, type Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { levels } from '../../testing/store/rule-case-rows.ts';

export const stored = levels(
  'pg_database',
  [[{ datname: 'shop', collation_differs: true }], [{ datname: 'shop', collation_differs: false }]],
  { object: 'shop' },
);

export const scenes: readonly Scene[] = [
  {
    rules: ['collation_version_mismatch'],
    probes: ['pg_database'],
    from: 15,
    async make({ primary }) {
      await run(
        primary,
        "create database sorted template template0 locale_provider icu icu_locale 'en-US' locale 'C'",
        "update pg_database set datcollversion = '0' where datname = 'sorted'",
      );
      return () => run(primary, 'alter database sorted refresh collation version');
    },
    isThere: (rows) => named(rows, 'datname', 'sorted')?.collation_differs === true,
  },
];
