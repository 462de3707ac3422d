// The statements of overrides: what is set for a server, a cluster or a group instead of what holds for the estate. Each
// kind has a table of the same form. Its key is the scope and the subject that is set; the other columns are values, and
// one row wins whole. Guards: an override never outlives its scope. A writer locks the scope until its transaction ends,
// and deleting a scope deletes its overrides afterwards.
import type { Db } from '../../kernel/db.ts';
import { identifier, join, nameLiteral, type Sql, sql } from '../../kernel/sql.ts';
import type { Scope, ScopeKind } from './scopes.schemas.ts';

const TYPES = {
  boolean: sql`boolean`,
  int: sql`int`,
  double: sql`double precision`,
  text: sql`text`,
};
interface TypeOf {
  boolean: boolean;
  int: number;
  double: number;
  text: string;
}

interface Form {
  readonly table: string;
  /** The column that names what is set, and its type. */
  readonly subject: readonly [name: string, type: 'int' | 'text'];
  readonly values: Readonly<Record<string, keyof TypeOf>>;
  /** Columns that take their default again with each change. */
  readonly renewed: readonly string[];
}

const FORMS = {
  probe: {
    table: 'probe_overrides',
    subject: ['probe_name', 'text'],
    values: { is_enabled: 'boolean', interval_seconds: 'int', retention_days: 'int' },
    // Collectors look for a new revision every second.
    renewed: ['updated_at', 'revision'],
  },
  rule: {
    table: 'alert_overrides',
    subject: ['rule_id', 'int'],
    values: { operator: 'text', threshold: 'double', severity: 'text', is_enabled: 'boolean' },
    renewed: ['updated_at'],
  },
  channel: {
    table: 'channel_overrides',
    subject: ['channel_id', 'int'],
    values: { is_enabled: 'boolean' },
    renewed: ['updated_at'],
  },
} as const satisfies Record<string, Form>;

type Forms = typeof FORMS;
export type OverrideKind = keyof Forms;
export type OverrideValues<K extends OverrideKind> = {
  -readonly [N in keyof Forms[K]['values']]: Forms[K]['values'][N] extends keyof TypeOf
    ? TypeOf[Forms[K]['values'][N]]
    : never;
};

/** Names one override. */
export interface OverrideKey<K extends OverrideKind> extends Readonly<Scope> {
  readonly kind: K;
  readonly subject: TypeOf[Forms[K]['subject'][1]];
}

const SCOPE_ROWS: Record<ScopeKind, Sql> = {
  server: sql`matriarch.connections t where t.deleted_at is null and`,
  cluster: sql`matriarch.clusters t where`,
  group: sql`matriarch.cluster_groups t where`,
};

const tableOf = ({ table }: Form) => sql`matriarch.${identifier(table)}`;

/** False when the scope was deleted meanwhile. Values that are set already are not written again. */
export async function putOverride<K extends OverrideKind>(
  db: Db,
  { kind, scope, scope_id, subject }: OverrideKey<K>,
  values: OverrideValues<K>,
): Promise<boolean> {
  const form: Form = FORMS[kind];
  const given: Readonly<Record<string, unknown>> = values;
  const [name, type] = form.subject;
  const columns = Object.entries(form.values);
  const list = (of: Sql) => join(columns.map(([column]) => sql`${of}${identifier(column)}`));
  const { found } = await db.one<{ found: boolean }>(sql`/* overrides.put */
    with target as materialized (
      select t.id
      from ${SCOPE_ROWS[scope]} t.id = ${scope_id}
      for share
    ), put as (
      insert into ${tableOf(form)} as o (scope, scope_id, ${identifier(name)}, ${list(sql``)})
      select
        ${scope}, target.id, ${subject}::${TYPES[type]},
        ${join(columns.map(([column, of]) => sql`${given[column]}::${TYPES[of]}`))}
      from target
      on conflict (scope, scope_id, ${identifier(name)}) do update
      set
        (${list(sql``)}) = row(${list(sql`excluded.`)}),
        ${join(form.renewed.map((column) => sql`${identifier(column)} = default`))}
      where (${list(sql`o.`)}) is distinct from (${list(sql`excluded.`)})
    )
    select exists (select from target) as found`);
  return found;
}

/** How many there were. */
export function dropOverride(
  db: Db,
  { kind, scope, scope_id, subject }: OverrideKey<OverrideKind>,
): Promise<number> {
  const form: Form = FORMS[kind];
  return db.run(sql`/* overrides.drop */
    delete from ${tableOf(form)} o
    where o.scope = ${scope} and o.scope_id = ${scope_id} and o.${identifier(form.subject[0])} = ${subject}`);
}

/** All overrides of these scopes. */
export async function deleteOverrides(db: Db, scope: ScopeKind, ids: readonly number[]): Promise<void> {
  for (const form of Object.values(FORMS))
    await db.run(sql`/* overrides.delete */
      delete from ${tableOf(form)} o where o.scope = ${scope} and o.scope_id = any(${ids}::int[])`);
}

/** Joins as `o` the override of `subject` that is set for the scope itself. */
export function overrideAt(kind: OverrideKind, { scope, scope_id }: Scope, subject: Sql): Sql {
  const form: Form = FORMS[kind];
  return sql`left join ${tableOf(form)} o
      on o.scope = ${scope} and o.scope_id = ${scope_id}::int and o.${identifier(form.subject[0])} = ${subject}`;
}

/** A connection with its cluster and its group. */
export interface Hierarchy {
  connection_id: number;
  server_name: string;
  cluster_id: number | null;
  cluster_name: string | null;
  group_id: number | null;
  group_name: string | null;
}

/** One row of `Hierarchy`, none for a connection that is not there. */
export const hierarchyOf = (connectionId: number): Sql => sql`(
  select
    c.id as connection_id, c.name as server_name, l.id as cluster_id, l.name as cluster_name, g.id as group_id,
    g.name as group_name
  from matriarch.connection_scopes s
  join matriarch.connections c on c.id = s.connection_id
  left join matriarch.clusters l on l.id = s.cluster_id
  left join matriarch.cluster_groups g on g.id = s.group_id
  where s.connection_id = ${connectionId}::int
)`;

/** Overrides that hold for a connection, by the scope that each is set for. */
export type Reaching<Values> = Partial<Record<ScopeKind, Values>>;

/** The subject and `overrides` (of `Reaching`) of every subject that is set for a row of `hierarchyOf`, here `place`. */
export function reachingOverrides(kind: OverrideKind): Sql {
  const form: Form = FORMS[kind];
  const values = Object.keys(form.values).map(
    (column) => sql`${nameLiteral(column)}, o.${identifier(column)}`,
  );
  const subject = identifier(form.subject[0]);
  return sql`(
      select o.${subject}, jsonb_object_agg(o.scope, jsonb_build_object(${join(values)})) as overrides
      from place
      join ${tableOf(form)} o
        on (o.scope, o.scope_id) in (
          ('server', place.connection_id), ('cluster', place.cluster_id), ('group', place.group_id)
        )
      group by o.${subject}
    )`;
}
