// Whether a pooler stands before a datastore that somebody named, and whether it can be worked with. Guards: locks, settings and LISTEN
// belong to a session, so one that is not ours alone is refused at the start, in one sentence, before anything is written.
import pg from 'pg';
import { processIdOf } from '../kernel/driver.ts';
import { errorCode } from '../kernel/errors.ts';
import type { Secret } from '../kernel/secret.ts';
import { clientOptions } from '../kernel/session.ts';

const CONNECT_MS = 5000;
const PROTOCOL_VIOLATION = '08P01';
const MARK = 'matriarch.shared';

const DO = 'Name the address of the PostgreSQL server itself in datastore_url.';
export const REFUSES = `a connection pooler answers there and refuses the settings of our sessions. ${DO}`;
export const DROPS = `a connection pooler answers there and drops the settings of our sessions (ignore_startup_parameters). ${DO}`;
export const SHARES = `a connection pooler answers there and gives one session to several clients, so that locks and settings do not hold. ${DO} A pooler that passes our settings on and pools whole sessions (pool_mode = session) works, too.`;

const LOOK = `/* datastore.pooler */
select pg_catalog.pg_backend_pid() as pid,
  pg_catalog.current_setting('search_path') as search_path,
  pg_catalog.current_setting('${MARK}', true) as mark`;
const setMark = (value: string) =>
  `/* datastore.pooler */ select pg_catalog.set_config('${MARK}', '${value}', false)`;

interface Looked {
  pid: number;
  search_path: string;
  mark: string | null;
}

async function opened<T>(url: Secret, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({
    ...clientOptions(url, 'matriarch start'),
    connectionTimeoutMillis: CONNECT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const look = async (client: pg.Client) => (await client.query<Looked>(LOOK)).rows[0];

/** Another session finds the mark of this one, where both are the same one of the server. */
async function isShared(url: Secret, client: pg.Client): Promise<boolean> {
  await client.query(setMark('1'));
  try {
    return await opened(url, async (other) => (await look(other))?.mark === '1');
  } finally {
    await client.query(setMark(''));
  }
}

/** The end of a sentence about the datastore; undefined: nothing stands in the way. Rejects where it cannot be reached. */
export async function poolerProblem(url: Secret): Promise<string | undefined> {
  try {
    return await opened(url, async (client) => {
      const seen = await look(client);
      if (!seen?.search_path.startsWith('matriarch')) return DROPS;
      if (seen.pid === processIdOf(client)) return undefined;
      return (await isShared(url, client)) ? SHARES : undefined;
    });
  } catch (error) {
    if (errorCode(error) === PROTOCOL_VIOLATION) return REFUSES;
    throw error;
  }
}
