// What is kept quiet now, for whoever raises alerts or sends notifications: one statement for all connections. Guards: a
// blackout of a server, its cluster, its group or the estate covers all of its databases; one of a database covers that one.
import type { Db } from '../../kernel/db.ts';
import { listInForce } from './in-force.queries.ts';

export interface Covering {
  id: number;
  reason: string;
  /** RFC 3339; it is over at this time. */
  end_time: string;
}

export interface InForce {
  /**
   * The blackout that keeps it quiet, the one that lasts longest where there are several. Without a database, what is
   * said of the server as a whole, which the blackout of one database does not cover.
   */
  covers(connectionId: number, databaseName?: string | null): Covering | undefined;
}

/** `now` in milliseconds since the epoch. */
export async function blackoutsInForce(db: Db, now: number): Promise<InForce> {
  const whole = new Map<number, Covering>();
  const databases = new Map<number, Map<string, Covering>>();
  for (const { connection_id, database_name, ...covering } of await listInForce(
    db,
    new Date(now).toISOString(),
  ))
    if (database_name === null) whole.set(connection_id, covering);
    else {
      const mine = databases.get(connection_id) ?? new Map<string, Covering>();
      databases.set(connection_id, mine.set(database_name, covering));
    }
  return {
    covers(connectionId, databaseName) {
      const server = whole.get(connectionId);
      const database = databaseName ? databases.get(connectionId)?.get(databaseName) : undefined;
      if (!server || !database) return server ?? database;
      return Date.parse(database.end_time) > Date.parse(server.end_time) ? database : server;
    },
  };
}
