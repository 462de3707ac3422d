// The register of the tables of samples and ticks, with how long each is kept.
import { sql } from '../../kernel/sql.ts';

export interface Policy {
  table_name: string;
  probe: string;
  layout: 'samples' | 'objects';
  interval_seconds: number;
  /** As declared. */
  retention_days: number;
  /** The longest that any connection keeps it; null before the maintenance job has looked. */
  longest_retention_days: number | null;
}

export const policies = sql`
  /* store.policies */
  select table_name, probe, layout, interval_seconds, retention_days, longest_retention_days
  from matriarch.metric_tables
  order by table_name`;
