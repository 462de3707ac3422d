// What a backtest has to know before it reads the past: the rule, the servers of the scope that the caller may read, what is
// in force on each, and how much there is to read. One statement.

import { type Principal, visible } from '../../identity/identity.ts';
import type { Db } from '../../kernel/db.ts';
import { type Sql, sql } from '../../kernel/sql.ts';
import { entitiesKnown, newestLimit } from '../../store/read/doors/relations.ts';
import type { Operator, Severity } from '../rules/types.ts';
import type { BacktestScope } from './backtest.schemas.ts';

export interface BacktestRow {
  rule_name: string;
  /** Null: the scope has no server that the caller may read. */
  connection_id: number | null;
  connection_name: string;
  operator: Operator;
  threshold: number;
  severity: Severity;
  is_enabled: boolean;
  interval_seconds: number;
  retention_days: number;
  /** Milliseconds since the epoch. */
  created_at: number;
  /** Of the rule's probe, as far as the dictionary knows. */
  entities: number;
  /** What the metric is a share of; null: nobody knows, or it is none. */
  limit_value: number | null;
}

export interface RuleReads {
  rule: string;
  probe: string;
  /** What its metric is a share of. */
  limit: { readonly probe: string; readonly column: string } | undefined;
}

export interface BacktestQuery {
  rule_id: number;
  scope: BacktestScope;
  scope_id: number | undefined;
  /** Milliseconds since the epoch. */
  from: number;
  /** What all rules read. */
  read: readonly RuleReads[];
  most: number;
}

const WITHIN: Record<BacktestScope, (id: number) => Sql> = {
  server: (id) => sql`s.connection_id = ${id}::int`,
  cluster: (id) => sql`s.cluster_id = ${id}::int`,
  group: (id) => sql`s.group_id = ${id}::int`,
  estate: () => sql`true`,
};

export const findBacktest = (
  db: Db,
  principal: Principal,
  { rule_id, scope, scope_id = 0, from, read, most }: BacktestQuery,
): Promise<BacktestRow[]> =>
  db.rows<BacktestRow>(sql`/* alert_rules.backtest */
    select
      r.name as rule_name, c.id as connection_id, c.name as connection_name,
      e.operator, e.threshold, e.severity, e.is_enabled, p.interval_seconds, p.retention_days,
      (extract(epoch from c.created_at) * 1000)::double precision as created_at,
      ${entitiesKnown({ connection: sql`c.id`, kind: sql`k.probe`, from })} as entities,
      ${newestLimit({ connection: sql`c.id`, probe: sql`k.limit_probe`, column: sql`k.limit_column` })} as limit_value
    from matriarch.alert_rules r
    join unnest(
      ${read.map(({ rule }) => rule)}::text[], ${read.map(({ probe }) => probe)}::text[],
      ${read.map(({ limit }) => limit?.probe ?? null)}::text[], ${read.map(({ limit }) => limit?.column ?? null)}::text[]
    ) as k (rule, probe, limit_probe, limit_column) on k.rule = r.name
    left join lateral (
      select c.id, c.name, c.created_at
      from matriarch.connections c
      join matriarch.connection_scopes s on s.connection_id = c.id
      where ${WITHIN[scope](scope_id)} and ${visible(principal)}
      order by c.id
      limit ${most}::int
    ) c on true
    left join matriarch.effective_alert_rules e on e.connection_id = c.id and e.rule_id = r.id
    left join matriarch.effective_probe_settings p on p.connection_id = c.id and p.probe_name = k.probe
    where r.id = ${rule_id}::bigint
    order by c.id`);
