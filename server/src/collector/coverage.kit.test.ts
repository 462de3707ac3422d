// What is not collected says why, with SQL that mends it; tested again it is collected, over the same session. In the
// proof: every statement that was run is in the ledger. The budget, which is of real seconds, is in budget.proof.test.ts.

import { describe, expect, it } from 'vitest';
import {
  getConnectionCoverage,
  listConnectionStatements,
  retestConnectionCoverage,
} from '../estate/estate/coverage.service.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { CREATE_STATEMENTS } from '../probes/requirements/dependencies.ts';
import { newHouse, SOON } from '../testing/collecting-tests.ts';
import { plainCluster } from '../testing/servers/plain-role.ts';
import type { TestCluster } from '../testing/servers/postgres.ts';
import { isProof } from '../testing/tier.ts';

const ctxOn = (db: Database) => ({
  db,
  clock: systemClock,
  log: silentLog,
  signal: new AbortController().signal,
  principal: {
    user_id: 1,
    username: 'owner',
    is_superuser: true,
    admin_permissions: ['*'],
    via: { kind: 'system' as const, id: 0 },
    scope: undefined,
  },
});

async function sessionOf(server: TestCluster): Promise<unknown> {
  const rows = await server.query(
    `select pid from pg_stat_activity where application_name = 'matriarch' order by backend_start limit 1`,
  );
  return rows[0]?.pid;
}

/** How a statement begins, without its comment and constants: pg_stat_statements shows neither. */
const normalized = (text: string) =>
  text
    .replace(/\/\* [a-z_]+\.[a-z_.]+ \*\/\s*/, '')
    .replace(/\$\d+ \/\*, \.\.\. \*\//g, '?')
    .replace(/'(?:[^']|'')*'|\$\d+|-?\b\d+(\.\d+)?\b|\b(true|false|null)\b/g, '?')
    .replace(/array\[[^\]]*\]/g, 'array[]')
    .replace(/\?(,\s*\?)+/g, '?')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 400);

const OPENING = [
  'set local statement_timeout = ',
  'set local transaction_isolation = ',
  'set local transaction_timeout = ',
  'set local client_min_messages = ',
  'select pg_catalog.pg_backend_pid() as backend_pid, ',
];

if (isProof()) {
  describe('the ledger', () => {
    it('has every statement that the server saw', async () => {
      const house = await newHouse();
      const server = await plainCluster(18);
      await server.query('create extension pg_stat_statements');
      await server.query('create database shop');
      await server.query('grant pg_monitor to plain');
      const id = await house.connect(server, { username: 'plain', password: 'plain' });
      const collector = house.start();
      await expect
        .poll(() => house.snapshot(id, 'pg_stat_all_tables', 'shop'), SOON)
        .toMatchObject({ outcome: 'ran' });
      await collector.stop();
      const seen = await server.query(
        `select distinct query from pg_stat_statements where userid = 'plain'::regrole`,
      );
      const { statements } = await listConnectionStatements(ctxOn(house.db), id);
      const names = new Set(statements.map(({ name }) => name));
      const known = new Set(statements.map(({ text }) => normalized(text)));
      // What a session begins with is one message, which the ledger names target.session.
      const isOpening = (text: string) => OPENING.some((begin) => text.startsWith(begin));
      const missing = seen
        .map(({ query }) => normalized(String(query)))
        .filter((text) => !known.has(text) && !isOpening(text));
      expect(seen.length).toBeGreaterThan(20);
      expect(missing).toEqual([]);
      for (const name of ['target.session', 'collector.ping', 'collector.capabilities', 'probe.pg_database'])
        expect(names).toContain(name);
      const settings = statements.filter(({ name }) => name === 'probe.pg_settings');
      expect(settings).toMatchObject([{ source: 'probes/pg-settings.ts', failures: 0 }]);
      // Its turn on the grid of the server may come soon after its first run.
      expect(settings[0]?.runs).toBeGreaterThan(0);
      const own = await house.db.one<{
        probes: number;
        percent: number;
        counts_bytes: boolean;
      }>(sql`/* test.costs */
        select count(*) as probes, sum(cost_percent) as percent,
          bool_or(probe = 'pg_settings' and bytes > 10000) as counts_bytes
        from matriarch.probe_costs
        where connection_id = ${id}`);
      expect(own.probes).toBeGreaterThan(20);
      expect(own.percent).toBeGreaterThan(0);
      expect(own.counts_bytes).toBe(true);
    });
  });
} else {
  it('on a service it says what that keeps back, never knocks there, and mends settings as it is done there', async () => {
    const house = await newHouse();
    const server = await plainCluster(18);
    await server.query('create database rdsadmin');
    await server.query('grant pg_monitor to plain');
    const id = await house.connect(server, { username: 'plain', password: 'plain' });
    house.start();
    const { probes } = await expect
      .poll(async () => {
        const found = await getConnectionCoverage(ctxOn(house.db), id);
        const waiting = found.probes.filter(
          (one) => one.status === 'waiting' && !one.probe.startsWith('pg_sys_'),
        );
        return waiting.length === 0 ? found : { probes: [] };
      }, SOON)
      .toSatisfy((found) => found.probes.length > 0)
      .then(() => getConnectionCoverage(ctxOn(house.db), id));
    // What is the same in all databases is read in another one.
    const own = probes.filter(
      ({ database_name, status }) => database_name === 'rdsadmin' && !['ok', 'incomplete'].includes(status),
    );
    expect(own.length).toBeGreaterThan(3);
    expect(new Set(own.map(({ status, reason, mend }) => `${status}: ${reason} ${mend}`))).toEqual(
      new Set([
        'not_applicable: Amazon RDS keeps the database rdsadmin for itself, so nobody else may connect to it. null',
      ]),
    );
    const [{ sessions } = { sessions: 'none' }] = await server.query(
      `select sessions from pg_stat_database where datname = 'rdsadmin'`,
    );
    expect(Number(sessions)).toBe(0);
    const statusOf = (name: string) => probes.find(({ probe }) => probe === name);
    expect(statusOf('pg_hba_file_rules')).toMatchObject({
      status: 'not_applicable',
      reason: expect.stringContaining('which Amazon RDS grants to nobody.'),
      mend: null,
    });
    expect(statusOf('pg_stat_database')).toMatchObject({
      status: 'incomplete',
      mend: expect.stringContaining(
        `"ParameterName=track_io_timing,ParameterValue='on',ApplyMethod=immediate"`,
      ),
    });
    expect(probes.filter(({ mend }) => /^(?:alter system|select pg_reload_conf)/m.test(mend ?? ''))).toEqual(
      [],
    );
  });

  describe('a role without rights', () => {
    it('is told what it lacks; once that is granted a test again finds it', async () => {
      const house = await newHouse();
      const server = await plainCluster(14);
      await server.query('create database shut');
      // What a role may read hides what is not timed: nothing but rights is to be missing.
      await server.query('alter system set track_wal_io_timing = on');
      // The extension that is made brings functions, which are read once more where the machine is slow.
      await server.query("alter system set track_functions = 'pl'");
      await server.query('select pg_reload_conf()');
      await server.query('revoke connect on database shut from public');
      const id = await house.connect(server, { username: 'plain', password: 'plain' });
      house.start();
      const ctx = ctxOn(house.db);
      const entries = async () => (await getConnectionCoverage(ctx, id)).probes;
      const waiting = async () =>
        (await entries()).filter(({ status, probe }) => status === 'waiting' && !probe.startsWith('pg_sys_'));
      await expect.poll(waiting, SOON).toEqual([]);
      const statusOf = async (name: string) => (await entries()).find(({ probe }) => probe === name);
      expect(await statusOf('pg_settings')).toMatchObject({
        status: 'masked',
        mend: 'grant pg_read_all_settings to plain;',
      });
      expect(await statusOf('pg_server_info')).toMatchObject({ status: 'masked' });
      expect(await statusOf('pg_stat_activity')).toMatchObject({
        status: 'masked',
        reason: expect.stringContaining('hidden from the role plain'),
        mend: 'grant pg_read_all_stats to plain;',
      });
      expect(await statusOf('pg_hba_file_rules')).toMatchObject({
        status: 'missing_grant',
        mend: expect.stringContaining('grant select on pg_catalog.pg_hba_file_rules to plain;'),
      });
      expect(await statusOf('pg_stat_statements')).toMatchObject({
        status: 'missing_extension',
        mend: CREATE_STATEMENTS.join('\n'),
      });
      expect(await statusOf('pg_stat_recovery_prefetch')).toMatchObject({
        status: 'not_applicable',
        reason: 'This needs PostgreSQL 15; the server runs 14.',
        mend: null,
      });
      expect((await entries()).find(({ database_name }) => database_name === 'shut')).toMatchObject({
        status: 'missing_grant',
        mend: 'grant connect on database shut to plain;',
      });
      expect(await statusOf('spock_resolutions')).toMatchObject({ status: 'not_applicable', mend: null });

      const before = await sessionOf(server);
      const broken = (await entries()).filter(
        ({ mend, probe }) => mend !== null && !probe.startsWith('pg_sys_'),
      );
      const lines = new Set(broken.flatMap(({ mend }) => mend?.split('\n') ?? []));
      for (const line of lines) if (line !== '') await server.query(line);
      // The extension is made in the connection's own database only.
      const unmended = async () =>
        (await entries())
          .filter(({ status, database_name }) => status !== 'missing_extension' || database_name !== 'shut')
          .filter(
            ({ status, probe }) => !['ok', 'not_applicable'].includes(status) && !probe.startsWith('pg_sys_'),
          )
          .map(({ probe, status, reason }) => [probe, status, reason]);
      expect((await unmended()).length).toBeGreaterThan(3);
      await retestConnectionCoverage(ctx, id);
      await expect.poll(unmended, SOON).toEqual([]);
      expect(await sessionOf(server)).toBe(before);
    });
  });
}
