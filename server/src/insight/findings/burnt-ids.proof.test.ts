// Servers that ran out of ids, really: what is found, and that the statements which are shown bring them back, in their order.
// Guards: a transaction in one database keeps the shared catalogs of all, which each counts in its own age.
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { BURNT, BURNT_MAJOR, burn } from '../../testing/servers/burnt.ts';
import { statementsOf } from '../../testing/servers/check-scenes/scene.ts';
import { judgeReadings, probesOf, readingsOf } from '../../testing/servers/judging.ts';
import { startCluster, type TestCluster } from '../../testing/servers/postgres.ts';
import { sessionOn } from '../../testing/servers/probing.ts';
import { stopAtEnd } from '../../testing/servers/server-sets.ts';
import { check as freezing } from '../checks/freezing-behind.ts';
import { check as multixacts } from '../checks/multixact-ids-run-out.ts';
import { check as transactions } from '../checks/transaction-ids-run-out.ts';
import type { Check, Problem } from '../checks/types.ts';

async function foundOn(server: TestCluster, check: Check): Promise<Problem[]> {
  const session = await sessionOn(server);
  try {
    const [verdict] = judgeReadings([check], await readingsOf(session, probesOf(check)), { later: 600_000 });
    return [...(verdict?.found ?? [])];
  } finally {
    await session.client.close();
  }
}

/** One after the other, as somebody would who copies them. */
async function inDatabase(
  server: TestCluster,
  database: string,
  statements: readonly string[],
): Promise<void> {
  const client = new pg.Client({
    host: server.socketDir,
    port: server.port,
    user: server.superuser,
    database,
  });
  await client.connect();
  try {
    for (const one of statements) await client.query(one);
  } finally {
    await client.end();
  }
}

const named = (found: readonly Problem[], name: string) => {
  const one = found.find(({ database_name }) => database_name === name);
  if (!one) throw new Error(`nothing was found in ${name}`);
  return one;
};

async function burnt(kind: 'transactions' | 'multixacts', hold: string): Promise<TestCluster> {
  const settings = { max_prepared_transactions: 5, autovacuum_naptime: '1s' };
  const server = await stopAtEnd(startCluster({ major: BURNT_MAJOR ?? 18, settings }));
  await server.query('create table booked (a int primary key)');
  await server.query('insert into booked values (1), (2)');
  await server.query(`begin; ${hold}; prepare transaction 'it''s left'`);
  await burn(server, kind, 2_900_000);
  return server;
}

describe.skipIf(BURNT_MAJOR === undefined)(`ids that ran out, on ${BURNT}`, () => {
  it('tells of transaction ids who holds them, in every database, and how to get out', async () => {
    const server = await burnt('transactions', 'insert into booked values (3)');
    const write = () => server.query('insert into booked values (4)');
    await expect(write()).rejects.toMatchObject({ code: '54000' });

    const found = await foundOn(server, transactions);
    expect(found.map(({ database_name }) => database_name)).toEqual(['postgres', 'template0', 'template1']);
    expect(await foundOn(server, freezing)).toEqual([]);
    expect(named(found, 'postgres').message).toMatch(
      /99\.9 % of the limit\. PostgreSQL refuses new transactions now\. A prepared transaction holds back vacuum: it's left\.$/,
    );
    expect(named(found, 'template1').message).toContain(
      'A prepared transaction in database "postgres" holds back vacuum: it\'s left.',
    );
    expect(named(found, 'template0').remedy).toMatch(
      /takes no connections\. Autovacuum freezes it by itself/,
    );

    const [end, ...vacuum] = statementsOf(named(found, 'template1').remedy);
    expect(end).toBe("rollback prepared 'it''s left'");
    expect(vacuum).toEqual(['vacuum', expect.stringMatching(/relpersistence = 't'/)]);
    await inDatabase(server, 'postgres', statementsOf(named(found, 'postgres').remedy));
    await inDatabase(server, 'template1', vacuum);
    await expect
      .poll(() => write().then(() => 'written', String), { timeout: 300_000, interval: 200 })
      .toBe('written');
    await expect.poll(() => foundOn(server, transactions), { timeout: 300_000, interval: 500 }).toEqual([]);
  });

  it('tells of multixact ids which transaction may keep them', async () => {
    const server = await burnt('multixacts', 'select * from booked where a = 1 for share');
    const found = await foundOn(server, multixacts);
    const { message, remedy } = named(found, 'template1');
    expect(message).toMatch(/PostgreSQL refuses new multixacts now\.$/);
    expect(statementsOf(remedy).slice(0, 2)).toEqual(["rollback prepared 'it''s left'", 'vacuum']);
    await inDatabase(server, 'postgres', statementsOf(remedy));
    await inDatabase(server, 'template1', ['vacuum']);
    await expect.poll(() => foundOn(server, multixacts), { timeout: 300_000, interval: 500 }).toEqual([]);
  });
});
