// PostgreSQL 14 to 17, on which kits play their scenes in the proof alone, understand every statement that we have for monitored servers.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostFactsScript } from '../estate/connections/monitoring-script.ts';
import { type ProbedDatabase, probedDatabase } from '../testing/servers/database-probes.ts';
import { hostSession } from '../testing/servers/host-input.ts';
import { MAJORS, sharedServer, type TestServer } from '../testing/servers/postgres.ts';
import { catalog, sessionOn } from '../testing/servers/probing.ts';
import {
  constantStatements,
  EVIDENCE_TABLES,
  evidenceStatements,
  hostStatements,
  probeStatements,
  problemsOf,
  type SentStatement,
} from '../testing/servers/sent-statements.ts';
import { majorsOfKits } from '../testing/tier.ts';

const between = MAJORS.filter((major) => !majorsOfKits().includes(major));

describe.each(between)('PostgreSQL %i', (major) => {
  let server: TestServer;
  let database: ProbedDatabase;
  beforeAll(async () => {
    server = await sharedServer(major);
    database = await probedDatabase(server, EVIDENCE_TABLES);
  });
  afterAll(() => database.close());

  const session = async () => {
    const one = await sessionOn(server, undefined, database.name);
    await one.client.close();
    return one;
  };
  const expectUnderstood = async (statements: readonly SentStatement[]) =>
    expect(await problemsOf(await database.client(), statements)).toEqual([]);

  it('understands the statements of all probes that it offers', async () => {
    const statements = probeStatements(await session());
    const missing = catalog.filter(({ requires }) => (requires?.version_num ?? 0) > major * 10_000);
    expect(new Set(statements.map(({ name }) => name)).size).toBeGreaterThan(
      catalog.length - missing.length - 6,
    );
    await expectUnderstood(statements);
  });

  it('understands the evidence of all rules', async () => {
    expect(evidenceStatements().length).toBeGreaterThan(30);
    await expectUnderstood(evidenceStatements());
  });

  it('understands what the collector, tests, live calls, advice, reading SQL and tools ask', async () => {
    const statements = constantStatements();
    const rooms = new Set(statements.map(({ name }) => name.split('.')[0]));
    expect([...rooms].sort()).toEqual(['advice', 'collector', 'live', 'requirements', 'sql', 'test', 'tool']);
    await expectUnderstood(statements);
  });

  it('understands what the sources of host facts ask, with the wrapper and without it', async () => {
    const ask = async () => {
      await using host = await hostSession(server, { database: database.name });
      return await hostStatements(host);
    };
    const without = await ask();
    await database.query(hostFactsScript('postgres'));
    const statements = [...without, ...(await ask())];
    expect([...new Set(statements.map(({ name }) => name))].sort()).toEqual([
      'hosts.local.claim',
      'hosts.server_version.read',
      'hosts.sql_files.find',
      'hosts.sql_files.read',
      'hosts.sql_files.wrapper',
      'hosts.system_stats.find',
    ]);
    await expectUnderstood(statements);
  });

  it('says by name which statement it does not understand', async () => {
    const [probe] = catalog.filter(({ name }) => name === 'pg_database');
    const wrong = probe && { ...probe, sql: () => 'select d.no_such_column from pg_catalog.pg_database d' };
    const statements = [
      ...probeStatements(await session(), wrong ? [wrong] : []),
      { name: 'rule.made_up', text: 'select 1 from pg_stat_no_such_view' },
    ];
    expect(await problemsOf(await database.client(), statements)).toEqual([
      'probe.pg_database: column d.no_such_column does not exist',
      'rule.made_up: relation "pg_stat_no_such_view" does not exist',
    ]);
  });
});
