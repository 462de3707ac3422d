// The statements of channels as they are overridden for a scope.

import { overrideAt, type Scope } from '../../estate/estate.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';
import type { ChannelType } from '../channels/catalog.gen.ts';

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
export const listOverrides = (db: Db, scope: Scope): Promise<OverrideRow[]> =>
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
    ${overrideAt('channel', scope, sql`n.id`)}
    where n.enabled
    order by lower(n.name), n.id`);
