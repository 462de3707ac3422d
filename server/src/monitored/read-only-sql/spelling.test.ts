// In a database that is not in UTF-8 a long name with letters beyond ASCII is another one for the server than for our parser.
import pg from 'pg';
import { expect, it } from 'vitest';
import { StatementParser } from '../../kernel/parser/parser.ts';
import { Secret } from '../../kernel/secret.ts';
import { startCluster } from '../../testing/servers/postgres.ts';
import { connectTarget } from '../connect.ts';
import { readRows } from './read.ts';
import { demandSpelling } from './spelling.ts';
import { StatementRefused } from './types.ts';

it('a view of which the parser sees another is not read; short names are', async () => {
  await using server = await startCluster({ major: 18 });
  const { port, password } = server;
  const where = { host: '127.0.0.1', port, database: 'postgres' };
  const admin = new pg.Client({ ...where, user: 'postgres', password });
  await admin.connect();
  await admin.query(`create database latin encoding 'LATIN1' locale 'C' template template0`);
  await admin.end();
  const owner = new pg.Client({ ...where, database: 'latin', user: 'postgres', password });
  await owner.connect();
  const [cut, whole] = ['é'.repeat(31), 'é'.repeat(40)];
  await owner.query(`create view "${cut}" as select 1 as a`);
  await owner.query(`create view "${whole}" as select pg_advisory_lock(1)::text as a`);
  await owner.query('create view été as select 2 as a');
  await owner.end();
  const client = await connectTarget({
    ...where,
    database: 'latin',
    username: 'postgres',
    password: new Secret(password),
    ssl_mode: 'disable',
    application_name: 'matriarch sql',
    connect_timeout_ms: 20_000,
    statement_timeout_ms: 10_000,
    allow_private_networks: true,
    max_socket_bytes: 8 * 1024 * 1024,
  });
  const parser = new StatementParser();
  const options = { client, parser, timeout_ms: 10_000, allow_superuser: true };
  const read = (text: string) =>
    readRows(options, { text, limit: 5, offset: 0 }).then(
      ({ rows }) => rows,
      (error: unknown) => (error instanceof StatementRefused ? error.why : String(error)),
    );
  expect(await read(`select a from "${whole}"`)).toBe('not_allowed');
  expect(await read(`select "${whole}".a from "${cut}"`)).toBe('not_allowed');
  expect(await read('select a from "Été"')).toBe('not_allowed');
  expect(await read('select a from été')).toEqual([['2']]);
  await client.close();
  await parser.stop();
});

it('in UTF-8 every name is as it is', async () => {
  const parser = new StatementParser();
  const parsed = await parser.parse(`select a from "${'É'.repeat(31)}"`);
  const [statement] = parsed.kind === 'parsed' ? parsed.statements : [];
  if (!statement) return expect.fail('not parsed');
  expect(() => demandSpelling(statement, 'UTF8')).not.toThrow();
  expect(() => demandSpelling(statement, 'LATIN1')).toThrow(StatementRefused);
  await parser.stop();
});
