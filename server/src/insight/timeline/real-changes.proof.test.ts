// Changes that the test makes on real servers, read by the real collector and told by the API: a settings change and
// reload, a rule of pg_hba.conf, a mapping of pg_ident.conf, an extension, a restart. Guards: each is told once, with what
// it was before, and no secret with it.

import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import type { Static } from '../../kernel/schema.ts';
import { sql } from '../../kernel/sql.ts';
import { makeSession } from '../../testing/access/actors.ts';
import { startTestApi } from '../../testing/api.ts';
import type { Collecting } from '../../testing/collecting.ts';
import { newHouse } from '../../testing/collecting-tests.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { startCluster, type TestCluster } from '../../testing/servers/postgres.ts';
import { promote, replicatingServer, startStandby, stopAtEnd } from '../../testing/servers/server-sets.ts';
import { rename } from '../../testing/store/topology-seen.ts';
import type { TimelineResult } from './timeline.contract.ts';
import { timelineRoutes } from './timeline.routes.ts';

type Result = Static<typeof TimelineResult>;

const MINUTE = { timeout: 60_000, interval: 100 };
/** Resolves when the family was read again after the time now. */
async function objectsAnew(house: Collecting, id: number): Promise<void> {
  const after = systemClock.now();
  await house.db.run(sql`/* test.edit */
    update matriarch.connections set revision = revision + 1 where id = ${id}`);
  const times = async () => {
    const all = ['pg_stat_all_tables', 'pg_stat_all_indexes'];
    const runs = await Promise.all(all.map((probe) => house.snapshot(id, probe, 'postgres')));
    return runs.every((run) => Date.parse(run?.collected_at ?? '') > after);
  };
  await expect.poll(times, MINUTE).toBe(true);
}

const PROBES = ['pg_settings', 'pg_hba_file_rules', 'pg_ident_file_mappings', 'pg_server_info'];
const RULE = 'host shop ada 10.1.0.0/16 scram-sha-256';

/** Waits until each was read after the time now. */
async function readAnew(house: Collecting, id: number): Promise<void> {
  const after = systemClock.now();
  await house.db.run(sql`/* test.edit */
    update matriarch.connections set revision = revision + 1 where id = ${id}`);
  const times = async () => {
    const runs = [
      ...PROBES.map((probe) => house.snapshot(id, probe)),
      house.snapshot(id, 'pg_extension', 'postgres'),
      house.snapshot(id, 'pg_node_role'),
    ];
    return (await Promise.all(runs)).map((run) => Date.parse(run?.collected_at ?? '') > after);
  };
  await expect.poll(times, MINUTE).toEqual(Array.from({ length: PROBES.length + 2 }, () => true));
}

const fileOf = ({ directory }: TestCluster, name: string) => path.join(directory, name);

async function startOf(server: TestCluster): Promise<string> {
  const [row] = await server.query(`select to_char(pg_postmaster_start_time() at time zone 'UTC',
    'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`);
  return String(row?.at);
}

it('real changes are told, each once, with what was before', { timeout: 180_000 }, async () => {
  const house = await newHouse();
  const api = await startTestApi({ rooms: [connectionsRoom, timelineRoutes], db: house.db });
  onTestFinished(() => api.close());
  const token = await makeSession(house.db, 1);
  const server = await stopAtEnd(startCluster());
  const id = await house.connect(server);
  await rename(house.db, id, 'orders');
  house.start();
  await readAnew(house, id);
  const from = new Date(systemClock.now()).toISOString();
  const timeline = async (more = ''): Promise<Result> => {
    const to = new Date(systemClock.now() + 60_000).toISOString();
    const { text } = await api.call(`GET /api/v1/timeline/events?start_time=${from}&end_time=${to}${more}`, {
      token,
    });
    return JSON.parse(text);
  };
  expect(await timeline()).toEqual({ events: [], total_count: 0 });

  await server.query(`alter system set work_mem = '7MB'`);
  await server.query(`alter system set primary_conninfo = 'host=h password=topsecret'`);
  const hba = readFileSync(fileOf(server, 'pg_hba.conf'), 'utf8');
  writeFileSync(fileOf(server, 'pg_hba.conf'), `${hba.trimEnd()}\n${RULE}\n`);
  appendFileSync(fileOf(server, 'pg_ident.conf'), 'staff ada@example.com orders\n');
  await server.query('select pg_reload_conf()');
  await server.query('create extension pg_stat_statements');
  await readAnew(house, id);

  const { events } = await timeline();
  const of = (type: string) => events.filter(({ event_type }) => event_type === type);
  expect(of('config_change')).toMatchObject([
    {
      server_name: 'orders',
      details: {
        change_count: 2,
        changes: [
          { name: 'primary_conninfo', old_value: '', new_value: '********', change_type: 'modified' },
          { name: 'work_mem', old_value: '4096', new_value: '7168', change_type: 'modified' },
        ],
      },
    },
  ]);
  expect(of('hba_change')).toMatchObject([
    {
      details: {
        change_count: 1,
        changes: [
          {
            type: 'host',
            database: 'shop',
            user_name: 'ada',
            address: '10.1.0.0/16',
            auth_method: 'scram-sha-256',
          },
        ],
      },
    },
  ]);
  expect(of('ident_change')).toMatchObject([
    {
      details: {
        mapping_count: 1,
        mappings: [
          {
            map_number: 1,
            map_name: 'staff',
            sys_name: 'ada@example.com',
            pg_username: 'orders',
            change_type: 'added',
          },
        ],
      },
    },
  ]);
  const [installed] = await server.query(
    `select extversion from pg_extension where extname = 'pg_stat_statements'`,
  );
  expect(of('extension_change')).toMatchObject([
    {
      details: {
        changes: [
          {
            name: 'pg_stat_statements',
            version: installed?.extversion,
            database: 'postgres',
            change_type: 'added',
          },
        ],
      },
    },
  ]);
  expect(events).toHaveLength(4);
  expect(JSON.stringify(events)).not.toContain('topsecret');

  const before = await startOf(server);
  await server.shutdown();
  await server.start();
  const started = await startOf(server);
  expect(started).not.toBe(before);
  await readAnew(house, id);
  const restarts = await timeline('&event_types=restart');
  expect(restarts).toMatchObject({
    total_count: 1,
    events: [{ severity: 'warning', details: { is_in_recovery: false, primary_role: 'standalone' } }],
  });
  const { previous_start_time, new_start_time } = Object(restarts.events[0]?.details);
  const moment = (text: unknown) => Temporal.Instant.from(String(text)).epochNanoseconds;
  expect([moment(previous_start_time), moment(new_start_time)]).toEqual([moment(before), moment(started)]);

  const { body } = await api.call(`GET /api/v1/connections/${id}/context`, { token });
  expect(body).toMatchObject({
    connection_id: id,
    server_name: 'orders',
    postgresql: {
      version_num:
        180_000 +
        Number(/\.(\d+)/.exec(String((await server.query('show server_version'))[0]?.server_version))?.[1]),
      max_connections: 200,
      installed_extensions: ['pg_stat_statements', 'plpgsql'],
      settings: { work_mem: '7168 kB', primary_conninfo: '********' },
    },
  });
  expect(body).not.toHaveProperty('system');
});

it('on request also a promotion, tables and indexes made and dropped, and settings of a role', {
  timeout: 180_000,
}, async () => {
  const house = await newHouse();
  const api = await startTestApi({ rooms: [connectionsRoom, timelineRoutes], db: house.db });
  onTestFinished(() => api.close());
  const token = await makeSession(house.db, 1);
  const primary = await stopAtEnd(replicatingServer());
  const standby = await stopAtEnd(startStandby(primary));
  await primary.query('create table kept (id integer primary key)');
  await primary.query('create index kept_id_idx on kept (id)');
  const [a, b] = [await house.connect(primary), await house.connect(standby)];
  await rename(house.db, a, 'orders-a');
  await rename(house.db, b, 'orders-b');
  house.start();
  await readAnew(house, a);
  await readAnew(house, b);
  await objectsAnew(house, a);
  const from = new Date(systemClock.now()).toISOString();
  const timeline = async (more = ''): Promise<Result> => {
    const to = new Date(systemClock.now() + 60_000).toISOString();
    const path = `/api/v1/timeline/events?start_time=${from}&end_time=${to}&include=changes${more}`;
    const { status, text } = await api.call(`GET ${path}`, { token });
    expect([status, text]).toEqual([200, expect.any(String)]);
    return JSON.parse(text);
  };
  // The view of the role's settings is read, too.
  await primary.query('create role reporting');
  await primary.query(`alter role reporting set work_mem = '64MB'`);
  await primary.query('create table fresh (id integer)');
  await primary.query('create index fresh_id_idx on fresh (id)');
  await primary.query('drop index kept_id_idx');
  await objectsAnew(house, a);
  await readAnew(house, a);
  const flushed = async () => (await timeline(`&connection_id=${a}`)).events.map(({ title }) => title).sort();
  await expect
    .poll(flushed, MINUTE)
    .toEqual([
      'Index fresh_id_idx made',
      'Index kept_id_idx dropped',
      'Setting of a role or database changed',
      'Table fresh made',
    ]);
  const { events } = await timeline(`&connection_id=${a}`);
  const detailsOf = (type: string) => events.find(({ event_type }) => event_type === type)?.details;
  expect(detailsOf('index_dropped')).toEqual({
    change_count: 1,
    changes: [
      { database: 'postgres', schema: 'public', table: 'kept', index: 'kept_id_idx', change_type: 'removed' },
    ],
  });
  expect(detailsOf('table_made')).toEqual({
    change_count: 1,
    changes: [{ database: 'postgres', schema: 'public', table: 'fresh', change_type: 'added' }],
  });
  expect(detailsOf('role_setting_change')).toEqual({
    change_count: 1,
    changes: [
      {
        name: 'work_mem',
        role: 'reporting',
        database: null,
        old_value: null,
        new_value: '64MB',
        change_type: 'added',
      },
    ],
  });
  await primary.kill();
  await promote(standby);
  await readAnew(house, b);
  expect(await timeline(`&connection_id=${b}&event_types=role_change`)).toMatchObject({
    total_count: 1,
    events: [
      {
        title: 'Promoted to primary',
        severity: 'warning',
        details: { previous_role: 'standby', new_role: 'primary' },
      },
    ],
  });
});
