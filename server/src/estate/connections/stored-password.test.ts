// Passwords that were there before: of an older version, and of the datastore that Matriarch brings.

import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { migrate } from '../../datastore/migrate.ts';
import { openVault, type Vault } from '../../identity/secrets/vault.service.ts';
import { systemClock } from '../../kernel/clock.ts';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { connectTarget } from '../../monitored/connect.ts';
import { makeConnection, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { testDatabase } from '../../testing/servers/database.ts';
import { startCluster, testDirectory } from '../../testing/servers/postgres.ts';
import { bindPasswords } from './bind-passwords.service.ts';
import { ensureEmbeddedConnection } from './embedded.service.ts';
import { passwordCell } from './stored-password.ts';
import { loadTargets } from './targets.service.ts';

const SECRET = 'canary-77aa-password';

const vaultOf = (db: Database, name: string) =>
  openVault({ db, keyFile: path.join(testDirectory(name), 'secret.key'), createIfMissing: true });
const targetOf = async (db: Database, vault: Vault, id: number) =>
  (await loadTargets(db, vault, { ids: [id], allow_private_networks: true }))[0];

describe('a password from before destinations were kept', () => {
  it('is bound to where its connection leads when the datastore is migrated', async () => {
    const { db, url, close } = await testDatabase();
    try {
      const vault = await vaultOf(db, 'migrated');
      const { user_id } = await makeUser(db);
      const [id, bare] = await Promise.all([1, 2].map(() => makeConnection(db, { owner_id: user_id })));
      if (id === undefined || bare === undefined) throw new Error('no connection');
      await db.run(sql`/* test.older */
        alter table matriarch.connections
          drop column password_destination, drop column password_entered_by, drop column password_entered_at`);
      await db.run(sql`/* test.older */
        delete from matriarch.migrations where name like '%_password_destination.sql'`);
      const sealed = await vault.seal(passwordCell(id), new Secret(SECRET));
      await db.run(sql`/* test.seal */
        update matriarch.connections set password_encrypted = ${sealed} where id = ${id}`);
      expect(await migrate(url, silentLog)).toEqual([
        expect.stringMatching(/^\d{4}_password_destination\.sql$/),
      ]);
      expect(await targetOf(db, vault, id)).toMatchObject({ settings: undefined });
      await Promise.all([1, 2].map(() => bindPasswords({ db, vault, log: silentLog })));
      expect((await targetOf(db, vault, id))?.settings?.password?.reveal()).toBe(SECRET);
      expect((await targetOf(db, vault, bare))?.settings).toMatchObject({ password: undefined });
      await db.run(sql`/* test.redirect */ update matriarch.connections set port = port + 1`);
      expect(await targetOf(db, vault, id)).toMatchObject({
        problem: expect.stringMatching(/Enter it again/),
      });
    } finally {
      await close();
    }
  });

  it('that does not open keeps no other from being bound', async () => {
    const { db, close } = await testDatabase();
    try {
      const vault = await vaultOf(db, 'broken');
      const { user_id } = await makeUser(db);
      const ids = [
        await makeConnection(db, { owner_id: user_id }),
        await makeConnection(db, { owner_id: user_id }),
      ];
      for (const id of ids) {
        const sealed = await vault.seal(passwordCell(ids.at(-1) ?? id), new Secret(SECRET));
        await db.run(sql`/* test.seal */
          update matriarch.connections
          set password_encrypted = ${sealed},
            password_destination = jsonb_build_object('host', host, 'hostaddr', hostaddr, 'port', port,
              'username', username, 'ssl_mode', ssl_mode, 'ssl_root_cert_path', ssl_root_cert_path)
          where id = ${id}`);
      }
      await bindPasswords({ db, vault, log: silentLog });
      const targets = await loadTargets(db, vault, { ids, allow_private_networks: true });
      expect(targets.map(({ settings }) => settings?.password?.reveal())).toEqual([undefined, SECRET]);
      expect(targets[0]?.problem).toMatch(/cannot be decrypted/);
    } finally {
      await close();
    }
  });
});

describe('the datastore that Matriarch brings', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi({ rooms: [connectionsRoom] });
  });
  afterAll(() => api.close());

  it('is where it is: its connection leads nowhere else, with or without a password', async () => {
    const { superuser } = api.actors;
    const id = await makeConnection(api.db, { owner_id: superuser.user_id });
    await api.db.run(
      sql`/* test.embedded */ update matriarch.connections set is_embedded = true where id = ${id}`,
    );
    const put = (body: object) =>
      api.call(`PUT /api/v1/connections/${id}`, { token: superuser.session, body });
    for (const change of [
      { host: '127.0.0.2', password: SECRET },
      { hostaddr: '127.0.0.2', password: SECRET },
      { username: 'postgres' },
      { ssl_root_cert_path: '/etc/ca.pem' },
      { password: SECRET },
    ]) {
      const answer = await put(change);
      expect([answer.status, answer.error]).toEqual([400, expect.stringMatching(/own datastore/)]);
    }
    expect((await put({ name: 'ours', host: '127.0.0.1', password: '' })).status).toBe(200);
  });

  it('gets its new password at each start, and nobody else does', async () => {
    await using cluster = await startCluster();
    const url = new Secret(cluster.url);
    await migrate(url, silentLog);
    const db = new Database({ url, log: silentLog, applicationName: 'matriarch test', max: 4 });
    try {
      const vault = await vaultOf(db, 'embedded');
      const { user_id } = await makeUser(db);
      const server = { host: cluster.host, port: cluster.port, database: 'postgres' };
      const ensure = () =>
        ensureEmbeddedConnection({
          db,
          vault,
          log: silentLog,
          clock: systemClock,
          owner_id: user_id,
          server,
        });
      const id = await ensure();
      if (id === undefined) throw new Error('no connection');
      await db.run(sql`/* test.redirect */
        update matriarch.connections
        set hostaddr = '127.0.0.2', username = 'postgres', ssl_mode = 'verify-full', ssl_root_cert_path = '/etc/x'`);
      expect(await targetOf(db, vault, id)).toMatchObject({ settings: undefined });
      expect(await ensure()).toBe(id);
      const target = await targetOf(db, vault, id);
      expect(target?.settings).toMatchObject({
        host: cluster.host,
        hostaddr: undefined,
        username: 'matriarch_monitor',
        ssl_mode: 'disable',
        ssl_root_cert_path: undefined,
      });
      if (!target?.settings) throw new Error('no settings');
      const client = await connectTarget({
        ...target.settings,
        application_name: 'test',
        connect_timeout_ms: 5000,
        statement_timeout_ms: 5000,
      });
      expect(client.server_version_num).toBeGreaterThan(140000);
      await client.close();
    } finally {
      await db.stop();
    }
  });
});
