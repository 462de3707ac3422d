// Scenes of checks of versions.
import { expect } from 'vitest';
import { DAY_MS } from '../../kernel/units.ts';
import { type CheckScene, change, run } from '../../testing/servers/check-scenes/scene.ts';

export const scenes: readonly CheckScene[] = [
  {
    check: 'minor_release_behind',
    make: async () => undefined,
    isIt: ({ figure }) => (figure?.value ?? 0) >= 4,
    feed: (readings) => change(readings, 'pg_server_info', () => ({ server_version_num: 170_006 })),
    // The packages of another release are not to be had in a test.
    remedy: async () => undefined,
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'warning', figure: { value: 5, unit: 'count' } });
      expect(found.message).toBe(
        'PostgreSQL 17.6 is 5 minor releases behind 17.11, the newest known on 2026-08-13.',
      );
    },
  },
  {
    check: 'minor_release_behind',
    title: 'a number that was never released',
    make: async () => undefined,
    isIt: ({ evidence, figure }) => evidence.newest_release === '18.6' && figure?.value === 2,
    feed: (readings) => change(readings, 'pg_server_info', () => ({ server_version_num: 180_003 })),
    remedy: async () => undefined,
    expect: (found) => expect(found.severity).toBe('info'),
  },
  {
    check: 'major_end_of_life',
    from: 15,
    later: 5 * 366 * DAY_MS,
    make: async () => undefined,
    isIt: ({ evidence }) => evidence.major === 13,
    feed: (readings) => change(readings, 'pg_server_info', () => ({ server_version_num: 130_023 })),
    remedy: async () => undefined,
    expect: (found) => {
      expect(found.severity).toBe('warning');
      expect(found.message).toContain('PostgreSQL 13 reached its end of life on 2025-11-13');
    },
  },
  {
    check: 'collation_version_mismatch',
    from: 15,
    async make({ primary }) {
      await run(
        primary,
        "create database sorted template template0 locale_provider icu icu_locale 'en-US' locale 'C'",
        "update pg_database set datcollversion = '0' where datname = 'sorted'",
      );
      return () => run(primary, 'drop database sorted');
    },
    isIt: ({ database_name }) => database_name === 'sorted',
    expect: (found) =>
      expect(found).toMatchObject({ severity: 'warning', evidence: { datcollversion: '0' } }),
    async remedy({ remedy }, { primary }) {
      // Half of it is run there.
      expect(remedy).toContain('reindex database "sorted";');
      await run(primary, 'alter database "sorted" refresh collation version');
    },
  },
  {
    check: 'extension_update',
    async make({ primary }) {
      await run(primary, `create extension hstore version '1.4'`);
      return () => run(primary, 'drop extension hstore');
    },
    isIt: ({ object_name }) => object_name === 'hstore',
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'info', database_name: 'postgres' });
      expect(found.evidence.extversion).toBe('1.4');
      expect(found.evidence.default_version).toMatch(/^1\.[78]$/);
    },
  },
];
