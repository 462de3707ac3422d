import { sqlRoutes } from '../../assistant/sql/sql.routes.ts';
import { createSql } from '../../assistant/sql/sql.service.ts';
import { queryRole } from '../../datastore/query-role.ts';
import { Secret } from '../../kernel/secret.ts';
import { connectionsOf } from './connections.ts';
import { sharedPart, type TestRoom, vaultOf } from './parts.ts';

export const sqlOf = sharedPart(async (parts) => {
  const { url, clock } = parts;
  const vault = await vaultOf(parts);
  const missing = async () => ({ kind: 'missing' as const, reason: 'This test has given no address.' });
  const datastore = url ? queryRole({ url, vault }) : { url: new Secret(''), role: missing };
  const limits = { queries_per_minute: 10_000, sql_as_superuser: 'all' as const };
  const sql = createSql({ connections: await connectionsOf(parts), clock, datastore, ...limits });
  parts.closeWith(() => sql.stop());
  return sql;
});

export const sqlRoom: TestRoom = async (parts) => sqlRoutes(await sqlOf(parts));
