// S2: secrets that people put into settings and statements of a monitored server stand nowhere that captured text is
// stored or shown. A table of forms is put into every place of a real server that is read, collected, and then the whole
// datastore, the log and every reply about the server are searched for them.
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../api/operations.gen.ts';
import { createLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { makeUser } from '../testing/access/actors.ts';
import type { TestApi } from '../testing/api.ts';
import { CONFIG, type Collecting, collecting } from '../testing/collecting.ts';
import { startWholeApi } from '../testing/rooms/whole.ts';
import { type TestDatabase, testDatabase } from '../testing/servers/database.ts';
import { MAJORS, startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import { isProof } from '../testing/tier.ts';

let made = 0;
/** A word of its own for each form, so that what is found says where it came from. */
const canary = () => {
  made += 1;
  return `c4nary${made}q`;
};

/** Settings whose name says that they hold a secret, and such whose value does. */
const NAMED = ['app.smtp_pass', 'app.db_password', 'my.api_token', 'mail.pw', 'app.signing_key', 'x.auth'];
const VALUES: readonly ((secret: string) => string)[] = [
  (secret) => `postgres://app:${secret}@db/shop`,
  (secret) => `host=db password=${secret}`,
  (secret) => `password: ${secret}`,
  (secret) => `{"token": "${secret}"}`,
  (secret) => `Bearer ${secret}`,
  (secret) => `sk-live-${secret}`,
  (secret) => `-----BEGIN PRIVATE KEY----- ${secret}`,
  (secret) => `${secret}ZmFrZXNlY3JldGtleTE5OA`,
];
/** Parameters that only the operator knows to be secrets: `collector.masked_parameters`, and what it covers. */
const MASKED = ['app.licence', 'billing.*', '*_pin', 'search_path'];
const COVERED = ['app.licence', 'billing.number', 'x.door_pin', 'search_path'];
const settings: { name: string; value: string }[] = [
  ...[...NAMED, ...COVERED].map((name) => ({ name, value: canary() })),
  ...VALUES.map((form, index) => ({ name: `app.plain_${index}`, value: form(canary()) })),
];
const SET_ON = ['database shop', 'role watched', 'role watched in database shop'];

/** Statements as people send them; the mark stays readable, the secret does not. */
const STATEMENTS: readonly ((secret: string) => string)[] = [
  (secret) => `create role r_@ password '${secret}'`,
  (secret) => `alter database shop set app.smtp_pass = '${secret}'`,
  (secret) => `alter role watched set app.smtp_pass to ${secret}`,
  (secret) => `set app.smtp_pass = ${secret}`,
  (secret) => `set session app.anything to "${secret}"`,
  (secret) => `comment on role watched is 'password: ${secret}'`,
  (secret) => `do $do$ begin perform set_config('app.plain', '${secret}', false); end $do$`,
  (secret) => `do $do$ begin execute 'comment on role watched is ''${secret}'''; end $do$`,
  (secret) => `select 'password: ${secret}' as note_@`,
  (secret) => `select '{"password": "${secret}"}'::jsonb as note_@`,
  (secret) => `select 'token=${secret}' as note_@`,
  (secret) => `select 1 as note_@ /* password: ${secret} */`,
  (secret) => `select set_config('app.smtp_pass', '${secret}', false)`,
  (secret) => `select 'postgres://app:${secret}@db/shop' as note_@`,
  (secret) =>
    `create subscription s_@ connection 'host=127.0.0.1 port=1 password=${secret}' publication p with (connect = false, slot_name = none)`,
  // Of the operator's names.
  (secret) => `set search_path = ${secret}`,
  (secret) => `set session search_path to ${secret}, public`,
  (secret) => `select set_config('app.licence', '${secret}', false) as note_@`,
  (secret) => `select set_config('billing.a_b', '${secret}', false) as note_@`,
  (secret) => `select '-c x.door_pin=${secret}' as note_@`,
  (secret) => `select '-c App.Licence=''${secret} and more''' as note_@`,
];
const statements = STATEMENTS.map((form, index) => form(canary()).replaceAll('@', String(index)));

// Everyday on the newest alone: a whole collector and every operation are asked for it.
const majors = MAJORS.filter((major) => (major === MAJORS.at(-1)) !== isProof());

describe.each(majors)('PostgreSQL %i', (major) => {
  let server: TestCluster;
  let store: TestDatabase;
  let test: TestApi;
  let reader: string;
  let house: Collecting;
  const clients: pg.Client[] = [];
  const logged: string[] = [];

  async function client(): Promise<pg.Client> {
    const url = new URL(server.url);
    url.pathname = '/shop';
    const one = new pg.Client({ connectionString: url.toString() });
    // The server is stopped under it.
    one.on('error', () => undefined);
    await one.connect();
    clients.push(one);
    return one;
  }

  beforeAll(async () => {
    server = await startCluster({ major, settings: { max_connections: 80 } });
    await server.query('create extension pg_stat_statements');
    await server.query('create database shop');
    await server.query('create role watched');
    for (const { name, value } of settings) {
      for (const where of SET_ON)
        await server.query(`alter ${where} set ${name} = ${pg.escapeLiteral(value)}`);
      await server.query(`alter role current_user set ${name} = ${pg.escapeLiteral(value)}`);
    }
    await server.query(`alter system set archive_command = 'curl -u app:${canary()} http://db'`);
    await server.query(`alter system set primary_conninfo = 'host=db password=${canary()}'`);
    await server.query('select pg_reload_conf()');
    // Each session stays with its statement as the last one, which is what pg_stat_activity shows of it.
    for (const statement of statements) await (await client()).query(statement).catch(() => undefined);
    const [holder, waiter] = [await client(), await client()];
    await holder.query(`begin; lock table pg_description; select 'password: ${canary()}'`);
    waiter.query(`lock table pg_description; select 'token: ${canary()}'`).catch(() => undefined);
    store = await testDatabase();
    // The first user, whose the connection will be.
    reader = (await makeUser(store.db, { is_superuser: true })).session;
    house = await collecting(store.url);
    test = await startWholeApi({ db: house.db });
  });
  afterAll(async () => {
    await test.close();
    await house.stop();
    await store.close();
    for (const one of clients) one.end().catch(() => undefined);
    await server.stop();
  });

  /** Every row of every table as text, what is binary in hexadecimal. */
  async function everythingStored(): Promise<string[]> {
    const tables = await house.db.rows<{ name: string }>(sql`/* test.tables */
    select format('%I.%I', n.nspname, c.relname) as name
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'm') and n.nspname in ('matriarch', 'metrics') and not c.relispartition`);
    const raw = new pg.Client({ connectionString: store.url.reveal() });
    await raw.connect();
    const rows: string[] = [];
    for (const { name } of tables) {
      const found = await raw.query<{ row: string }>(`select t::text as row from ${name} t`);
      rows.push(...found.rows.map(({ row }) => `${name} ${row}`));
    }
    await raw.end();
    return rows;
  }

  /** The replies of every operation that only reads. */
  async function everythingShown(id: number): Promise<string[]> {
    const replies: string[] = [];
    for (const { method, path } of operations) {
      if (method !== 'GET') continue;
      const url = path.replace('{scope}', 'server').replaceAll(/\{[^}]+\}/g, String(id));
      const { text } = await test.call(`GET ${url}`, { token: reader });
      replies.push(`${path} ${text}`);
    }
    return replies;
  }

  /** Words of the table that stand in the text, as they are or in hexadecimal. */
  function found(texts: readonly string[]): string[] {
    const words = Array.from({ length: made }, (_, index) => `c4nary${index + 1}q`);
    const hex = words.map((word) => Buffer.from(word).toString('hex'));
    return texts.filter((text) => text.includes('c4nary') || hex.some((word) => text.includes(word)));
  }

  it('no form in any place is stored, shown or logged', async () => {
    const id = await house.connect(server);
    house.start({
      config: { ...CONFIG, masked_parameters: MASKED },
      log: createLog({ level: 'trace', destination: { write: (line) => logged.push(line) } }),
    });
    const rowsOf = async (probe: string) => {
      const one = await house.snapshot(id, probe);
      return one === undefined ? '' : JSON.stringify(one);
    };
    const read = { timeout: 90_000, interval: 500 };
    await expect.poll(() => rowsOf('pg_stat_activity'), read).toContain('********');
    await expect.poll(() => rowsOf('pg_locks_tree'), read).toContain('pg_description');
    for (const probe of ['pg_db_role_setting', 'pg_settings'])
      await expect.poll(async () => JSON.stringify(await house.facts(id, probe)), read).toContain('********');
    await expect
      .poll(
        async () =>
          (
            await house.db.rows(
              sql`/* test.texts */ select 1 from metrics.queries where query_text like '%note_%'`,
            )
          ).length,
        read,
      )
      .toBeGreaterThan(0);
    const stored = await everythingStored();
    // The places were read: each names what it blanked.
    const facts = JSON.stringify(await house.facts(id, 'pg_db_role_setting'));
    for (const { name } of settings) expect([name, facts.includes(name)]).toEqual([name, true]);
    expect(facts).toContain('********');
    expect(
      stored.filter((row) => row.startsWith('metrics.queries') && row.includes('********')).length,
    ).toBeGreaterThan(5);
    expect(found(stored)).toEqual([]);
    expect(found(await everythingShown(id))).toEqual([]);
    expect(found(logged)).toEqual([]);
  }, 240_000);
});
