// query_datastore on a server of the test's own, where its role cannot be made. What it answers otherwise is in
// query-datastore.test.ts.

import { expect, it, onTestFinished } from 'vitest';
import { migrate } from '../../datastore/migrate.ts';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { startWholeApi } from '../../testing/rooms/whole.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { syncCatalogs } from '../../testing/servers/template.ts';

it('is not offered where the owner of the datastore may make no role, and the command that mends it is told', async () => {
  const server = await startCluster();
  onTestFinished(() => server.stop());
  await server.query(`create role keeper login password 'keep'`);
  await server.query('create database store owner keeper');
  const at = `postgres://keeper:keep@127.0.0.1:${server.port}/store`;
  await migrate(new Secret(at), silentLog);
  const db = new Database({ url: new Secret(at), log: silentLog, applicationName: 'matriarch test' });
  const database = { url: new Secret(at), db, name: 'store', close: () => db.stop() };
  await syncCatalogs(db);
  const own = await startWholeApi({ database });
  onTestFinished(() => own.close());
  const as = { token: own.actors.superuser.session };
  const names = async () => {
    const { body } = await own.call('GET /api/v1/mcp/tools', as);
    return Object(body).tools.map(({ name }: { name: string }) => name);
  };
  expect(await names()).not.toContain('query_datastore');
  const body = { name: 'query_datastore', arguments: { query: 'select 1' } };
  const refused = await own.call('POST /api/v1/mcp/tools/call', { ...as, body });
  const said = String(Object(refused.body).content[0].text);
  // That the command mends it is in query-role.kit.test.ts.
  expect([Object(refused.body).isError, said]).toEqual([
    true,
    expect.stringMatching(
      /keeper may not create roles\. A superuser of the datastore can fix it: create role \w+ login /,
    ),
  ]);
});
