// What the room offers: reading statements for tools, and the operation that runs whatever somebody typed.

import type { ConnectionsDeps } from '../../estate/estate.ts';
import type { Ctx } from '../../identity/identity.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Part } from '../../kernel/lifecycle.ts';
import { StatementParser } from '../../kernel/parser/parser.ts';
import { createRateLimit } from '../../kernel/rate-limit.ts';
import { createDatastoreSql, type DatastoreSql, type DatastoreSqlParts } from './datastore-sql.service.ts';
import { type QueryAnswer, runQuery, type SqlRequest } from './query.service.ts';
import { createReadOnlySql, type ReadOnlySql } from './read-only-sql.service.ts';

export interface Sql extends ReadOnlySql {
  /** Statements on our own datastore. */
  datastore: DatastoreSql;
  /** The caller's access has been checked to be one that reads. */
  runConnectionQuery(ctx: Ctx, wanted: SqlRequest): Promise<QueryAnswer>;
}

export interface SqlOptions {
  connections: ConnectionsDeps;
  clock: Clock;
  queries_per_minute: number;
  /** Ids of connections on which tools may run statements as a superuser. */
  sql_as_superuser: readonly string[] | 'all';
  /** Where the datastore is, and as whom its views are read. */
  datastore: Pick<DatastoreSqlParts, 'url' | 'role'>;
}

export function createSql({ connections, clock, datastore, ...options }: SqlOptions): Sql & Part {
  const parser = new StatementParser();
  const { queries_per_minute: limit, sql_as_superuser } = options;
  const mayBeSuperuser = (id: number) => sql_as_superuser === 'all' || sql_as_superuser.includes(String(id));
  const parts = { connections, parser, mayBeSuperuser };
  const readOnly = createReadOnlySql(parts);
  const runs = createRateLimit({ limit, window_ms: 60_000, clock });
  return {
    ...readOnly,
    name: 'sql',
    datastore: createDatastoreSql({ ...datastore, parser }),
    runConnectionQuery: async (ctx, wanted) => {
      runs.enforce(`user ${ctx.principal.user_id}`);
      return runQuery(ctx, parts, wanted);
    },
    stop: () => parser.stop(),
  };
}
