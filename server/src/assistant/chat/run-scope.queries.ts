// Which servers a question is about, of those that its asker sees, and what they are.

import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import { factInForce, factsInForce } from '../../store/read/doors/relations.ts';

export interface ScopeServer {
  id: number;
  name: string;
  /** As the server writes it; null: it was not read yet. */
  version: string | null;
  /** Who runs it, in words of ours. */
  flavour: string;
}

export interface RequestedScope {
  kind: 'estate' | 'group' | 'cluster' | 'server';
  id: number | null;
}

/** At most 51 servers, by id. Who runs one is told by the parameters that only their servers have. */
export const scopeServers = (
  db: Db,
  principal: Principal,
  { kind, id }: RequestedScope,
): Promise<ScopeServer[]> =>
  db.rows(sql`/* chat_runs.scope */
    select c.id, c.name, fact.value ->> 'server_version' as version,
      coalesce((
        select min(case split_part(f.item_key, '.', 1)
          when 'rds' then 'Amazon RDS or Aurora'
          when 'azure' then 'Azure Database for PostgreSQL'
          when 'cloudsql' then 'Google Cloud SQL'
          when 'alloydb' then 'Google AlloyDB'
          when 'neon' then 'Neon'
        end)
        from ${factsInForce('pg_settings')} f
        where f.connection_id = c.id and f.item_key ~ '^(rds|azure|cloudsql|alloydb|neon)[.]'
      ), 'PostgreSQL, not known to be managed by a provider') as flavour
    from matriarch.connections c
    join matriarch.connection_scopes s on s.connection_id = c.id
    left join ${factInForce('pg_server_info')} fact on fact.connection_id = c.id
    where c.deleted_at is null and ${visible(principal)}
      and case ${kind}::text
        when 'server' then c.id = ${id}::int
        when 'cluster' then s.cluster_id = ${id}::int
        when 'group' then s.group_id = ${id}::int
        else true
      end
    order by c.id
    limit 51`);
