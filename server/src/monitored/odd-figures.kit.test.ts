// A monitoring role with settings of its own, given to the role alone or to the role in a database: every probe reads what it reads as a
// role without, and a setting of the server that only others see is unknown, never the role's own. Compared is whatever two readings of
// the plain role agree on.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../collector/session.ts';
import { startCluster, type TestCluster } from '../testing/servers/postgres.ts';
import { runProbe, serverProbes, sessionOn } from '../testing/servers/probing.ts';
import { majorsInFull } from '../testing/tier.ts';

const PASSWORD = 'monitors';

const EVERY_ROLE_MAY: Readonly<Record<string, string>> = {
  statement_timeout: `'50ms'`,
  lock_timeout: `'1ms'`,
  search_path: `'pg_temp, public'`,
  default_transaction_read_only: 'on',
  datestyle: `'German, DMY'`,
  intervalstyle: 'sql_standard',
  timezone: `'America/St_Johns'`,
  bytea_output: 'escape',
  extra_float_digits: '-15',
  row_security: 'off',
  role: 'other',
  work_mem: '64',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_indexscan: 'off',
  enable_sort: 'off',
  jit: 'off',
  plan_cache_mode: 'force_generic_plan',
  client_min_messages: 'debug5',
  array_nulls: 'off',
  xmlbinary: 'hex',
  backslash_quote: 'on',
  quote_all_identifiers: 'on',
  default_tablespace: 'pg_default',
  temp_tablespaces: 'pg_default',
  idle_session_timeout: `'900ms'`,
};
const SUPERUSERS_ONLY: Readonly<Record<string, string>> = {
  lc_messages: `'C'`,
  session_replication_role: 'replica',
  log_statement: 'none',
  track_io_timing: 'on',
};

const settingsOf = (major: number): [string, string][] =>
  Object.entries({
    ...EVERY_ROLE_MAY,
    ...SUPERUSERS_ONLY,
    ...(major >= 17 && { transaction_timeout: `'900ms'` }),
    ...(major < 19 && { standard_conforming_strings: 'off' }),
  });

/** Rows by probe, as text; why not, where it did not run. */
async function read(session: Session, username: string): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>();
  for (const probe of serverProbes) {
    const outcome = await runProbe(session, probe, username);
    found.set(
      probe.name,
      outcome.kind === 'ran'
        ? outcome.rows
        : `${outcome.kind}: ${outcome.reason}`.replaceAll(username, 'role'),
    );
  }
  return found;
}

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** What says who reads: its sessions, statements, settings and grants. */
const OF_READER = new Set(['pg_db_role_setting', 'pg_roles', 'pg_settings']);

describe.each(majorsInFull())('on PostgreSQL %i', (major) => {
  let server: TestCluster;
  beforeAll(async () => {
    server = await startCluster({ major });
    await server.query('create role other');
    for (const name of ['plain', 'alone', 'inside']) {
      await server.query(`create role ${name} login password '${PASSWORD}'`);
      await server.query(`grant pg_monitor, other to ${name}`);
    }
    for (const [name, value] of settingsOf(major)) {
      await server.query(`alter role alone set ${name} = ${value}`);
      await server.query(`alter role inside in database postgres set ${name} = ${value}`);
    }
    return () => server.stop();
  });

  it.each(['alone', 'inside'])(
    'a role with settings (%s) reads what a plain one reads',
    async (odd) => {
      const [first, other] = [
        await sessionOn(server, { username: 'plain', password: PASSWORD }),
        await sessionOn(server, { username: odd, password: PASSWORD }),
      ];
      const before = await read(first, 'plain');
      const own = await read(other, odd);
      const after = await read(first, 'plain');
      await Promise.all([first.client.close(), other.client.close()]);
      const steady = [...before].filter(
        ([name, rows]) => same(rows, after.get(name)) && !OF_READER.has(name),
      );
      expect(steady.length).toBeGreaterThan(15);
      const differing = steady.filter(([name, rows]) => !same(rows, own.get(name)));
      expect(differing.map(([name, rows]) => [name, rows, own.get(name)])).toEqual([]);
      const failed = [...own].filter(([, rows]) => typeof rows === 'string' && rows.startsWith('failed'));
      expect(failed).toEqual([]);
    },
    120_000,
  );

  it.each(['alone', 'inside'])(
    'never takes a value of the role (%s) for the one of the server',
    async (odd) => {
      const settings = async (username: string) => {
        const session = await sessionOn(server, { username, password: PASSWORD });
        const outcome = await read(session, username).then((found) => found.get('pg_settings'));
        await session.client.close();
        if (!Array.isArray(outcome)) throw new Error(String(outcome));
        return new Map(outcome.map((row) => [String(row.name).toLowerCase(), row.setting]));
      };
      const [plain, own] = [await settings('plain'), await settings(odd)];
      const names = settingsOf(major).map(([name]) => name);
      const wrong = [...own].filter(([name, value]) => value !== plain.get(name));
      expect(wrong.filter(([name, value]) => value !== null || !names.includes(name))).toEqual([]);
      expect([own.get('work_mem'), own.get('statement_timeout'), plain.get('work_mem')]).toEqual([
        null,
        null,
        '4096',
      ]);
    },
  );
});
