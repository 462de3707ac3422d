// Statements of ours as the statistics of real servers of every version show them: excluded by the collector's mark, and
// nothing else is.
import { expect, it } from 'vitest';
import { startCluster } from '../../testing/servers/postgres.ts';
import { directly, runProbe, serverProbes, sessionOn } from '../../testing/servers/probing.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { isOwnStatement, OWN_STATEMENT } from './own-statements.ts';

it('what finds the log files of a server is ours as well', () => {
  expect(isOwnStatement('select /* logs.source */ p.oid is not null as is_there')).toBe(true);
  expect(isOwnStatement('select /* app_logs.source */ 1')).toBe(false);
});

it.each(majorsOfKits())('on PostgreSQL %i our own statements are told apart', async (major) => {
  await using server = await startCluster({ major });
  await server.query('create extension pg_stat_statements');
  await directly(server, 'select relname as theirs from pg_class');
  const session = await sessionOn(server);
  for (const probe of serverProbes) await runProbe(session, probe);
  const rows = await directly(
    server,
    `select s.query ~ '${OWN_STATEMENT.replaceAll("'", "''")}' as own, s.query
     from pg_stat_statements s
     join pg_database d on d.oid = s.dbid
     where d.datname = 'postgres'`,
  );
  await session.client.close();
  const own = rows.filter((row) => row.own === true).map(({ query }) => String(query));
  const others = rows.filter((row) => row.own === false).map(({ query }) => String(query));
  expect(own.filter((query) => query.includes('probe.')).length).toBeGreaterThan(10);
  expect(others.filter((query) => /probe\.|collector\.|target\./.test(query))).toEqual([]);
  // Also what readies a session.
  expect(own.filter((query) => query.includes('target.')).map((query) => query.split(' ')[0])).toContain(
    'set',
  );
  expect(others.filter((query) => /^set |pg_backend_pid/i.test(query))).toEqual([]);
  expect(others).toContain('select relname as theirs from pg_class');
});
