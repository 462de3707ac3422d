// A session on a test server, as the sources of host facts are given it.

import { systemClock } from '../../kernel/clock.ts';
import { Secret } from '../../kernel/secret.ts';
import { connectTarget, type TargetClient } from '../../monitored/connect.ts';
import type { HostInput } from '../../probes/hosts/types.ts';
import type { TestServer } from './postgres.ts';

export interface HostSession extends AsyncDisposable {
  input: HostInput;
  client: TargetClient;
}

export interface HostSessionOptions {
  database?: string;
  /** The superuser when absent. */
  login?: { username: string; password: string };
  node_exporter_url?: string;
  allow_private_networks?: boolean;
}

export async function hostSession(
  server: TestServer,
  options: HostSessionOptions = {},
): Promise<HostSession> {
  const { database = 'postgres', login, node_exporter_url = null, allow_private_networks = true } = options;
  const client = await connectTarget({
    host: server.host,
    port: server.port,
    database,
    username: login?.username ?? server.superuser,
    password: new Secret(login?.password ?? server.password),
    ssl_mode: 'prefer',
    application_name: 'matriarch host test',
    connect_timeout_ms: 5000,
    statement_timeout_ms: 5000,
    allow_private_networks: true,
    session: { default_transaction_read_only: 'on' },
  });
  const input: HostInput = {
    query: (statement) => client.query<Record<string, unknown>>(statement.text, statement.values),
    node_exporter_url,
    allow_private_networks,
    clock: systemClock,
    signal: new AbortController().signal,
  };
  return { input, client, [Symbol.asyncDispose]: () => client.close() };
}
