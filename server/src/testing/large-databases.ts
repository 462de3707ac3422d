// A check over what a test wrote of databases, and the context in which findings are judged.
import { systemPrincipal } from '../identity/audit/audit.service.ts';
import type { Facts } from '../insight/checks/facts.ts';
import { defineCheck } from '../insight/checks/types.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';

/** Databases that are larger than a thousand bytes; shrinking one is what it promises. */
export const large = defineCheck({
  name: 'fsync_off',
  category: 'settings',
  title: 'Large database',
  meaning: 'It is large.',
  advice: 'Shrink it.',
  caution: 'None.',
  source: 'x.html',
  proof: 'measured',
  reads: { pg_database: ['datname', 'database_size_bytes'] },
  judge: (facts: Facts) => ({
    found: facts
      .rows('pg_database')
      .filter((item) => (item.number('database_size_bytes') ?? 0) > 1000)
      .map((item) => ({
        database_name: item.text('datname') ?? '',
        object_name: '',
        severity: (item.number('database_size_bytes') ?? 0) > 10_000 ? 'critical' : 'warning',
        message: `It has ${item.number('database_size_bytes')} bytes.`,
        figure: { value: item.number('database_size_bytes') ?? 0, unit: 'bytes' },
        evidence: { database_size_bytes: item.number('database_size_bytes') },
        remedy: 'vacuum full;',
      })),
  }),
  figureAfter: (facts, { database_name }) =>
    facts
      .rows('pg_database')
      .find((item) => item.text('datname') === database_name)
      ?.number('database_size_bytes') ?? null,
});

export const judgingCtx = (db: Db) => ({
  db,
  clock: systemClock,
  log: silentLog,
  signal: new AbortController().signal,
  principal: systemPrincipal('server'),
});
