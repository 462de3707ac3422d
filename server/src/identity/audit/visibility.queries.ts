// Which rows of the audit log somebody may see whole, as SQL on a row `e` of matriarch.audit_events. Guards: a row that
// names a connection, cluster or group of clusters which the caller cannot see, or that something is named in which is
// not known here, is hidden; a new kind of target, or a path of a new room that names something, hides until it is told
// here what it names.
import { type Sql, sql } from '../../kernel/sql.ts';
import { visible } from '../access/access.queries.ts';
import { subjectOf, wildcardLevel } from '../access/levels.queries.ts';
import type { Principal } from '../access/principal.ts';
import { visibleCluster, visibleClusterGroup } from '../access/scopes.queries.ts';

/** Kinds of targets that say nothing of any connection, or whose details say which one they are about. */
const OPEN_KINDS = [
  'user',
  'token',
  'group',
  'operation',
  'probe',
  'blackout',
  'blackout_schedule',
  'channel',
  'alert_rule',
  'alert',
  'finding',
  'report_schedule',
];

/** What all rows are about is visible to a superuser without a ceiling over connections. */
export const seesEverything = ({ is_superuser, all_connections, scope }: Principal): boolean =>
  (all_connections ?? is_superuser) && scope?.connections === undefined;

/** What `principal` can see, once for each statement: `seen (kind, id)` and `holder (of_all)`; the first part of a statement. */
export const seenBy = (principal: Principal): Sql => sql`/* audit.seen */ with seen as materialized (
    select 'connection' as kind, c.id::text as id from matriarch.connections c where ${visible(principal)}
    union all
    select 'cluster', cl.id::text from matriarch.clusters cl where ${visibleCluster(principal)}
    union all
    select 'cluster_group', g.id::text from matriarch.cluster_groups g where ${visibleClusterGroup(principal)}
  ),
  there as materialized (
    select 'connection' as kind, c.id::text as id from matriarch.connections c where c.deleted_at is null
    union all
    select 'cluster', cl.id::text from matriarch.clusters cl
    union all
    select 'cluster_group', g.id::text from matriarch.cluster_groups g
  ),
  holder as materialized (
    select ${wildcardLevel(subjectOf(principal))} > 0 as of_all
  )`;

/** Everything that the details name by the member `connection_id` or such, however deep. */
const inDetails = sql`(
  select 'connection' as kind, named #>> '{}' as id
  from (
    select jsonb_path_query(e.details, '$.**.connection_id') as named
    union all
    select jsonb_path_query(e.details, '$.**.connection_ids[*]')
    union all
    select jsonb_path_query(e.details, '$.**.source_connection_id')
    union all
    select jsonb_path_query(e.details, '$.**.target_connection_id')
  ) members
  union all
  select 'connection', split_part(granted #>> '{}', ':', 1)
  from (
    select jsonb_path_query(e.details, '$ ? (@.kind == "connections").granted[*]') as granted
    union all
    select jsonb_path_query(e.details, '$ ? (@.kind == "connections").revoked[*]')
  ) sets
  union all
  select 'cluster', named #>> '{}' from jsonb_path_query(e.details, '$.**.cluster_id') named
  union all
  select 'cluster_group', named #>> '{}' from jsonb_path_query(e.details, '$.**.group_id') named
  union all
  select
    case e.details ->> 'scope' when 'server' then 'connection' when 'group' then 'cluster_group' else e.details ->> 'scope' end,
    e.details ->> 'scope_id'
  where e.details ? 'scope_id'
)`;

/** What the path of a refused request names. A part with a digit that is not known here names something unknown. */
const inPath = sql`(
  select
    case
      when part[1] in ('connections', 'server-info', 'probe-overrides/server') then 'connection'
      when part[1] = 'clusters' and part[2] like 'server-%' then 'connection'
      when part[1] in ('clusters', 'probe-overrides/cluster') then 'cluster'
      when part[1] in ('cluster-groups', 'probe-overrides/group') then 'cluster_group'
      else 'unknown'
    end as kind,
    substring(part[2] from '^(?:cluster-|server-|group-)?([0-9]+)$') as id
  from regexp_matches(
    e.details ->> 'path',
    '(probe-overrides/[a-z]+|[a-z-]+)/((?:cluster-|server-|group-)[^/]+|[^/]*[0-9][^/]*)',
    'g'
  ) as part
  where e.details ->> 'path' !~ '^/api/v1/(rbac/(users(?!/[^/]+/scopes)|tokens|groups/[^/]*(/members.*|/permissions.*|/privileges/mcp.*)?$)|probe-configs)'
    and part[1] not in ('api', 'groups')
)`;

/** True where the row names something that the caller cannot see. What is gone shows to who sees all that may come. */
export const isHidden: Sql = sql`exists (
  select
  from (
    select e.target_kind as kind, e.target_id as id
    where e.target_kind is not null and e.target_kind <> all(${OPEN_KINDS}::text[])
    union all
    select named.kind, named.id from ${inDetails} named where named.id is not null and named.id <> '0'
    union all
    select named.kind, named.id from ${inPath} named
  ) named
  where (named.kind, coalesce(named.id, '')) not in (select seen.kind, seen.id from seen)
    and not (
      named.kind in ('connection', 'cluster', 'cluster_group')
      and (named.kind, coalesce(named.id, '')) not in (select there.kind, there.id from there)
      and (select of_all from holder)
    )
)`;
