// matriarch key replace: what is lost with the secret key file is listed, given up only with --yes, and said where it is needed again.
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { namesWithPassword } from '../estate/connections/connections.queries.ts';
import { passwordCell } from '../estate/connections/stored-password.ts';
import { openVault } from '../identity/secrets/vault.service.ts';
import { systemClock } from '../kernel/clock.ts';
import { loadConfig } from '../kernel/config.ts';
import { newKey } from '../kernel/crypto.ts';
import { Fault } from '../kernel/errors.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { makeConnection, makeUser } from '../testing/access/actors.ts';
import { type TestDatabase, testDatabase } from '../testing/servers/database.ts';
import { testDirectory } from '../testing/servers/postgres.ts';
import { runCli } from './cli.ts';
import { settings } from './settings.ts';

const keyFile = path.join(testDirectory('key-replace'), 'secret.key');
let test: TestDatabase;
let cell: ReturnType<typeof passwordCell>;
let sealed: Buffer;
let owner: string;
const open = () => openVault({ db: test.db, keyFile, createIfMissing: true });

async function run(...args: string[]) {
  const lines: string[] = [];
  const io = {
    out: (line: string) => lines.push(line),
    err: (line: string) => lines.push(line),
    interactive: false,
    readSecret: () => Promise.resolve(new Secret('')),
    db: () => Promise.resolve(test.db),
    migrate: () => Promise.resolve([]),
    clock: systemClock,
    log: silentLog,
    config: () => loadConfig({ settings, argv: [], env: { MATRIARCH_SECRET_KEY_FILE: keyFile } }),
  };
  return { code: await runCli(io, ['key', 'replace', ...args]), said: lines.join('\n') };
}

beforeAll(async () => {
  test = await testDatabase();
  const { user_id, username } = await makeUser(test.db);
  const id = await makeConnection(test.db, { owner_id: user_id, name: 'Orders\u001b[31m' });
  await makeConnection(test.db, { owner_id: user_id, name: 'without a password' });
  cell = passwordCell(id);
  const vault = await open();
  sealed = await vault.seal(cell, new Secret('canary-11bb'));
  await test.db.run(sql`/* test.password */
    update matriarch.connections
    set password_encrypted = ${sealed}, password_destination = '{}' where id = ${id}`);
  const channel = await test.db.one<{ id: number }>(sql`/* test.channel */
    insert into matriarch.notification_channels (channel_type, name) values ('slack', 'on call') returning id`);
  const secret = await vault.seal(cell, new Secret('canary-22cc'));
  await test.db.run(sql`/* test.secret */
    insert into matriarch.notification_channel_secrets (channel_id, name, sealed, destination)
    values (${channel.id}, 'webhook_url', ${secret}, '')`);
  await test.db.run(sql`/* test.factor */
    insert into matriarch.second_factors (user_id, sealed_key, created_at, confirmed_at)
    select id, ${secret}, now(), now() from matriarch.users where id = ${user_id}`);
  owner = username;
});
afterAll(() => test.close());

describe('while the key file opens what is stored', () => {
  it.each([[[]], [['--yes']]])('refuses to give it up: %j', async (args) => {
    const { code, said } = await run(...args);
    expect([code, said]).toEqual([1, expect.stringMatching(/opens the stored secrets: it is not lost/)]);
    expect((await (await open()).open(cell, sealed)).reveal()).toBe('canary-11bb');
  });
});

describe.each(['missing', 'another'])('with a key file that is %s', (kind) => {
  const kept = `${keyFile}.kept`;
  beforeEach(() => {
    renameSync(keyFile, kept);
    if (kind === 'another') writeFileSync(keyFile, newKey().toString('base64'), { mode: 0o600 });
    return () => renameSync(kept, keyFile);
  });

  it('lists what has to be entered again, changes nothing, and names the way on', async () => {
    const refused = await open().catch((error: unknown) => String(error));
    expect(refused).toMatch(/lost for good, .*key replace/);
    const { code, said } = await run();
    expect(code).toBe(1);
    expect(said.split('\n')).toEqual([
      'Connections whose password has to be entered again (1):',
      '  Orders?[31m',
      'Notification channels whose secrets have to be entered again (1):',
      '  on call',
      'Users who need a recovery code to sign in and a new second factor (1):',
      `  ${owner}`,
      expect.stringMatching(/^Nothing was changed\. Bring back .*key replace --yes$/),
    ]);
    await expect(open()).rejects.toThrow('key replace');
  });
});

it('starts anew with --yes: a new key, in the audit log, and the old password asks to be entered again', async () => {
  rmSync(keyFile);
  const { code, said } = await run('--yes');
  expect([code, said]).toEqual([0, expect.stringMatching(/The next start makes a new one/)]);
  expect(existsSync(keyFile)).toBe(false);
  const vault = await open();
  const error = await vault.open(cell, sealed).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Fault);
  expect(String(error)).toMatch(/Enter it again/);
  expect(await namesWithPassword(test.db)).toHaveLength(1);
  const again = await vault.seal(cell, new Secret('canary-33dd'));
  expect((await vault.open(cell, again)).reveal()).toBe('canary-33dd');
  expect(
    await test.db.rows(sql`/* test.audit */
      select e.action, e.actor_name from matriarch.audit_events e where e.action = 'secret_key.replace'`),
  ).toEqual([{ action: 'secret_key.replace', actor_name: 'system: cli' }]);
});
