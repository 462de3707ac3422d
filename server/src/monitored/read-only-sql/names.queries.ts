// What the names of a statement stand for in the database that it is to run in. Guards: nothing is called but functions of PostgreSQL
// itself; every name is qualified, since the search path is the role's own by then.

import { CALLED, FIRST_OWN_OID, few, NAMED, typesIn } from './named-functions.queries.ts';

/** `return …`, or `begin atomic …; end` with one statement. */
const BODY = `case
      when p.prosqlbody is not null then pg_catalog.regexp_replace(
        pg_catalog.regexp_replace(pg_catalog.pg_get_function_sqlbody(p.oid), '^\\s*RETURN\\y', 'select'),
        '^\\s*BEGIN ATOMIC\\s+(.*);\\s*END\\s*$', '\\1'
      )
    end`;

/**
 * One row. $1, $2: schemas and names of relations; $3, $4: of functions; $5, $6: of operators; $7, $8: of types, a schema being null where
 * none is written; $9: names that may call a function of a row, and $13 those that may call one of anything. $10: rows would be changed, and what planning that reads of tables counts too: defaults, rules
 * and policies of every event. $11: names of all functions that it calls; $12: those that are harmless only as long as they are marked
 * volatile. Relations come with all that reading them reads, types with all that they are made of; parts are definitions that are evaluated
 * then, procs the functions of the database behind any of it. A view of the system counts as one of the database where what a superuser put
 * in its place calls something of the database.
 */
export const NAMES = `/* sql.names */
with recursive asked as (
  select
    a.schema,
    a.name,
    pg_catalog.to_regclass(coalesce(pg_catalog.quote_ident(a.schema) || '.', '') || pg_catalog.quote_ident(a.name))::oid as oid
  from unnest($1::text[], $2::text[]) as a (schema, name)
),
replaced as (
  select distinct r.ev_class as oid
  from pg_catalog.pg_rewrite r
  join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
    and d.objid = r.oid
    and d.refobjid >= ${FIRST_OWN_OID}
  where r.ev_class < ${FIRST_OWN_OID}
),
closure (oid) as (
  (
    select a.oid from asked a where a.oid is not null
    union all
    select r.oid from replaced r where exists (select from asked a where a.oid < ${FIRST_OWN_OID})
  )
  union
  select x.oid
  from closure c
  cross join lateral (
    select d.refobjid as oid
    from pg_catalog.pg_rewrite r
    join pg_catalog.pg_class k on k.oid = r.ev_class and (k.relkind = 'v' or $10::boolean)
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass
      and d.objid = r.oid
      and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
    where r.ev_class = c.oid and (c.oid >= ${FIRST_OWN_OID} or c.oid in (select p.oid from replaced p))
    union all
    -- A superuser may let a foreign table inherit from one of the system.
    select i.inhrelid from pg_catalog.pg_inherits i where i.inhparent = c.oid
    union all
    select d.refobjid
    from pg_catalog.pg_policy p
    join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_policy'::pg_catalog.regclass
      and d.objid = p.oid
      and d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
    where p.polrelid = c.oid
  ) x
),
own as (
  select k.oid, k.relname, k.relkind
  from closure c
  join pg_catalog.pg_class k on k.oid = c.oid
  where c.oid >= ${FIRST_OWN_OID} or k.relkind = 'v'
),
-- A table that is partitioned and a partition reckons with the keys of all that is above it.
above (oid) as (
  select i.inhparent
  from own o
  join pg_catalog.pg_class k on k.oid = o.oid and k.relkind = 'p' and k.relispartition
  join pg_catalog.pg_inherits i on i.inhrelid = o.oid
  union
  select i.inhparent
  from above a
  join pg_catalog.pg_class k on k.oid = a.oid and k.relispartition
  join pg_catalog.pg_inherits i on i.inhrelid = a.oid
),
parts (classid, objid, kind, relation, text, tree) as (
  select 'pg_catalog.pg_rewrite'::pg_catalog.regclass, r.oid, 'view', o.relname, pg_catalog.pg_get_viewdef(o.oid), r.ev_action::text
  from own o
  join pg_catalog.pg_rewrite r on r.ev_class = o.oid and r.ev_type = '1'
  where o.relkind = 'v'
  union all
  select 'pg_catalog.pg_policy'::pg_catalog.regclass, p.oid, 'policy', o.relname,
    'select ' || pg_catalog.pg_get_expr(p.polqual, p.polrelid), p.polqual::text
  from own o
  join pg_catalog.pg_policy p on p.polrelid = o.oid and p.polqual is not null and (p.polcmd in ('r', '*') or $10::boolean)
  join pg_catalog.pg_class k on k.oid = o.oid and k.relrowsecurity
  union all
  select 'pg_catalog.pg_policy'::pg_catalog.regclass, p.oid, 'policy', o.relname,
    'select ' || pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid), p.polwithcheck::text
  from own o
  join pg_catalog.pg_policy p on p.polrelid = o.oid and p.polwithcheck is not null and $10::boolean
  join pg_catalog.pg_class k on k.oid = o.oid and k.relrowsecurity
  union all
  select 'pg_catalog.pg_rewrite'::pg_catalog.regclass, r.oid, 'rule', o.relname, pg_catalog.pg_get_ruledef(r.oid),
    r.ev_action::text || r.ev_qual::text
  from own o
  join pg_catalog.pg_rewrite r on r.ev_class = o.oid and r.ev_type <> '1' and $10::boolean
  union all
  select 'pg_catalog.pg_attrdef'::pg_catalog.regclass, d.oid, case a.attgenerated when '' then 'default' else 'generated' end, o.relname,
    -- Of a default only what is immutable is evaluated while planning.
    case when a.attgenerated = 'v' then 'select ' || pg_catalog.pg_get_expr(d.adbin, d.adrelid) end, d.adbin::text
  from own o
  join pg_catalog.pg_attribute a on a.attrelid = o.oid and (a.attgenerated = 'v' or $10::boolean)
  join pg_catalog.pg_attrdef d on d.adrelid = o.oid and d.adnum = a.attnum
  union all
  select 'pg_catalog.pg_class'::pg_catalog.regclass, i.indexrelid, 'index', o.relname, null,
    pg_catalog.concat(i.indexprs::text, i.indpred::text)
  from own o
  join pg_catalog.pg_index i on i.indrelid = o.oid and (i.indexprs is not null or i.indpred is not null)
  union all
  select 'pg_catalog.pg_statistic_ext'::pg_catalog.regclass, s.oid, 'statistics', o.relname, null, s.stxexprs::text
  from own o
  join pg_catalog.pg_statistic_ext s on s.stxrelid = o.oid
  union all
  select 'pg_catalog.pg_class'::pg_catalog.regclass, k.oid, 'table', k.relname, null, t.partexprs::text
  from (select o.oid from own o union select a.oid from above a) o
  join pg_catalog.pg_class k on k.oid = o.oid
  left join pg_catalog.pg_partitioned_table t on t.partrelid = o.oid
  union all
  select 'pg_catalog.pg_constraint'::pg_catalog.regclass, k.oid, 'check', o.relname, null, k.conbin::text
  from own o
  join pg_catalog.pg_constraint k on k.conrelid = o.oid and k.contype = 'c'
  union all
  -- Of a function of PostgreSQL written in SQL its body, and of each what its defaults call.
  select 'pg_catalog.pg_proc'::pg_catalog.regclass, p.oid, 'built_in', p.proname, ${BODY}, null
  from pg_catalog.pg_proc p
  where p.proname = any ($11::text[]) and p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace
),
depends as (
  select p.kind, p.relation, d.refclassid, d.refobjid
  from parts p
  join pg_catalog.pg_depend d on d.classid = p.classid and d.objid = p.objid
),
${CALLED},
written as (
  select
    w.schema,
    w.name,
    pg_catalog.to_regtype(coalesce(pg_catalog.quote_ident(w.schema) || '.', '') || pg_catalog.quote_ident(w.name))::oid as oid
  from unnest($7::text[], $8::text[]) as w (schema, name)
),
made_of (oid) as (
  select r.oid
  from (
    select w.oid from written w
    union all
    select pg_catalog.to_regtype(pg_catalog.quote_ident(f.name))::oid from unnest($13::text[]) as f (name)
    union all
    select k.reltype from own o join pg_catalog.pg_class k on k.oid = o.oid
    union all
    select d.refobjid from depends d where d.refclassid = 'pg_catalog.pg_type'::pg_catalog.regclass
    union all
    -- What JSON functions return is in no dependency.
    select t.oid from parts p cross join lateral ${typesIn('p.tree')}
    union all
    select u.oid
    from called c
    join pg_catalog.pg_proc p on p.oid = c.oid and c.via not in ('cast', 'own_cast')
    left join pg_catalog.pg_aggregate g on g.aggfnoid = p.oid
    cross join lateral pg_catalog.unnest(
      array[p.prorettype, g.aggtranstype, g.aggmtranstype] || p.proargtypes::oid[] || coalesce(p.proallargtypes, '{}')
    ) as u (oid)
  ) r
  where r.oid >= ${FIRST_OWN_OID} and ${few('r.oid')}
  union
  select x.oid
  from made_of m
  -- One by one: with tens of thousands of types all of them would be looked through for each.
  cross join lateral (select y.* from pg_catalog.pg_type y where y.oid = m.oid limit 1) t
  cross join lateral (
    select u.oid from unnest(array[t.typelem, t.typbasetype]) as u (oid)
    union all
    select a.atttypid from pg_catalog.pg_attribute a where t.typrelid <> 0 and a.attrelid = t.typrelid and not a.attisdropped
    union all
    select r.rngsubtype from pg_catalog.pg_range r where r.rngtypid = t.oid
    union all
    select r.rngtypid from pg_catalog.pg_range r where r.rngmultitypid = t.oid
    union all
    -- What the check of a domain makes of its value.
    select n.oid from pg_catalog.pg_constraint k cross join lateral ${typesIn('k.conbin::text', 'n')}
    where t.typtype = 'd' and k.contypid = t.oid
  ) x
  where x.oid >= ${FIRST_OWN_OID} and ${few('x.oid')}
),
own_types as (
  select t.oid, t.typname, t.typtype, t.typinput, t.typoutput, t.typmodin, t.typmodout, t.typsubscript
  from made_of m
  join pg_catalog.pg_type t on t.oid = m.oid
  limit 2001
),
-- What sorts and compares without being named.
families as (
  select f.oid, f.opfname
  from pg_catalog.pg_opfamily f
  join pg_catalog.pg_am a on a.oid = f.opfmethod
  where a.amname in ('btree', 'hash')
),
-- What searches the indexes of what is read.
index_families as (
  select distinct f.oid, f.opfname
  from own o
  join pg_catalog.pg_index i on i.indrelid = o.oid
  cross join lateral pg_catalog.unnest(i.indclass::oid[]) as c (oid)
  join pg_catalog.pg_opclass k on k.oid = c.oid
  join pg_catalog.pg_opfamily f on f.oid = k.opcfamily
),
domains as (
  select 'domain' as kind, t.typname as relation, 'select ' || pg_catalog.pg_get_expr(k.conbin, 0) as text, k.oid
  from own_types t
  join pg_catalog.pg_constraint k on k.contypid = t.oid and k.contype = 'c'
  where t.typtype = 'd'
),
${NAMED}
select
  (
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'asked_schema', a.schema, 'asked_name', a.name, 'schema', n.nspname, 'name', k.relname
    ))
    from asked a
    join pg_catalog.pg_class k on k.oid = a.oid
    join pg_catalog.pg_namespace n on n.oid = k.relnamespace
  ) as asked,
  (
    select pg_catalog.jsonb_agg(x.found)
    from (
      select pg_catalog.jsonb_build_object('schema', n.nspname, 'name', k.relname, 'kind', k.relkind, 'is_own', k.oid >= ${FIRST_OWN_OID}) as found
      from closure c
      join pg_catalog.pg_class k on k.oid = c.oid
      join pg_catalog.pg_namespace n on n.oid = k.relnamespace
      limit 2001
    ) x
  ) as relations,
  (
    select pg_catalog.jsonb_agg(x.found)
    from (
      select pg_catalog.jsonb_build_object('kind', p.kind, 'relation', p.relation, 'text', p.text, 'is_system', p.is_system, 'is_of_extension', p.is_of_extension) as found
      from (
        select p.kind, p.relation, p.text, p.objid < ${FIRST_OWN_OID} as is_system, exists (
          select
          from pg_catalog.pg_rewrite r
          join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = r.ev_class and d.deptype = 'e'
          where p.kind = 'view' and r.oid = p.objid
        ) as is_of_extension
        from parts p
        where p.text is not null
        union all
        select k.kind, k.relation, k.text, false, false from domains k
      ) p
      limit 201
    ) x
  ) as parts,
  (
    select pg_catalog.jsonb_agg(x.found)
    from (
      select pg_catalog.jsonb_build_object(
        'via', f.via,
        'of_name', f.of_name,
        'schema', n.nspname,
        'name', p.proname,
        'is_own', p.oid >= ${FIRST_OWN_OID},
        'language', l.lanname,
        'volatility', p.provolatile,
        'is_aggregate', p.prokind = 'a',
        'is_procedure', p.prokind = 'p',
        'extension', (
          select e.extname
          from pg_catalog.pg_depend d
          join pg_catalog.pg_extension e on e.oid = d.refobjid
          where d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid and d.deptype = 'e'
            and d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass
          limit 1
        )
      ) as found
      from (select distinct f.oid, f.via, f.of_name from named f) f
      join pg_catalog.pg_proc p on p.oid = f.oid
      join pg_catalog.pg_namespace n on n.oid = p.pronamespace
      join pg_catalog.pg_language l on l.oid = p.prolang
      limit 5001
    ) x
  ) as procs,
  (
    select pg_catalog.jsonb_agg(pg_catalog.jsonb_build_object(
      'schema', w.schema, 'name', w.name, 'kind', t.typtype, 'is_own', t.oid >= ${FIRST_OWN_OID}, 'is_found', t.oid is not null
    ))
    from written w
    left join pg_catalog.pg_type t on t.oid = w.oid
  ) as types,
  (select count(*) from own_types) as own_types,
  pg_catalog.current_setting('server_encoding') as encoding,
  pg_catalog.current_setting('server_version_num')::pg_catalog.int4 as version`;
