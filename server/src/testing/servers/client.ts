// A session of a client on a server of a test, for loads that the test makes. Guards: a server that goes away ends it
// quietly; whoever opens one ends it.
import pg from 'pg';

export interface TestClient {
  readonly pid: number;
  /** Rejects as the server answers it. */
  query(text: string): Promise<void>;
  /** The same for what is ended before it is over. */
  begin(text: string): Promise<void>;
  end(): Promise<void>;
}

export async function openClient(server: { url: string }, application_name: string): Promise<TestClient> {
  const client = new pg.Client({ connectionString: server.url, application_name });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const query = async (text: string) => {
    await client.query(text);
  };
  return {
    pid: rows[0]?.pid ?? 0,
    query,
    begin: (text) => query(text).catch(() => undefined),
    end: () => client.end().catch(() => undefined),
  };
}
