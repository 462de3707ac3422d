import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { flushRosters } from '../../store/write/writer.queries.ts';
import { makeConnection } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { type CollectedRun, collected } from '../../testing/store/collected.ts';
import { statementsOf } from '../../testing/store/statements.ts';
import { KEY_SETTINGS } from './server-info.contract.ts';
import { serverInfoRoutes } from './server-info.routes.ts';

const routes = serverInfoRoutes({ analysis: { getServerAiAnalysis: async () => null } });

let test: TestApi;
let id: number;
let token: string;
beforeAll(async () => {
  test = await startTestApi({ rooms: [() => routes] });
  token = test.actors.owner.session;
});
afterAll(() => test.close());
beforeEach(async () => {
  id = await makeConnection(test.db, { owner_id: test.actors.owner.user_id });
});

const T0 = Date.parse('2026-01-02T03:04:05.678Z');
const get = (path: string | number) => test.call(`GET /api/v1/server-info/${path}`, { token });
const store = (...runs: Omit<CollectedRun, 'connection_id'>[]) =>
  collected(test.db, ...runs.map((run) => ({ at: T0, ...run, connection_id: id })));

const EMPTY = {
  collected_at: null,
  system: {
    os_name: null,
    os_version: null,
    architecture: null,
    hostname: null,
    cpu_model: null,
    cpu_cores: null,
    cpu_logical: null,
    cpu_clock_speed: null,
    memory_total_bytes: null,
    memory_used_bytes: null,
    memory_free_bytes: null,
    swap_total_bytes: null,
    swap_used_bytes: null,
    disks: [],
  },
  postgresql: {
    version: null,
    cluster_name: null,
    data_directory: null,
    max_connections: null,
    max_wal_senders: null,
    max_replication_slots: null,
  },
  databases: [],
  extensions: [],
  key_settings: [],
  sections_collected_at: {
    system: null,
    postgresql: null,
    databases: null,
    extensions: null,
    key_settings: null,
  },
};

const database = (datname: string, over: object = {}) => ({
  datname,
  oid: 5,
  encoding: 'UTF8',
  datistemplate: false,
  datallowconn: true,
  datconnlimit: -1,
  database_size_bytes: 7_600_000,
  ...over,
});
const extension = (extname: string, extversion = '1.0', schema_name = 'public') => ({
  extname,
  extversion,
  extrelocatable: true,
  schema_name,
});
const extensions = (database_name: string, rows: object[], at = T0) => ({
  probe: 'pg_extension',
  database_name,
  at,
  rows: rows.map((row) => ({ ...row })),
  history_by: ['extname'],
});
const SETTINGS = [...KEY_SETTINGS.toReversed(), 'application_name', 'zero_damaged_pages'].map((name) => ({
  name,
  setting: `value of ${name}`,
  unit: name.endsWith('_mem') ? 'kB' : null,
  category: 'A / B',
  context: 'user',
}));
const settings = (rows: object[], at = T0) => ({
  probe: 'pg_settings',
  at,
  rows: rows.map((row) => ({ ...row })),
  history_by: ['name'],
});
const SERVER = {
  version: 'PostgreSQL 18.4 on x86_64-pc-linux-gnu',
  server_version: '18.4',
  server_version_num: 180004,
  cluster_name: 'orders',
  data_directory: '/srv/pg',
  max_connections: 100,
  max_wal_senders: 10,
  max_replication_slots: 11,
  is_in_recovery: false,
};
const server = (at = T0) => ({ probe: 'pg_server_info', at, rows: [SERVER], history_by: [] });
const DISKS = [
  { mount_point: '/', filesystem_type: 'ext4', total_bytes: 100, used_bytes: 40, free_bytes: 55 },
];
const fact = (field: string, value: unknown) => ({
  kind: 'value',
  field,
  value,
  source: 'local',
  observed_at: '2026-01-02T03:04:05.000Z',
});
const HOST = [
  fact('hostname', 'db1'),
  fact('cpu_cores', 8),
  fact('memory_total_bytes', 33_554_432_000),
  fact('node_memory_total_bytes', 99),
  fact('cgroup_cpu_limit', 1.5),
  fact('disks', DISKS),
  { kind: 'source', source: 'local', status: 'ok', reason: null, mend: null },
];

describe('server information', () => {
  it('of a connection nothing was collected from is empty, with every object there', async () => {
    const answer = await get(id);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ connection_id: id, ...EMPTY });
  });

  it('has everything that was collected, and nothing else', async () => {
    await store(
      server(),
      {
        probe: 'pg_database',
        rows: [database('orders', { datconnlimit: 20 }), database('Billing', { encoding: 'LATIN1' })],
      },
      extensions('orders', [extension('plpgsql', '1.0', 'pg_catalog'), extension('citext', '1.6')]),
      extensions('Billing', [extension('plpgsql', '1.0', 'pg_catalog')]),
      settings(SETTINGS),
      { probe: 'host', rows: HOST },
      { probe: 'pg_connectivity', rows: [{ response_time_ms: 0.4 }] },
    );
    expect((await get(id)).body).toEqual({
      connection_id: id,
      collected_at: '2026-01-02T03:04:05.678Z',
      system: {
        ...EMPTY.system,
        hostname: 'db1',
        cpu_cores: 8,
        memory_total_bytes: 33_554_432_000,
        disks: DISKS,
      },
      postgresql: {
        version: SERVER.version,
        cluster_name: 'orders',
        data_directory: '/srv/pg',
        max_connections: 100,
        max_wal_senders: 10,
        max_replication_slots: 11,
      },
      databases: [
        {
          name: 'Billing',
          size_bytes: 7_600_000,
          encoding: 'LATIN1',
          connection_limit: -1,
          extensions: ['plpgsql'],
        },
        {
          name: 'orders',
          size_bytes: 7_600_000,
          encoding: 'UTF8',
          connection_limit: 20,
          extensions: ['citext', 'plpgsql'],
        },
      ],
      extensions: [
        { name: 'plpgsql', version: '1.0', schema: 'pg_catalog', database: 'Billing' },
        { name: 'citext', version: '1.6', schema: 'public', database: 'orders' },
        { name: 'plpgsql', version: '1.0', schema: 'pg_catalog', database: 'orders' },
      ],
      key_settings: KEY_SETTINGS.map((name) => ({
        name,
        setting: `value of ${name}`,
        ...(name.endsWith('_mem') ? { unit: 'kB' } : {}),
        category: 'A / B',
      })),
      sections_collected_at: {
        system: '2026-01-02T03:04:05.678Z',
        postgresql: '2026-01-02T03:04:05.678Z',
        databases: '2026-01-02T03:04:05.678Z',
        extensions: '2026-01-02T03:04:05.678Z',
        key_settings: '2026-01-02T03:04:05.678Z',
      },
    });
  });

  it('takes collected_at from whichever section is newest', async () => {
    const at = (minutes: number) => T0 + minutes * 60_000;
    await store({ probe: 'pg_connectivity', rows: [{ response_time_ms: 1 }], at: at(99) });
    expect((await get(id)).body).toMatchObject({ collected_at: null });
    await store({ probe: 'host', rows: HOST, at: at(1) });
    expect((await get(id)).body).toMatchObject({ collected_at: '2026-01-02T03:05:05.678Z' });
    const runs = [
      server(at(2)),
      { probe: 'pg_database', rows: [database('a')], at: at(3) },
      extensions('a', [], at(4)),
      settings(SETTINGS, at(5)),
      { probe: 'host', rows: HOST, at: at(6) },
    ];
    for (const run of runs) {
      await store(run);
      expect((await get(id)).body).toMatchObject({ collected_at: new Date(run.at).toISOString() });
    }
  });

  it('says of when each section is, of several databases the oldest', async () => {
    const at = (minutes: number) => T0 + minutes * 60_000;
    const time = (minutes: number) => new Date(at(minutes)).toISOString();
    await store(
      server(at(2)),
      { probe: 'pg_database', rows: [database('a')], at: at(3) },
      extensions('a', [], at(4)),
      extensions('b', [], at(1)),
      settings(SETTINGS, at(5)),
    );
    await store({ probe: 'pg_database', at: at(9), failed: 'The statement took too long.' });
    expect((await get(id)).body).toMatchObject({
      collected_at: time(5),
      sections_collected_at: {
        system: null,
        postgresql: time(2),
        databases: time(3),
        extensions: time(1),
        key_settings: time(5),
      },
    });
  });

  it('keeps old facts when newer runs fail, and their time', async () => {
    await store(server(), { probe: 'pg_database', rows: [database('a')] });
    await store(
      { probe: 'pg_database', at: T0 + 5000, failed: 'The statement took too long.' },
      { probe: 'pg_server_info', at: T0 + 5000, failed: 'The statement took too long.' },
    );
    expect((await get(id)).body).toMatchObject({
      collected_at: '2026-01-02T03:04:05.678Z',
      databases: [{ name: 'a' }],
      postgresql: { max_connections: 100 },
    });
  });

  it('never shows template databases or what is in them', async () => {
    const template = { datistemplate: true };
    await store(
      {
        probe: 'pg_database',
        rows: [
          database('template0', { ...template, datallowconn: false }),
          database('template1', template),
          database('blueprint', template),
          database('postgres'),
        ],
      },
      extensions('template1', [extension('plpgsql')]),
      extensions('postgres', [extension('plpgsql')]),
    );
    const { body, text } = await get(id);
    expect(body).toMatchObject({ databases: [{ name: 'postgres' }], extensions: [{ database: 'postgres' }] });
    expect(text).not.toMatch(/template|blueprint/);
  });

  it('lists a database that could not be entered, and one whose size may not be known', async () => {
    await store(
      { probe: 'pg_database', rows: [database('payroll', { database_size_bytes: null }), database('shop')] },
      {
        probe: 'pg_extension',
        database_name: 'payroll',
        skipped: { reason: 'The role may not connect.', mend: 'grant connect on database payroll to m;' },
      },
      extensions('shop', [extension('plpgsql')]),
    );
    expect((await get(id)).body).toMatchObject({
      databases: [
        { name: 'payroll', size_bytes: null, extensions: [] },
        { name: 'shop', size_bytes: 7_600_000, extensions: ['plpgsql'] },
      ],
    });
  });

  it('follows changes: a new version of an extension, one that is gone, another setting', async () => {
    await store(extensions('a', [extension('postgis', '3.4'), extension('citext')]), settings(SETTINGS));
    const changed = SETTINGS.map((row) => (row.name === 'work_mem' ? { ...row, setting: '8192' } : row));
    await store(extensions('a', [extension('postgis', '3.5')], T0 + 1000), settings(changed, T0 + 1000));
    expect((await get(id)).body).toMatchObject({
      extensions: [{ name: 'postgis', version: '3.5', database: 'a' }],
      key_settings: expect.arrayContaining([
        { name: 'work_mem', setting: '8192', unit: 'kB', category: 'A / B' },
      ]),
    });
  });

  it('leaves out settings the server does not have, and keeps the order of the rest', async () => {
    const fewer = SETTINGS.filter(({ name }) => name !== 'max_parallel_workers');
    await store(settings(fewer));
    const { body } = await get(id);
    expect(body).toMatchObject({
      key_settings: KEY_SETTINGS.filter((name) => name !== 'max_parallel_workers').map((name) => ({ name })),
    });
  });

  it('carries sizes that JavaScript cannot count', async () => {
    await store({
      probe: 'pg_database',
      rows: [database('vast', { database_size_bytes: '9223372036854775807' })],
    });
    expect((await get(id)).text).toContain('"size_bytes":9223372036854775807');
  });

  it('carries any name a server may have', async () => {
    const names = ['"; drop table x; --', "it's", '\u202egnp', '$$', '%s', '<b>', '🐘', ' '];
    await store(
      { probe: 'pg_database', rows: names.map((name) => database(name)) },
      ...names.map((name) => extensions(name, [extension('plpgsql')])),
    );
    const { body } = await get(id);
    const sorted = names.toSorted().map((name) => ({ name, extensions: ['plpgsql'] }));
    expect(body).toMatchObject({ databases: sorted });
  });

  it('takes two statements, sign-in included, whether something has changed or not', async () => {
    const later = { ...SERVER, max_connections: 7 };
    const sent = () => statementsOf(test.database, () => get(id));
    await store(server(), settings(SETTINGS), { probe: 'pg_database', rows: [database('a')] });
    expect(await sent()).toEqual(['access.presented', 'server_info.get']);
    expect(await sent()).toEqual(['access.presented', 'server_info.get']);
    await store({ ...server(T0 + 1000), rows: [later] });
    expect(await sent()).toEqual(['access.presented', 'server_info.get']);
  });
});

describe('server information that was asked for before', () => {
  const AT = T0 + 60_000;
  const stored = () =>
    store(
      server(),
      settings(SETTINGS),
      { probe: 'pg_database', rows: [database('a'), database('b')] },
      extensions('a', [extension('plpgsql')]),
      extensions('b', [extension('plpgsql')]),
      { probe: 'host', rows: [fact('hostname', 'before')] },
    );

  it.each<[string, () => Omit<CollectedRun, 'connection_id'>, object]>([
    [
      'the server',
      () => ({ ...server(AT), rows: [{ ...SERVER, max_connections: 7 }] }),
      { postgresql: { max_connections: 7 } },
    ],
    [
      'a setting',
      () =>
        settings(
          SETTINGS.map((row) => ({ ...row, ...(row.name === 'work_mem' && { setting: 'other' }) })),
          AT,
        ),
      {
        key_settings: expect.arrayContaining([
          expect.objectContaining({ name: 'work_mem', setting: 'other' }),
        ]),
      },
    ],
    [
      'an extension',
      () => extensions('b', [extension('plpgsql', '2.0')], AT),
      {
        extensions: [
          { database: 'a', version: '1.0' },
          { database: 'b', version: '2.0' },
        ],
      },
    ],
    [
      'an extension that was dropped',
      () => extensions('b', [], AT),
      { extensions: [{ database: 'a' }], databases: [{ extensions: ['plpgsql'] }, { extensions: [] }] },
    ],
    [
      'a database',
      () => ({ probe: 'pg_database', at: AT, rows: [database('a', { database_size_bytes: 9 })] }),
      { databases: [{ name: 'a', size_bytes: 9 }] },
    ],
    [
      'the machine',
      () => ({ probe: 'host', at: AT, rows: [fact('hostname', 'after')] }),
      { system: { hostname: 'after' } },
    ],
    ['nothing but the time', () => server(AT), { collected_at: new Date(AT).toISOString() }],
  ])('is answered with what has changed since: %s', async (_what, run, expected) => {
    await stored();
    const before = (await get(id)).body;
    expect((await get(id)).body).toEqual(before);
    await store(run());
    const after = (await get(id)).body;
    expect(after).not.toEqual(before);
    expect(after).toMatchObject(expected);
  });

  it('no longer has what belongs to a database that was dropped', async () => {
    await stored();
    expect((await get(id)).body).toMatchObject({ extensions: [{ database: 'a' }, { database: 'b' }] });
    await test.db.run(flushRosters([{ connection_id: id, epoch: 1, at: AT, databases: ['a'] }]));
    expect((await get(id)).body).toMatchObject({ extensions: [{ database: 'a' }] });
  });

  it('is refused as soon as access is withdrawn', async () => {
    await stored();
    await test.db.run(
      sql`/* test.share */ update matriarch.connections set is_shared = true where id = ${id}`,
    );
    const asReader = () => test.call(`GET /api/v1/server-info/${id}`, { token: test.actors.other.session });
    expect((await asReader()).status).toBe(200);
    await test.db.run(
      sql`/* test.share */ update matriarch.connections set is_shared = false where id = ${id}`,
    );
    expect((await asReader()).status).toBe(403);
  });
});
