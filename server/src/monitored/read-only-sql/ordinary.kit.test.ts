// Ordinary statements of 14 to 18 are answered, and every view of the system is, but for those that hold secrets.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StatementParser } from '../../kernel/parser/parser.ts';
import { Secret } from '../../kernel/secret.ts';
import { startCluster, type TestCluster } from '../../testing/servers/postgres.ts';
import { withKeptPlan } from '../../testing/sql/kept-plan.ts';
import { ORDINARY, ORDINARY_SCENE } from '../../testing/sql/ordinary.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { connectTarget, type TextClient } from '../connect.ts';
import { readRows } from './read.ts';
import { StatementRefused } from './types.ts';

const parser = new StatementParser();
afterAll(() => parser.stop());

const SECRET =
  /_foreign_(?:server|data|table)|user_mapping|pg_(?:authid|shadow|config|largeobject|subscription|file_settings|hba_|ident_|statistic_ext_data)/;

describe.each(majorsOfKits())('on PostgreSQL %s', (major) => {
  let server: TestCluster;
  let client: TextClient | undefined;
  beforeAll(async () => {
    server = await startCluster({ major });
    for (const text of ORDINARY_SCENE) await server.query(text);
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  /** Undefined: it was answered. The session is used again while it lives. */
  async function refusal(text: string): Promise<string | undefined> {
    client ??= withKeptPlan(
      await connectTarget({
        host: '127.0.0.1',
        port: server.port,
        database: 'postgres',
        username: 'postgres',
        password: new Secret(server.password),
        ssl_mode: 'disable',
        application_name: 'matriarch sql',
        connect_timeout_ms: 20_000,
        statement_timeout_ms: 20_000,
        allow_private_networks: true,
      }),
    );
    client.onLost(() => {
      client = undefined;
    });
    const options = { client, parser, timeout_ms: 20_000, allow_superuser: true };
    try {
      await readRows(options, { text, limit: 10, offset: 0 });
      return undefined;
    } catch (error) {
      if (error instanceof StatementRefused) return `${error.why}: ${error.message}`;
      throw error;
    }
  }

  it('what 14 and every version since brought is answered', async () => {
    const texts = Object.entries(ORDINARY).flatMap(([since, list]) => (Number(since) <= major ? list : []));
    expect(texts.length).toBeGreaterThan(150);
    const refused: [string, string][] = [];
    for (const text of texts) {
      const why = await refusal(text);
      if (why !== undefined) refused.push([text, why]);
    }
    expect(refused).toEqual([]);
  });

  it('every relation of the system is read, unless it may hold secrets', async () => {
    const found: unknown = await server.query(`
      select n.nspname || '.' || c.relname as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname in ('pg_catalog', 'information_schema') and c.relkind in ('r', 'v') order by 1`);
    const names = Array.isArray(found) ? found.map(({ name }) => String(name)) : [];
    expect(names.length).toBeGreaterThan(190);
    const refused: [string, string][] = [];
    for (const name of names) {
      const why = await refusal(`select * from ${name}`);
      // Not every machine has it.
      if (why?.includes('NUMA is not supported')) continue;
      if (why !== undefined && !(SECRET.test(name) && why.includes('may hold secrets')))
        refused.push([name, why]);
    }
    expect(refused).toEqual([]);
  });
});
