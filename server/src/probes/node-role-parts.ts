// Parts of the statement of pg_node_role: what it reads of subscriptions, senders, slots and spock. Guards: of
// connection strings only host, port and database are read, never a password; lists are cut at a hundred entries.
import { type Capabilities, hasColumn } from './types.ts';

export const SUBSCRIPTION = 'pg_catalog.pg_subscription';
const NODE = '@spock.node';
const INTERFACE = '@spock.node_interface';
const LOCAL_NODE = '@spock.local_node';
const SPOCK_SUBSCRIPTION = '@spock.subscription';
export const SPOCK_VIEWS = [NODE, INTERFACE, LOCAL_NODE, SPOCK_SUBSCRIPTION] as const;

const IN_URL = {
  host: '^postgres(?:ql)?://(?:[^@/]*@)?([^:/?,]+)',
  port: '^postgres(?:ql)?://(?:[^@/]*@)?[^:/?,]*:([0-9]+)',
  dbname: '^postgres(?:ql)?://[^/?]*/([^?]+)',
} as const;

/** host, port or database of a connection string, in either form; null where it has none. */
export const partOf = (text: string, part: keyof typeof IN_URL) => `coalesce(
      pg_catalog."substring"(${text}, '(?:^|\\s)${part}\\s*=\\s*''?([^''\\s,]+)'),
      pg_catalog."substring"(${text}, '${IN_URL[part]}')
    )`;

export function subscriptions(capabilities: Capabilities): string {
  const conninfo = hasColumn(capabilities, SUBSCRIPTION, 'subconninfo') ? 'p.subconninfo' : 'null::text';
  return `select
    pg_catalog.count(*) as subscription_count,
    pg_catalog.count(*) filter (where w.works) as active_subscription_count,
    (pg_catalog.array_agg(${partOf(conninfo, 'host')} order by p.oid))[1] as publisher_host,
    (pg_catalog.array_agg(${partOf(conninfo, 'port')} order by p.oid))[1]::integer as publisher_port,
    pg_catalog.jsonb_agg(
      pg_catalog.jsonb_build_object(
        'name', p.subname,
        'enabled', p.subenabled,
        'active', w.works,
        'publications', p.subpublications,
        'slot_name', p.subslotname,
        'publisher_host', ${partOf(conninfo, 'host')},
        'publisher_port', ${partOf(conninfo, 'port')},
        'publisher_database', ${partOf(conninfo, 'dbname')}
      ) order by p.oid
    ) filter (where p.nth <= 100) as subscription_details
  from (
    select c.*, pg_catalog.row_number() over (order by c.oid) as nth
    from (
      select
        p.oid, p.subname, p.subenabled, p.subpublications,
        p.subslotname${conninfo.startsWith('p.') ? ', p.subconninfo' : ''}
      from pg_catalog.pg_subscription p
    ) c
  ) p
  cross join lateral (
    select exists (
      select
      from pg_catalog.pg_stat_subscription a
      where a.subid = p.oid and a.pid is not null and a.relid is null
    ) as works
  ) w`;
}

/** Who reads changes, and from which slot. */
export const SLOTS = `select
    pg_catalog.count(*) filter (where l.slot_type = 'logical' and l.active) as active_logical_slot_count,
    pg_catalog.jsonb_agg(
      pg_catalog.jsonb_build_object('name', l.slot_name, 'database', l.database, 'active', l.active)
      order by l.slot_name
    ) filter (where l.slot_type = 'logical' and l.nth <= 100) as slot_details,
    (
      select pg_catalog.jsonb_agg(
        pg_catalog.jsonb_build_object(
          'application_name', s.application_name,
          'client_addr', pg_catalog.host(s.client_addr),
          'slot_name', s.slot_name
        ) order by s.pid
      )
      from (
        select w.pid, w.application_name, w.client_addr, o.slot_name
        from pg_catalog.pg_stat_replication w
        join pg_catalog.pg_replication_slots o on o.active_pid = w.pid and o.slot_type = 'logical'
        order by w.pid
        limit 100
      ) s
    ) as subscriber_details
  from (
    select o.*, pg_catalog.row_number() over (partition by o.slot_type order by o.slot_name) as nth
    from pg_catalog.pg_replication_slots o
  ) l`;

export const hasSpock = ({ columns }: Capabilities) =>
  [NODE, LOCAL_NODE, SPOCK_SUBSCRIPTION].every((name) => columns.has(name));

/** Where the provider of a subscription is, as far as our role may read it. */
function provider(capabilities: Capabilities): string[] {
  const has = (view: string, ...names: string[]) =>
    names.every((name) => hasColumn(capabilities, view, name));
  const slot = has(SPOCK_SUBSCRIPTION, 'sub_slot_name') ? ["'slot_name', u.sub_slot_name"] : [];
  if (!has(SPOCK_SUBSCRIPTION, 'sub_origin_if') || !has(INTERFACE, 'if_id', 'if_dsn')) return slot;
  const dsn = (part: keyof typeof IN_URL) => partOf('i.if_dsn', part);
  return [
    ...slot,
    `'publisher_host', ${dsn('host')}`,
    `'publisher_port', ${dsn('port')}`,
    `'publisher_database', ${dsn('dbname')}`,
  ];
}

export function spock(capabilities: Capabilities): string {
  const schema = capabilities.extensionSchemas.get('spock');
  if (schema === undefined || !hasSpock(capabilities))
    return `select
    null::bigint as spock_node_id,
    null::text as spock_node_name,
    null::bigint as spock_subscription_count,
    null::text as spock_version,
    null::jsonb as spock_details`;
  const more = provider(capabilities);
  const hasProvider = more.length > 1;
  const columns = ['sub_name', 'sub_enabled', 'sub_origin', 'sub_target'];
  if (hasColumn(capabilities, SPOCK_SUBSCRIPTION, 'sub_slot_name')) columns.push('sub_slot_name');
  if (hasProvider) columns.push('sub_origin_if');
  return `select
    l.node_id::bigint as spock_node_id,
    n.node_name::text as spock_node_name,
    s.subscription_count as spock_subscription_count,
    (select e.extversion from pg_catalog.pg_extension e where e.extname = 'spock') as spock_version,
    s.details as spock_details
  from (select null) one
  left join ${schema}.local_node l on true
  left join ${schema}.node n on n.node_id = l.node_id
  cross join lateral (
    select
      pg_catalog.count(*) as subscription_count,
      pg_catalog.jsonb_agg(
        pg_catalog.jsonb_build_object(
          ${[
            "'name', u.sub_name",
            "'enabled', u.sub_enabled",
            "'origin', o.node_name",
            "'origin_id', u.sub_origin::bigint",
            "'target', t.node_name",
            "'target_id', u.sub_target::bigint",
            ...more,
          ].join(',\n          ')}
        ) order by u.sub_name
      ) filter (where u.nth <= 100) as details
    from (
      select ${columns.map((name) => `b.${name}`).join(', ')}, pg_catalog.row_number() over (order by b.sub_name) as nth
      from ${schema}.subscription b
    ) u
    left join ${schema}.node o on o.node_id = u.sub_origin
    left join ${schema}.node t on t.node_id = u.sub_target${
      hasProvider ? `\n    left join ${schema}.node_interface i on i.if_id = u.sub_origin_if` : ''
    }
  ) s`;
}
