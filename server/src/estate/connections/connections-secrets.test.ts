// Passwords of monitored servers: used for live questions, at rest, and in no log. A server that is silent is in
// connections-secrets.proof.test.ts.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Vault } from '../../identity/secrets/vault.service.ts';
import { createLog } from '../../kernel/log.ts';
import { sql } from '../../kernel/sql.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import { vaultOf } from '../../testing/rooms/parts.ts';
import { datastoreServer, startCluster } from '../../testing/servers/postgres.ts';
import { loadTargets } from './targets.service.ts';

const CANARY = 'canary-c0ffee-password';
const BODY = {
  name: 'orders',
  host: '203.0.113.10',
  port: 5432,
  database_name: 'postgres',
  username: 'monitor',
  password: CANARY,
};
let api: TestApi;
let vault: Vault;
let token: string;

beforeAll(async () => {
  api = await startTestApi({ rooms: [connectionsRoom] });
  vault = await vaultOf(api.parts);
  token = api.actors.superuser.session;
});
afterAll(() => api.close());

async function create(over: object = {}): Promise<number> {
  const answer = await api.call('POST /api/v1/connections', { token, body: { ...BODY, ...over } });
  expect(answer.error).toBeUndefined();
  return Number(JSON.parse(answer.text).id);
}

describe('live databases', () => {
  const real = () => {
    const server = datastoreServer();
    return {
      host: server.host,
      port: server.port,
      username: server.superuser,
      password: server.password,
    };
  };

  it('come from the server, without templates', async () => {
    const id = await create({ name: 'real', ...real() });
    const answer = await api.call(`GET /api/v1/connections/${id}/databases`, { token });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(
      expect.arrayContaining([
        { name: 'postgres', owner: 'postgres', encoding: 'UTF8', size: expect.stringMatching(/\d (kB|MB)/) },
      ]),
    );
    expect(answer.text).not.toContain('template');
    const entered = await api.db.rows(sql`/* test.ledger */
      select s.name, s.source, l.runs, l.failures
      from matriarch.statement_ledger l
      join matriarch.statements s on s.fingerprint = l.fingerprint
      where l.connection_id = ${id}
      order by s.name`);
    expect(entered).toEqual([
      { name: 'live.databases', source: 'estate/connections/live.queries.ts', runs: 1, failures: 0 },
      { name: 'target.session', source: 'monitored/sign-in.ts', runs: 1, failures: 0 },
    ]);
  });

  it('list a database of which the files are gone, as while one is being dropped', async () => {
    await using server = await startCluster({ major: 14 });
    await server.query('create database half_dropped');
    const [row] = await server.query(
      `select oid::text as directory from pg_database where datname = 'half_dropped'`,
    );
    rmSync(join(server.directory, 'base', String(row?.directory)), { recursive: true });
    const { host, port, superuser: username, password } = server;
    const id = await create({ name: 'half', host, port, username, password });
    const answer = await api.call(`GET /api/v1/connections/${id}/databases`, { token });
    expect(answer.status).toBe(200);
    expect(answer.body).toContainEqual({
      name: 'half_dropped',
      owner: 'postgres',
      encoding: 'UTF8',
      size: 'unknown',
    });
  });

  it('say 502 in our words when the server refuses or is gone', async () => {
    const refused = await create({ name: 'refused', ...real(), password: CANARY });
    const answer = await api.call(`GET /api/v1/connections/${refused}/databases`, { token });
    expect(answer.status).toBe(502);
    expect(answer.error).toMatch(/password for postgres is wrong/);
    expect(answer.text).not.toContain(CANARY);
    const gone = await create({ name: 'gone', ...real(), port: 1 });
    expect((await api.call(`GET /api/v1/connections/${gone}/databases`, { token })).status).toBe(502);
  });
});

describe('secrets at rest', () => {
  it('S1: a dump holds no password, and none opens in another row', async () => {
    const first = await create({ name: 'secret one', password: `${CANARY}-1` });
    const second = await create({ name: 'secret two', password: `${CANARY}-2` });
    const tables = await api.db.rows<{ name: string }>(sql`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('matriarch', 'metrics')`);
    expect(tables.map(({ name }) => name)).toContain('matriarch.connections');
    const client = new pg.Client({ connectionString: api.database.url.reveal() });
    await client.connect();
    try {
      const hex = Buffer.from(CANARY).toString('hex');
      const base64 = Buffer.from(CANARY).toString('base64').slice(0, 24);
      for (const { name } of tables) {
        const { rows } = await client.query(`select t::text as line from ${name} t`);
        for (const { line } of rows) {
          for (const needle of [CANARY, hex, base64]) expect(line, name).not.toContain(needle);
        }
      }
    } finally {
      await client.end();
    }
    await api.db.run(sql`
      update matriarch.connections c
      set password_encrypted = o.password_encrypted
      from matriarch.connections o
      where (c.id = ${first} and o.id = ${second}) or (c.id = ${second} and o.id = ${first})`);
    const swapped = await loadTargets(api.db, vault, { ids: [first, second], allow_private_networks: true });
    expect(swapped.map(({ settings }) => settings)).toEqual([undefined, undefined]);
    const live = await api.call(`GET /api/v1/connections/${first}/databases`, { token });
    expect(live.status).toBe(502);
    expect(live.error).toMatch(/cannot be decrypted/);
  });

  it('one that does not open hides no other, and says why', async () => {
    const good = await create({ name: 'readable', is_monitored: true });
    const bad = await create({ name: 'unreadable', is_monitored: true });
    await api.db.run(sql`update matriarch.connections set password_encrypted = '\x01' where id = ${bad}`);
    const targets = await loadTargets(api.db, vault, {
      ids: [bad, good, 999_999],
      allow_private_networks: false,
    });
    expect(targets.map(({ connection_id }) => connection_id)).toEqual([good, bad]);
    const [readable, unreadable] = targets;
    expect(readable?.settings).toMatchObject({
      host: '203.0.113.10',
      database: 'postgres',
      username: 'monitor',
      allow_private_networks: false,
    });
    expect(readable?.settings?.password?.reveal()).toBe(CANARY);
    expect(JSON.stringify(targets)).not.toContain(CANARY);
    expect(unreadable).toMatchObject({
      settings: undefined,
      problem: expect.stringMatching(/cannot be decrypted/),
    });
  });

  it('S2: no log line at trace level holds one', async () => {
    const lines: string[] = [];
    const log = createLog({ level: 'trace', destination: { write: (line) => lines.push(line) } });
    const noisy = await startTestApi({ rooms: [connectionsRoom], log });
    try {
      const as = { token: noisy.actors.superuser.session };
      const server = datastoreServer();
      const body = { ...BODY, host: server.host, port: server.port, username: 'postgres' };
      await noisy.call('POST /api/v1/connections', { ...as, body });
      await noisy.call('POST /api/v1/connections', { ...as, body });
      await noisy.call('POST /api/v1/connections/test', { ...as, body });
      const list = await noisy.call('GET /api/v1/connections', as);
      const { id } = JSON.parse(list.text).find((item: { name: string }) => item.name === BODY.name);
      await noisy.call(`PUT /api/v1/connections/${id}`, { ...as, body: { password: `${CANARY}-2` } });
      expect((await noisy.call(`GET /api/v1/connections/${id}/databases`, as)).status).toBe(502);
    } finally {
      await noisy.close();
    }
    expect(lines.join('')).toContain('connections.created');
    expect(lines.join('')).toContain('connections.changed');
    expect(lines.join('')).not.toContain(CANARY);
  });
});
