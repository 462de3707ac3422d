// The statements of overrides of channels. Guards: an override never outlives what it is for. Whoever writes one holds that
// row until the end of the transaction, and whoever deletes a server, a cluster or a group forgets its overrides after.

import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import type { ChannelType } from '../channels/catalog.gen.ts';

/** What an override is for, and of which channel. */
export interface OverrideKey {
  readonly scope: 'server' | 'cluster' | 'group';
  readonly scope_id: number;
  readonly channel_id: number;
}

const TARGETS: Record<OverrideKey['scope'], Sql> = {
  server: sql`matriarch.connections t where t.deleted_at is null and`,
  cluster: sql`matriarch.clusters t where`,
  group: sql`matriarch.cluster_groups t where`,
};

export interface OverrideRow {
  channel_id: number;
  channel_name: string;
  channel_type: ChannelType;
  description: string | null;
  is_estate_default: boolean;
  has_override: boolean;
  override_enabled: boolean | null;
}

/** One row for each channel that is enabled. */
export const listOverrides = (
  db: Db,
  { scope, scope_id }: Pick<OverrideKey, 'scope' | 'scope_id'>,
): Promise<OverrideRow[]> =>
  db.rows<OverrideRow>(sql`/* channel_overrides.list */
    select
      n.id as channel_id,
      n.name as channel_name,
      n.channel_type,
      nullif(n.description, '') as description,
      n.is_estate_default,
      o.channel_id is not null as has_override,
      o.is_enabled as override_enabled
    from matriarch.notification_channels n
    left join matriarch.channel_overrides o
      on o.scope = ${scope} and o.scope_id = ${scope_id}::int and o.channel_id = n.id
    where n.enabled
    order by lower(n.name), n.id`);

/** False when what the override is for has gone meanwhile. */
export async function putOverride(db: Db, key: OverrideKey, isEnabled: boolean): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`/* channel_overrides.put */
    with target as materialized (
      select t.id
      from ${TARGETS[key.scope]} t.id = ${key.scope_id}
      for share
    ), put as (
      insert into matriarch.channel_overrides (scope, scope_id, channel_id, is_enabled)
      select ${key.scope}, target.id, ${key.channel_id}::int, ${isEnabled}::boolean
      from target
      on conflict (scope, scope_id, channel_id) do update
      set is_enabled = excluded.is_enabled, updated_at = now()
    )
    select exists (select from target) as found`);
  return found;
}

/** How many there were. */
export const dropOverride = (db: Db, key: OverrideKey): Promise<number> =>
  db.run(sql`/* channel_overrides.drop */
    delete from matriarch.channel_overrides o
    where o.scope = ${key.scope} and o.scope_id = ${key.scope_id} and o.channel_id = ${key.channel_id}::int`);
