// The statements that rules give as evidence run on every supported version, by a role that may monitor, in a transaction that
// may only read: whoever is called at night copies them.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rules } from '../rules/catalog.gen.ts';
import type { Rule } from '../rules/types.ts';
import { type ProbedDatabase, probedDatabase } from '../testing/servers/database-probes.ts';
import { MAJORS, sharedServer } from '../testing/servers/postgres.ts';

const statements = rules.flatMap(({ name, evidence }: Rule) =>
  evidence && 'sql' in evidence ? [[name, evidence.sql] as const] : [],
);

const PASSWORD = randomBytes(12).toString('hex');

/** Tables of spock by those of their columns that statements name. */
const setup = (role: string) => [
  'create extension pg_stat_statements',
  'create schema spock',
  'create table spock.exception_log (retry_errored_at timestamptz)',
  'create table spock.resolutions (log_time timestamptz)',
  `create role ${role} login password '${PASSWORD}' in role pg_monitor`,
  `grant usage on schema spock to ${role}`,
  `grant select on all tables in schema spock to ${role}`,
  'create table numbers (id int generated always as identity)',
  'insert into numbers default values',
  `grant select on sequence numbers_id_seq to ${role}`,
];

describe.each(MAJORS)('on PostgreSQL %i', (major) => {
  const role = `evidence_${randomBytes(6).toString('hex')}`;
  let database: ProbedDatabase;
  let client: pg.Client;
  beforeAll(async () => {
    const server = await sharedServer(major);
    database = await probedDatabase(server, setup(role));
    const { host, port } = server;
    client = new pg.Client({ host, port, user: role, password: PASSWORD, database: database.name });
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await database?.query(`drop owned by ${role}`);
    await database?.query(`drop role ${role}`);
    await database?.close();
  });

  it.each(statements)('%s shows its evidence', async (name, text) => {
    await client.query('begin read only');
    try {
      // A prepared statement is one, without another behind it.
      await client.query({ name, text });
    } finally {
      await client.query('rollback');
    }
  });

  it('names the column that a sequence feeds', async () => {
    const text = statements.find(([name]) => name === 'sequence_usage_high')?.[1] ?? '';
    const { rows } = await client.query(text);
    expect(rows).toMatchObject([{ sequencename: 'numbers_id_seq', of_table: 'numbers', of_column: 'id' }]);
  });
});

it('most rules have a statement', () => {
  expect(statements.length).toBeGreaterThan(rules.length / 2);
});
