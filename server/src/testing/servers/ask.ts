// One question to a server of a test, over a session of its own.
import pg from 'pg';
import type { TestServer } from './cluster.ts';

export async function ask(config: pg.ClientConfig, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionTimeoutMillis: 5000, ...config });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

export function tcp(server: TestServer): pg.ClientConfig {
  const { host, port, superuser: user, password } = server;
  return { host, port, user, password, database: 'postgres' };
}
