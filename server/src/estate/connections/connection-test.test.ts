// A test of a connection, step by step, on a real server. One that hangs is in connection-test.proof.test.ts.
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../kernel/sql.ts';
import { makeToken, makeUser } from '../../testing/access/actors.ts';
import { startTestApi, type TestApi } from '../../testing/api.ts';
import { connectionsRoom } from '../../testing/rooms/connections.ts';
import {
  makeTlsFiles,
  sharedServer,
  startCluster,
  type TestCluster,
  type TestServer,
  type TlsFiles,
  testDirectory,
} from '../../testing/servers/postgres.ts';
import {
  bodyOf,
  CANARY,
  reportOf,
  statuses,
  testedConnection,
  words,
} from '../../testing/servers/tested-connections.ts';

const SECURE = 'matriarch-role-password';
const directory = testDirectory('connection-test');
let api: TestApi;
let cluster: TestCluster;
let tls: TlsFiles;

beforeAll(async () => {
  api = await startTestApi({ rooms: [connectionsRoom] });
  tls = makeTlsFiles(directory, { host: '127.0.0.1' });
  cluster = await startCluster({
    tls,
    settings: { cluster_name: 'orders-primary' },
    hba: [
      'hostnossl all nowhere 127.0.0.1/32 reject',
      'hostssl all nowhere 127.0.0.1/32 scram-sha-256',
      'host postgres rejected 127.0.0.1/32 reject',
      'host all all 127.0.0.1/32 scram-sha-256',
    ],
  });
  for (const role of ['weak', 'strong', 'nowhere', 'rejected', 'limited']) {
    await cluster.query(`create role ${role} login password '${SECURE}'`);
  }
  await cluster.query('grant pg_monitor to strong, limited');
  await cluster.query('alter role limited connection limit 2');
  await cluster.query(`create role asleep nologin password '${SECURE}'`);
  await cluster.query('create database closed');
  await cluster.query('revoke connect on database closed from public');
}, 60_000);
afterAll(async () => {
  await cluster.stop();
  await api.close();
});

const attempt = (over: object = {}, server: TestServer = cluster) => testedConnection(api, server, over);

describe('a connection test', () => {
  it('goes through every step, in order, with what it found', async () => {
    const report = await attempt({ username: 'strong', password: SECURE });
    expect(report.steps.map(({ step }) => step)).toEqual([
      'resolve',
      'connect',
      'tls',
      'sign_in',
      'version',
      'rights',
      'extensions',
    ]);
    expect(report.success).toBe(true);
    expect(report.server_version).toMatch(/^18\./);
    expect(report).toMatchObject({ cluster_name: 'orders-primary' });
    expect(statuses(report)).toBe('ok ok ok ok ok warning warning');
    expect(words(report, 'resolve')).toBe('127.0.0.1 is an address.');
    expect(words(report, 'tls')).toMatch(/^Encrypted. Who the server is was not verified/);
    expect(words(report, 'rights')).toMatch(/may not connect to closed/);
    expect(words(report, 'extensions')).toMatch(
      /: run in postgres: create schema if not exists monitoring; create extension if not exists pg_stat_statements schema monitoring; grant usage on schema monitoring to pg_monitor\./,
    );
    expect(report.monitoring_script).toContain('grant connect on database "closed" to "strong"');
    await cluster.query('create extension pg_stat_statements');
    const better = await attempt({
      username: 'strong',
      password: SECURE,
      ssl_mode: 'verify-full',
      ssl_root_cert_path: tls.ca,
    });
    expect(words(better, 'extensions')).toMatch(/is installed in postgres/);
    expect(words(better, 'tls')).toMatch(/verified by the root certificate and its host name/);
  });

  it('saves nothing', async () => {
    const count = () => api.db.one(sql`select count(*) as count from matriarch.connections`);
    const before = await count();
    await attempt();
    expect(await count()).toEqual(before);
  });

  it.each<{ what: string; over: object; step: string; says: RegExp }>([
    { what: 'DNS', over: { host: 'nowhere.invalid' }, step: 'resolve', says: /not known to DNS/ },
    { what: 'a refused range', over: { host: '169.254.169.254' }, step: 'resolve', says: /cloud metadata/ },
    {
      what: 'a closed port',
      over: { port: 1 },
      step: 'connect',
      says: /Nothing listens on 127.0.0.1 port 1/,
    },
    { what: 'TLS', over: { ssl_mode: 'verify-full' }, step: 'tls', says: /authority that is not trusted/ },
    {
      what: 'the password',
      over: { password: CANARY },
      step: 'sign_in',
      says: /password for postgres is wrong/,
    },
    { what: 'no password', over: { password: '' }, step: 'sign_in', says: /none is stored/ },
    {
      what: 'an unknown database',
      over: { database_name: 'nope' },
      step: 'sign_in',
      says: /database nope does not exist/,
    },
    {
      what: 'a reject line',
      over: { username: 'rejected', password: SECURE },
      step: 'sign_in',
      says: /reject line in the server's pg_hba.conf/,
    },
    {
      what: 'no CONNECT',
      over: { username: 'weak', password: SECURE, database_name: 'closed' },
      step: 'sign_in',
      says: /no CONNECT privilege on the database closed/,
    },
    {
      what: 'a role without login',
      over: { username: 'asleep', password: SECURE },
      step: 'sign_in',
      says: /role asleep is not allowed to log in/,
    },
    {
      what: 'plain text where TLS is asked for',
      over: { username: 'nowhere', password: SECURE, ssl_mode: 'disable' },
      step: 'sign_in',
      says: /reject line.*at least without TLS/,
    },
  ])('says what failed: $what', async ({ over, step, says }) => {
    const report = await attempt(over);
    const failed = report.steps.findIndex((one) => one.status === 'failed');
    expect(report.steps[failed]).toMatchObject({ step, message: expect.stringMatching(says) });
    expect(report.steps.slice(0, failed).map(({ status }) => status)).not.toContain('skipped');
    expect(new Set(report.steps.slice(failed + 1).map(({ status }) => status))).toEqual(new Set(['skipped']));
    expect(report).toMatchObject({ success: false, server_version: null });
    expect(report.monitoring_script).toContain('grant pg_monitor');
  });

  it('measures rights: superuser, no pg_monitor, a limit of sessions', async () => {
    const superuser = await attempt();
    expect(words(superuser, 'rights')).toMatch(/superuser/);
    expect(superuser.monitoring_script).toContain('"matriarch_monitor"');
    expect(superuser).toMatchObject({ role: { is_superuser: true, memberships: [] } });
    const weak = await attempt({ username: 'weak', password: SECURE });
    expect(words(weak, 'rights')).toMatch(/not a member of pg_monitor/);
    expect(weak.monitoring_script).toContain('"weak"');
    const role = {
      name: 'weak',
      is_superuser: false,
      creates_roles: false,
      replicates: false,
      owned_relations: 0,
    };
    expect(weak).toMatchObject({ role, tools_script: expect.stringContaining('"matriarch_tools"') });
    expect(words(await attempt({ username: 'limited', password: SECURE }), 'rights')).toMatch(
      /only 2 sessions/,
    );
  });

  it('says that a server without TLS is not encrypted, and on loopback that it does not matter', async () => {
    const report = await attempt({}, await sharedServer(14));
    expect(words(report, 'tls')).toMatch(/does not leave this machine/);
    expect(words(report, 'version')).toMatch(/PostgreSQL 14\.\d+ .*supported/);
  });
});

describe('with a stored connection', () => {
  let id: number;
  const stored = (body: object, token = api.actors.superuser.session) =>
    api.call('POST /api/v1/connections/test', { token, body: { id, ...body } });

  beforeAll(async () => {
    const answer = await api.call('POST /api/v1/connections', {
      token: api.actors.superuser.session,
      body: bodyOf(cluster, { name: 'stored', ssl_mode: 'require' }),
    });
    id = JSON.parse(answer.text).id;
  });

  it('uses the stored password for the same server', async () => {
    expect(reportOf((await stored({})).body).success).toBe(true);
    expect(reportOf((await stored({ database_name: 'template1', ssl_mode: 'require' })).body).success).toBe(
      true,
    );
  });

  it('does not send it anywhere else, nor with less protection', async () => {
    for (const change of [
      { host: 'localhost' },
      { port: 1 },
      { hostaddr: '127.0.0.2' },
      { ssl_mode: 'disable' },
      { ssl_mode: 'prefer' },
    ]) {
      const answer = await stored(change);
      expect(answer.status).toBe(400);
      expect(answer.error).toMatch(/Enter the password again/);
    }
    const typed = await stored({ ssl_mode: 'disable', password: CANARY });
    expect(words(reportOf(typed.body), 'sign_in')).toMatch(/password for postgres is wrong/);
  });

  it('needs the right to manage it', async () => {
    expect((await stored({ id: 999_999 })).status).toBe(404);
    const nobody = await makeUser(api.db);
    expect((await stored({}, nobody.session)).status).toBe(403);
    const scoped = await makeToken(api.db, api.actors.superuser.user_id, {
      scope: { admin: ['manage_connections'], connections: [] },
    });
    expect((await stored({}, scoped)).status).toBe(403);
  });

  it('asks for what a new one needs', async () => {
    const answer = await api.call('POST /api/v1/connections/test', {
      token: api.actors.superuser.session,
      body: { host: '127.0.0.1' },
    });
    expect(answer.status).toBe(400);
    expect(answer.error).toBe('port is missing.');
    const relative = await api.call('POST /api/v1/connections/test', {
      token: api.actors.superuser.session,
      body: bodyOf(cluster, { ssl_root_cert_path: path.basename(tls.ca) }),
    });
    expect(relative.error).toMatch(/absolute path/);
  });
});
