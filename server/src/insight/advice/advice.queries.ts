// What is asked of a server about statements that are to be planned there. Guards: nothing here changes anything; every transaction is
// read-only and rolled back, every name is qualified, and the text of a statement goes behind explain alone, without analyze.

/** Everything that depends on nothing but what every database has from its making. */
const FIRST_OWN_OID = 16384;

const CLASS = (name: string) => `'pg_catalog.${name}'::pg_catalog.regclass`;
/** It came with an extension, and is written in C: who owns an extension may add to it what they wrote themselves. */
const isOfExtension = (classid: string, objid: string) => `(
              exists (
                select
                from pg_catalog.pg_depend e
                where e.classid = ${classid} and e.objid = ${objid} and e.deptype = 'e'
              )
              and not exists (
                select
                from (
                  select ${objid} as oid where ${classid} = ${CLASS('pg_proc')}
                  union all
                  select x.oprcode from pg_catalog.pg_operator x where x.oid = ${objid} and ${classid} = ${CLASS('pg_operator')}
                  union all
                  select x.castfunc from pg_catalog.pg_cast x where x.oid = ${objid} and ${classid} = ${CLASS('pg_cast')}
                ) f
                join pg_catalog.pg_proc p on p.oid = f.oid
                join pg_catalog.pg_language l on l.oid = p.prolang and l.lanname not in ('c', 'internal')
              )
              and not exists (
                select
                from pg_catalog.pg_type y
                where y.oid = ${objid} and ${classid} = ${CLASS('pg_type')} and y.typtype <> 'b'
              )
            )`;

/**
 * One row: the relations by these names, which of the other names the database defines itself, and the settings of the planner. $6: names
 * of columns. A column reference may call a function of its row, and a constant beside a column becomes that column's type, whose
 * checks are evaluated while planning: a table is plain if its columns are of PostgreSQL itself, of extensions, or enums.
 */
export const NAMES = `/* advice.names */
select
  (
    select pg_catalog.jsonb_agg(f.found)
    from (
      select pg_catalog.jsonb_build_object(
        'asked', w.asked,
        'schema', n.nspname,
        'is_readable', pg_catalog.has_table_privilege(c.oid, 'select'),
        'is_plain', c.relkind = 'r' and c.relpersistence <> 't' and not c.relrowsecurity and not c.relhasrules
          and not c.relhassubclass
          and not exists (
            select
            from pg_catalog.pg_attribute a
            join pg_catalog.pg_type t on t.oid = a.atttypid
            left join pg_catalog.pg_type m on m.oid = t.typelem and t.typlen = -1
            where a.attrelid = c.oid and not a.attisdropped and t.oid >= ${FIRST_OWN_OID}
              and coalesce(m.typtype, t.typtype) <> 'e'
              and not ${isOfExtension(CLASS('pg_type'), 'coalesce(m.oid, t.oid)')}
          )
          and not exists (
            select
            from pg_catalog.pg_depend d
            where (
                d.refclassid in ('pg_catalog.pg_proc'::pg_catalog.regclass, 'pg_catalog.pg_operator'::pg_catalog.regclass)
                or d.refclassid = 'pg_catalog.pg_type'::pg_catalog.regclass
                and d.objid <> c.oid
                and not exists (
                  select
                  from pg_catalog.pg_type t
                  left join pg_catalog.pg_type m on m.oid = t.typelem
                  where t.oid = d.refobjid and coalesce(m.typtype, t.typtype) = 'e'
                )
              )
              and d.refobjid >= ${FIRST_OWN_OID}
              and not ${isOfExtension('d.refclassid', 'd.refobjid')}
              and (
                d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass
                and d.objid in (
                  select c.oid union all select x.indexrelid from pg_catalog.pg_index x where x.indrelid = c.oid
                )
                or d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass
                and d.objid in (select k.oid from pg_catalog.pg_constraint k where k.conrelid = c.oid)
                or d.classid = 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass
                and d.objid in (select s.oid from pg_catalog.pg_statistic_ext s where s.stxrelid = c.oid)
                or d.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass
                and d.objid in (select a.oid from pg_catalog.pg_attrdef a where a.adrelid = c.oid)
              )
          )
      ) as found
      from (
        select s.asked_schema, s.asked_name, coalesce(s.asked_schema || '.', '') || s.asked_name as asked
        from unnest($1::text[], $2::text[]) as s (asked_schema, asked_name)
      ) w
      join pg_catalog.pg_class c on c.relname = w.asked_name and c.relkind in ('r', 'p', 'v', 'm', 'f')
      join pg_catalog.pg_namespace n on n.oid = c.relnamespace and (w.asked_schema is null or n.nspname = w.asked_schema)
      limit 2000
    ) f
  ) as relations,
  (
    select pg_catalog.array_agg(distinct o.name)
    from (
      select p.proname::text as name, 'pg_catalog.pg_proc'::pg_catalog.regclass as class, p.oid
      from pg_catalog.pg_proc p
      where p.proname = any ($3::text[]) and p.oid >= ${FIRST_OWN_OID}
      union all
      select p.proname::text, 'pg_catalog.pg_proc'::pg_catalog.regclass, p.oid
      from pg_catalog.pg_proc p
      join pg_catalog.pg_type t on t.oid = p.proargtypes[0]
      where p.proname = any ($6::text[]) and p.pronargs - p.pronargdefaults <= 1
        and (t.typtype in ('c', 'p', 'd') or p.provariadic <> 0)
        and p.oid >= ${FIRST_OWN_OID}
      union all
      select r.oprname::text, 'pg_catalog.pg_operator'::pg_catalog.regclass, r.oid
      from pg_catalog.pg_operator r
      where r.oprname = any ($4::text[]) and r.oid >= ${FIRST_OWN_OID}
      union all
      -- What is cast without being written may meet every operator, and turns a row into the argument of a function.
      select '=', 'pg_catalog.pg_cast'::pg_catalog.regclass, k.oid
      from pg_catalog.pg_cast k
      where k.oid >= ${FIRST_OWN_OID} and k.castcontext = 'i'
        and (k.castfunc <> 0 or exists (select from pg_catalog.pg_type t where t.oid = k.castsource and t.typtype in ('c', 'p')))
      union all
      select t.typname::text, 'pg_catalog.pg_type'::pg_catalog.regclass, t.oid
      from pg_catalog.pg_type t
      where t.typname = any ($5::text[]) and t.oid >= ${FIRST_OWN_OID}
    ) o
    where not ${isOfExtension('o.class', 'o.oid')}
  ) as own_names,
  current_user::text as role,
  pg_catalog.current_setting('random_page_cost')::float8 as random_page_cost,
  pg_catalog.current_setting('cpu_tuple_cost')::float8 as cpu_tuple_cost,
  pg_catalog.current_setting('cpu_index_tuple_cost')::float8 as cpu_index_tuple_cost,
  pg_catalog.current_setting('cpu_operator_cost')::float8 as cpu_operator_cost`;

export const BEGIN = '/* advice.begin */ begin transaction read only';
export const ROLLBACK = '/* advice.rollback */ rollback';

/** $1: the search path. Until the end of the transaction. */
export const SETTINGS = `/* advice.settings */
select
  pg_catalog.set_config('search_path', $1::text, true),
  pg_catalog.set_config('max_parallel_workers_per_gather', '0', true),
  pg_catalog.set_config('plan_cache_mode', 'force_generic_plan', true),
  pg_catalog.set_config('constraint_exclusion', 'partition', true),
  pg_catalog.set_config('standard_conforming_strings', 'on', true)`;

/**
 * A generic plan is one of a prepared statement, on every version: `explain (generic_plan)` of 16 and newer wants values for parameters
 * over the extended protocol, and plans for those.
 */
const NAME = 'matriarch_advice';
export const prepare = (text: string): string => `/* advice.plan */ prepare ${NAME} as ${text}`;
export const planPrepared = (parameters: number): string => {
  const values = parameters === 0 ? '' : ` (${Array(parameters).fill('null').join(', ')})`;
  return `/* advice.execute */ explain (format json) execute ${NAME}${values}`;
};
export const DEALLOCATE = `/* advice.deallocate */ deallocate ${NAME}`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

export interface IndexRequest {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}

export const searchPath = (schemas: readonly string[]): string =>
  ['pg_catalog', ...schemas.map(quoted)].join(', ');

/** A hypothetical index of this session; $1: the statement that would make a real one. */
export const hypothetical = (schema: string): string =>
  `/* advice.hypothetical */ select ${schema}.hypopg_relation_size(h.indexrelid) as bytes from ${schema}.hypopg_create_index($1::text) h`;
export const forget = (schema: string): string => `/* advice.forget */ select ${schema}.hypopg_reset()`;

export const indexText = ({ schema, name, columns }: IndexRequest): string =>
  `create index on ${quoted(schema)}.${quoted(name)} (${columns.map(quoted).join(', ')})`;
