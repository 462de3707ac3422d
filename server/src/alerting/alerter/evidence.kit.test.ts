// The statements that rules give as evidence run on every supported version, by a role that may monitor, in a transaction that
// may only read: whoever is called at night copies them.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ProbedDatabase, probedDatabase } from '../../testing/servers/database-probes.ts';
import { sharedServer } from '../../testing/servers/postgres.ts';
import { EVIDENCE_TABLES, evidenceStatements } from '../../testing/servers/sent-statements.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { rules } from '../rules/catalog.gen.ts';

const statements = evidenceStatements();

const PASSWORD = randomBytes(12).toString('hex');

const setup = (role: string) => [
  ...EVIDENCE_TABLES,
  `create role ${role} login password '${PASSWORD}' in role pg_monitor`,
  `grant usage on schema spock to ${role}`,
  `grant select on all tables in schema spock to ${role}`,
  'create table numbers (id int generated always as identity)',
  'insert into numbers default values',
  `grant select on sequence numbers_id_seq to ${role}`,
];

describe.each(majorsOfKits())('on PostgreSQL %i', (major) => {
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

  it.each(statements)('$name shows its evidence', async ({ name, text }) => {
    await client.query('begin read only');
    try {
      // A prepared statement is one, without another behind it.
      await client.query({ name, text });
    } finally {
      await client.query('rollback');
    }
  });

  it('names the column that a sequence feeds', async () => {
    const text = statements.find(({ name }) => name === 'rule.sequence_usage_high')?.text ?? '';
    const { rows } = await client.query(text);
    expect(rows).toMatchObject([{ sequencename: 'numbers_id_seq', of_table: 'numbers', of_column: 'id' }]);
  });
});

it('most rules have a statement', () => {
  expect(statements.length).toBeGreaterThan(rules.length / 2);
});
