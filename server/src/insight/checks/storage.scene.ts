// Scenes of checks of storage.
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { DAY_MS } from '../../kernel/units.ts';
import { type CheckScene, change, run } from '../../testing/servers/check-scenes/scene.ts';
import type { TestCluster } from '../../testing/servers/cluster.ts';
import { set } from './settings.scene.ts';

const GIB = 1024 ** 3;

/** Changes a byte of the table's first pages behind the server's back; twice: as it was. */
async function damage(primary: TestCluster, table: string): Promise<void> {
  const [row] = await primary.query(`select pg_relation_filepath('${table}') as file`);
  await primary.shutdown();
  const file = openSync(path.join(primary.directory, String(row?.file)), 'r+');
  // A checksum has 16 bits: once in 65,536 times it fits a page that was changed.
  for (const page of [0, 1, 2]) {
    const at = page * 8192 + 8000;
    const byte = Buffer.alloc(1);
    if (readSync(file, byte, 0, 1, at) === 0) break;
    writeSync(file, Buffer.from([byte.readUInt8(0) ^ 0xff]), 0, 1, at);
  }
  closeSync(file);
  await primary.start();
}

export const scenes: readonly CheckScene[] = [
  {
    check: 'sequence_runs_out',
    title: 'of an integer column',
    async make({ primary }) {
      await run(
        primary,
        'create table numbered (id int generated always as identity (start 2147483000), v int)',
        'insert into numbered (v) values (1)',
      );
      return () => run(primary, 'drop table numbered');
    },
    isIt: ({ object_name }) => object_name === 'public.numbered_id_seq',
    expect: (found) => {
      expect(found.severity).toBe('critical');
      expect(found.figure?.value).toBeGreaterThan(99.9);
      expect(found.message).toMatch(/which feeds public\.numbered\.id \(integer\), has used 100 % of/);
    },
  },
  {
    check: 'sequence_runs_out',
    title: 'that feeds no column',
    async make({ primary }) {
      await run(
        primary,
        'create sequence "few ""left""" as smallint increment -1 minvalue -100 maxvalue -1 start -1',
        `select nextval('"few ""left"""') from generate_series(1, 81)`,
      );
      return () => run(primary, 'drop sequence "few ""left"""');
    },
    isIt: ({ object_name }) => object_name === 'public.few "left"',
    expect: (found) => expect(found).toMatchObject({ severity: 'warning', evidence: { last_value: '-81' } }),
  },
  ...(['transaction', 'multixact'] as const).map((kind): CheckScene => {
    const name = kind === 'transaction' ? 'xid' : 'mxid';
    return {
      check: `${kind}_ids_run_out`,
      make: async () => undefined,
      isIt: ({ database_name }) => database_name === 'postgres',
      feed: (readings) =>
        change(readings, 'pg_wraparound', () => ({
          [`${name}_age`]: 1_700_000_000,
          [`${name}_percent`]: 79.2,
        })),
      expect: (found) => {
        expect(found).toMatchObject({ severity: 'critical', figure: { value: 79.2 } });
        expect(found.message).toContain('is 1,700,000,000');
      },
    };
  }),
  {
    check: 'transaction_ids_run_out',
    title: 'held by a session',
    make: async () => undefined,
    isIt: ({ database_name }) => database_name === 'postgres',
    feed: (readings) =>
      change(readings, 'pg_wraparound', () => ({
        xid_age: 1_200_000_000,
        xid_percent: 55.9,
        holder_kind: 'session',
        holder: 'app report',
        holder_pid: 4_000_000,
        holder_xmin_age: 1_190_000_000,
      })),
    expect: (found) => {
      expect(found.severity).toBe('warning');
      expect(found.message).toMatch(/A session holds back vacuum: app report\.$/);
      expect(found.remedy).toContain('select pg_terminate_backend(4000000);');
    },
  },
  {
    check: 'disk_nearly_full',
    make: async () => undefined,
    isIt: ({ object_name }) => object_name === '/fed',
    feed: ({ readings }) => {
      const space = { total_space: 100 * GIB, used_space: 96 * GIB, free_space: 4 * GIB };
      const rows = [{ mount_point: '/fed', file_system: '/dev/vda1', ...space }];
      readings.set('pg_sys_disk_info', [{ database_name: '', collected_at: 0, rows }]);
    },
    remedy: async () => undefined,
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'critical', figure: { value: 96, promised: 80 } });
      expect(found.message).toBe('Volume "/fed" is 96 % full, with 4 GB free.');
    },
  },
  {
    check: 'temp_files_heavy',
    later: 2 * DAY_MS,
    make: async () => undefined,
    isIt: ({ database_name }) => database_name === 'postgres',
    feed: (readings) =>
      change(readings, 'pg_stat_database', () => ({ temp_files: 1000, temp_bytes: 60 * GIB })),
    expect: (found) => {
      expect(found.severity).toBe('info');
      // So long ago the statistics began, beside the two days.
      expect(found.figure?.value).toBeGreaterThan(28 * GIB);
      expect(found.figure?.value).toBeLessThanOrEqual(30 * GIB);
      expect(found.message).toContain('61.4 MB each. work_mem is 4 MB');
    },
    remedy: async ({ remedy }, { primary }) => {
      expect(remedy).toContain("alter system set work_mem = '122MB';");
      await (await set(primary, { work_mem: '122MB' }))();
    },
  },
  {
    check: 'temp_files_heavy',
    title: 'counted for minutes',
    make: async () => undefined,
    isIt: ({ database_name }) => database_name === 'postgres',
    feed: (readings) =>
      change(readings, 'pg_stat_database', () => ({
        ...{ temp_files: 100, temp_bytes: 3.5 * GIB },
        stats_reset: new Date(Date.now() - 18 * 60_000),
      })),
    expect: (found) => {
      expect(found.severity).toBe('warning');
      // What was written, and not what a day of it would be.
      expect(found.figure?.value).toBe(3.5 * GIB);
      expect(found.message).toMatch(
        /^Statements wrote 3\.5 GB of temporary files in 1[78] min( \d+ s)?, since 20[-0-9]+ [:0-9]+ UTC, /,
      );
    },
    remedy: async () => undefined,
  },
  {
    check: 'data_checksums_off',
    make: async () => undefined,
    isIt: () => true,
    // pg_checksums does not come with the servers of tests.
    feed: (readings) =>
      change(readings, 'pg_settings', (row) => (row.name === 'data_checksums' ? { setting: 'off' } : {})),
    remedy: async () => undefined,
    expect: (found) => expect(found).toMatchObject({ severity: 'info', object_name: 'data_checksums' }),
  },
  {
    check: 'checksum_failures',
    isDear: true,
    async make({ primary }) {
      await run(
        primary,
        'create table hurt (a text)',
        `insert into hurt select repeat('x', 100) from generate_series(1, 300)`,
        'checkpoint',
      );
      await damage(primary, 'hurt');
      await expect(primary.query('select * from hurt')).rejects.toThrow(/invalid page/);
      return undefined;
    },
    isIt: ({ database_name }) => database_name === 'postgres',
    expect: (found) => {
      expect(found.severity).toBe('critical');
      expect(found.figure?.value).toBeGreaterThanOrEqual(1);
      expect(found.evidence.checksum_last_failure).not.toBeNull();
    },
    async remedy({ remedy }, { primary }) {
      // Instead of a backup.
      await run(primary, 'drop table hurt');
      await run(primary, remedy);
    },
  },
  {
    check: 'checksum_failures',
    title: 'in a catalog that all databases share',
    isDear: true,
    // Servers before count what a session meets in its own database, and what a base backup meets as this does.
    from: 18,
    async make({ primary }) {
      await run(primary, `comment on database template1 is 'hurt'`, 'checkpoint');
      await damage(primary, 'pg_shdescription');
      await expect(primary.query('select * from pg_shdescription')).rejects.toThrow(/invalid page/);
      return undefined;
    },
    isIt: ({ object_name }) => object_name === 'shared catalogs',
    expect: (found) => {
      expect(found).toMatchObject({ severity: 'critical', database_name: '' });
      expect(found.figure?.value).toBeGreaterThanOrEqual(1);
    },
    // Instead of a backup and of 7 days.
    async remedy(_found, { primary }) {
      await damage(primary, 'pg_shdescription');
      await primary.shutdown();
      rmSync(path.join(primary.directory, 'pg_stat'), { recursive: true });
      mkdirSync(path.join(primary.directory, 'pg_stat'));
      await primary.start();
    },
  },
  {
    check: 'interrupted_drop_database',
    isDear: true,
    async make({ primary }) {
      await run(
        primary,
        'create database "half ""gone"""',
        `update pg_database set datconnlimit = -2 where datname = 'half "gone"'`,
      );
      return undefined;
    },
    isIt: ({ database_name }) => database_name === 'half "gone"',
    expect: (found) => {
      expect(found.severity).toBe('warning');
      expect(found.figure?.value).toBeGreaterThan(1024 ** 2);
    },
  },
];
