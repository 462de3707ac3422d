// Servers added by the API, for journeys that are about what comes after that.
import type { APIRequestContext } from 'playwright-core';
import { expect } from 'vitest';
import type { TestClient } from '../../server/src/testing/servers/client.ts';
import type { OwnServer } from './own-server.ts';

/** A place where nothing listens. */
export const NOWHERE = {
  host: '127.0.0.1',
  port: 1,
  database_name: 'postgres',
  username: 'monitor',
  password: 'none',
};

/** Where a server of one's own is, and who may read its statistics. */
export const placeOf = ({ cluster, role, password }: OwnServer) => ({
  host: cluster.host,
  port: cluster.port,
  database_name: 'postgres',
  username: role,
  password,
});

/** Adds a server, and answers its number. */
export async function addConnection(request: APIRequestContext, data: object): Promise<number> {
  const response = await request.post('/api/v1/connections', { data });
  expect(response.status(), await response.text()).toBe(201);
  const { id }: { id: number } = await response.json();
  return id;
}

/** Probes of one server every few seconds instead of minutes or hours, so that nobody waits for them. */
export async function readOften(
  request: APIRequestContext,
  id: number,
  seconds: Readonly<Record<string, number>>,
): Promise<void> {
  for (const [probe, collection_interval_seconds] of Object.entries(seconds)) {
    const often = await request.put(`/api/v1/probe-overrides/server/${id}/${probe}`, {
      data: { is_enabled: true, collection_interval_seconds, retention_days: 7 },
    });
    expect(often.status(), await often.text()).toBe(200);
  }
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
/** What is found of such an index. */
export const SUPERFLUOUS = 'Redundant index';

/** A table of customers with an index of that name, which another index makes superfluous. */
export async function makeSuperfluousIndex(client: TestClient, name: string): Promise<void> {
  await client.query('create table customer (id int primary key, name text, town text)');
  await client.query('insert into customer select n, n::text, n::text from generate_series(1, 2000) n');
  await client.query('create index customer_name_town on customer (name, town)');
  await client.query(`create index ${quoted(name)} on customer (name)`);
  await client.query('vacuum analyze customer');
}
