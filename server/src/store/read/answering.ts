// Reads of many connections where a node of the datastore may be away: what the others hold is read all the same. Guards: an error
// that is not of a node is thrown as it is; who reads learns of which connections nothing could be read.
import { type Db, NodeAway } from '../../kernel/db.ts';
import { engineOf } from '../layout/engine/open.ts';

export interface Answering<T> {
  value: T;
  /** Of which nothing was read, since their node does not answer. */
  silent: readonly number[];
}

export const NODE_SILENT = 'The node of the datastore that keeps the metrics of this server does not answer.';

/** Connections whose samples are on a node that does not answer now. */
export const silentNow = (db: Db, connection_ids: readonly number[]): Promise<number[]> =>
  engineOf(db).silent(db, connection_ids);

/** The same, where an error said so; throws the error that brought us here if all of them do. */
export async function silentAfter(
  db: Db,
  connection_ids: readonly number[],
  error: unknown,
): Promise<readonly number[]> {
  if (!(error instanceof NodeAway)) throw error;
  const silent = await silentNow(db, connection_ids);
  if (silent.length === 0) throw error;
  return silent;
}

/** Of all of them, or of those whose nodes answer. */
export async function readAnswering<T>(
  db: Db,
  connection_ids: readonly number[],
  read: (connection_ids: readonly number[]) => Promise<T>,
): Promise<Answering<T>> {
  try {
    return { value: await read(connection_ids), silent: [] };
  } catch (error) {
    const silent = await silentAfter(db, connection_ids, error);
    const rest = new Set(connection_ids).difference(new Set(silent));
    return { value: await read([...rest]), silent };
  }
}

/** How large the datastore's database is, on every server that keeps a part of it: bytes, with everything in it. */
export const databaseSize = (db: Db): Promise<number> => engineOf(db).databaseSize(db);

/** Why work on many servers has left some out. */
export const partly = (servers: number): string =>
  `Of ${servers} ${servers === 1 ? 'server' : 'servers'} they are not: the node of the datastore that keeps their metrics does not answer.`;
