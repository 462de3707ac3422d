// The context of a connection over HTTP: what was collected, each part absent where nobody collected it.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeConnection } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { type CollectedRun, collected } from '../../testing/store/collected.ts';

let test: TestApi;
let id: number;
beforeAll(async () => {
  test = await startTestApi({ rooms: [connectionsRoom] });
});
afterAll(() => test.close());
beforeEach(async () => {
  id = await makeConnection(test.db, {
    owner_id: test.actors.owner.user_id,
    name: `orders ${Math.random()}`,
  });
});

const get = () => test.call(`GET /api/v1/connections/${id}/context`, { token: test.actors.owner.session });
const store = (...runs: Omit<CollectedRun, 'connection_id'>[]) =>
  collected(test.db, ...runs.map((run) => ({ ...run, connection_id: id })));

const setting = (name: string, value: string | null, of: { boot: string; unit?: string }) => ({
  name,
  setting: value,
  boot_val: of.boot,
  unit: of.unit ?? null,
});
const value = (field: string, said: unknown) => ({ kind: 'value', field, value: said, source: 'local' });

it('holds the name alone where nothing was collected, and what could not be read', async () => {
  const bare = { connection_id: id, server_name: expect.stringMatching(/^orders /) };
  expect((await get()).body).toEqual(bare);
  await store(
    { probe: 'pg_settings', failed: 'gone' },
    { probe: 'pg_extension', database_name: 'a', skipped: { reason: 'no', mend: null } },
    { probe: 'host', rows: [{ kind: 'source', source: 'local', status: 'unavailable' }] },
  );
  expect((await get()).body).toEqual(bare);
});

it('holds version, changed settings with their unit, extensions of all databases and the machine', async () => {
  const extension = (extname: string) => ({ extname, extversion: '1.0', schema_name: 'public' });
  const extensions = (database_name: string, ...names: string[]) => ({
    probe: 'pg_extension',
    database_name,
    history_by: ['extname'],
    rows: names.map(extension),
  });
  await store(
    {
      probe: 'pg_server_info',
      history_by: [],
      rows: [
        {
          version: 'PostgreSQL 18.4 on x',
          server_version_num: 180_004,
          max_connections: 60,
          data_directory: null,
        },
      ],
    },
    {
      probe: 'pg_settings',
      history_by: ['name'],
      rows: [
        setting('jit', 'on', { boot: 'on' }),
        setting('primary_conninfo', '********', { boot: '' }),
        setting('shared_buffers', '16384', { boot: '1', unit: '8kB' }),
        setting('work_mem', '7168', { boot: '4096', unit: 'kB' }),
      ],
    },
    extensions('a', 'plpgsql', 'hstore'),
    extensions('b', 'plpgsql', 'Zeta'),
    extensions('template1', 'hidden'),
    {
      probe: 'host',
      rows: [
        { kind: 'source', source: 'local', status: 'ok' },
        value('os_name', 'Debian'),
        value('cpu_logical', 16),
        value('memory_total_bytes', 33_554_432_000),
        value('disks', [{ mount_point: '/', total_bytes: 7, filesystem_type: null }]),
        value('cpu_cores', null),
      ],
    },
  );
  test.statements.reset();
  const { status, body } = await get();
  expect([status, body]).toEqual([
    200,
    {
      connection_id: id,
      server_name: expect.any(String),
      postgresql: {
        version: 'PostgreSQL 18.4 on x',
        version_num: 180_004,
        max_connections: 60,
        installed_extensions: ['Zeta', 'hstore', 'plpgsql'],
        settings: { primary_conninfo: '********', shared_buffers: '131072 kB', work_mem: '7168 kB' },
      },
      system: {
        os_name: 'Debian',
        cpu: { logical_processors: 16 },
        memory: { total_bytes: 33_554_432_000 },
        disks: [{ mount_point: '/', total_bytes: 7 }],
      },
    },
  ]);
  expect(test.statements.sent).toHaveLength(2);
});
