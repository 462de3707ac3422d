// The part of NAMES that finds functions: those that a statement calls by name, and those behind operators, casts, columns, definitions,
// domains, types and what sorts and compares. Guards: what is left out here is called without anybody having looked at it.

/** Everything that depends on nothing but what every database has from its making. */
export const FIRST_OWN_OID = 16384;

/** Types that an expression names, as the server keeps it: a number that is no type, and happens to be one's, may count too. */
export const typesIn = (tree: string, alias = 't') => `(
      select y.oid
      from pg_catalog.regexp_matches(${tree}, '[0-9]{5,10}', 'g') m (found)
      join pg_catalog.pg_type y on y.oid::int8 = m.found[1]::int8
      where y.oid >= ${FIRST_OWN_OID}
    ) ${alias}`;

/**
 * Holds for every oid, and says to the planner that few are left. What recursion may find is guessed at tens of billions of rows where a
 * database has some hundred views, and PostgreSQL 19 asks for the memory of all of them at once (64 GB) before the first row.
 */
export const few = (oid: string) =>
  [0, 1, 2].map((n) => `${oid}::pg_catalog.int8 + ${n} between 0 and 4294967298`).join(' and ');

/** A query of the `with` of NAMES, by its parameters alone: what the statement calls by names that it has itself. */
export const CALLED = `called as (
  select distinct p.oid, 'function' as via, f.name as of_name
  from unnest($3::text[], $4::text[]) as f (schema, name)
  join pg_catalog.pg_proc p on p.proname = f.name
  join pg_catalog.pg_namespace n on n.oid = p.pronamespace
  where n.nspname = f.schema
    or f.schema is null and n.nspname = any (pg_catalog.current_schemas(true)) and n.nspname <> 'pg_catalog'
  union all
  select x.oprcode, case when x.oprowner = q.proowner then 'operator' else 'own_operator' end, w.name
  from unnest($5::text[], $6::text[]) as w (schema, name)
  join pg_catalog.pg_operator o on o.oprname = w.name
  join pg_catalog.pg_namespace n on n.oid = o.oprnamespace
  -- Any role may make an operator or a cast of a function that an extension brought for something else.
  -- The planner turns an operator round, and writes "not (a = b)" with the operator of the opposite.
  join pg_catalog.pg_operator x on x.oid in (o.oid, o.oprcom, o.oprnegate)
  join pg_catalog.pg_namespace m on m.oid = x.oprnamespace
  join pg_catalog.pg_proc q on q.oid = x.oprcode
  where (m.nspname <> 'pg_catalog' or x.oid >= ${FIRST_OWN_OID})
    and (n.nspname = w.schema or w.schema is null and n.nspname = any (pg_catalog.current_schemas(true)))
  union all
  select p.oid, 'planted', p.proname
  from pg_catalog.pg_proc p
  join pg_catalog.pg_language l on l.oid = p.prolang
  where p.proname = any ($11::text[])
    and p.pronamespace = 'pg_catalog'::pg_catalog.regnamespace
    and (
      p.oid >= ${FIRST_OWN_OID}
      or l.lanname not in ('internal', 'c', 'sql')
      or l.lanname = 'sql' and p.prosqlbody is null and p.prosrc not in (
        'select pg_catalog.quote_literal($1::pg_catalog.text)', 'select pg_catalog.quote_nullable($1::pg_catalog.text)'
      )
      or p.proname = any ($12::text[]) and p.provolatile <> 'v'
    )
  union all
  select
    c.castfunc,
    case when exists (
      select
      from pg_catalog.pg_type t
      where t.oid in (c.castsource, c.casttarget) and t.oid >= ${FIRST_OWN_OID} and t.typowner <> q.proowner
    ) then 'own_cast' else 'cast' end,
    pg_catalog.format_type(c.castsource, null) || ' to ' || pg_catalog.format_type(c.casttarget, null)
  from pg_catalog.pg_cast c
  join pg_catalog.pg_proc q on q.oid = c.castfunc
  where c.castfunc <> 0 and c.oid >= ${FIRST_OWN_OID}
  union all
  select p.oid, 'column', p.proname
  from pg_catalog.pg_proc p
  join pg_catalog.pg_type t on t.oid = p.proargtypes[0]
  where p.proname = any ($9::text[]) and p.pronargs - p.pronargdefaults <= 1
    and (
      t.typtype in ('c', 'p', 'd')
      or p.provariadic <> 0
      or p.proname = any ($13::text[])
      -- A row may become anything by a cast of the database.
      or exists (
        select
        from pg_catalog.pg_cast c
        join pg_catalog.pg_type s on s.oid = c.castsource
        where c.oid >= ${FIRST_OWN_OID} and c.castcontext = 'i' and s.typtype in ('c', 'p', 'd')
      )
    )
    and p.oid >= ${FIRST_OWN_OID}
)`;

/** Another, over `called`, `depends`, `domains`, `own_types`, `families` and `index_families`. */
export const NAMED = `named as (
  select c.oid, c.via, c.of_name from called c
  union all
  -- An aggregate is no more than what it calls.
  select u.oid, 'aggregate', p.proname
  from (
    select c.oid from called c
    union
    select d.refobjid from depends d where d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
  ) f
  join pg_catalog.pg_proc p on p.oid = f.oid and p.prokind = 'a'
  join pg_catalog.pg_aggregate g on g.aggfnoid = p.oid
  cross join lateral pg_catalog.unnest(array[
    g.aggtransfn, g.aggfinalfn, g.aggcombinefn, g.aggserialfn, g.aggdeserialfn, g.aggmtransfn, g.aggminvtransfn, g.aggmfinalfn
  ]::oid[]) as u (oid)
  where u.oid <> 0
  union all
  select d.refobjid, d.kind, d.relation
  from depends d
  where d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
  union all
  select x.oprcode, d.kind, d.relation
  from depends d
  join pg_catalog.pg_operator o on o.oid = d.refobjid
  join pg_catalog.pg_operator x on x.oid in (o.oid, o.oprcom, o.oprnegate)
  where d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass
  union all
  select d.refobjid, 'domain', k.relation
  from domains k
  join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass
    and d.objid = k.oid
    and d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
  union all
  select x.oprcode, 'domain', k.relation
  from domains k
  join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass
    and d.objid = k.oid
    and d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass
  join pg_catalog.pg_operator o on o.oid = d.refobjid
  join pg_catalog.pg_operator x on x.oid in (o.oid, o.oprcom, o.oprnegate)
  union all
  select u.oid, 'type', t.typname
  from own_types t
  cross join lateral unnest(
    array[t.typinput, t.typoutput, t.typmodin, t.typmodout, t.typsubscript]::oid[]
  ) as u (oid)
  where u.oid >= ${FIRST_OWN_OID}
  union all
  -- A domain may have a default of its own.
  select d.refobjid, 'type', t.typname
  from own_types t
  join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass
    and d.objid = t.oid
    and d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass
  where $10::boolean
  union all
  select o.oprcode, 'type', t.typname
  from own_types t
  join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_type'::pg_catalog.regclass
    and d.objid = t.oid
    and d.refclassid = 'pg_catalog.pg_operator'::pg_catalog.regclass
  join pg_catalog.pg_operator o on o.oid = d.refobjid
  where $10::boolean
  union all
  select u.oid, 'type', t.typname
  from own_types t
  join pg_catalog.pg_range r on r.rngtypid = t.oid
  cross join lateral unnest(array[r.rngcanonical, r.rngsubdiff]::oid[]) as u (oid)
  where u.oid >= ${FIRST_OWN_OID}
  union all
  select p.amproc, 'order', f.opfname
  from families f
  join pg_catalog.pg_amproc p on p.amprocfamily = f.oid and p.oid >= ${FIRST_OWN_OID}
  where p.amproclefttype < ${FIRST_OWN_OID} or p.amproclefttype in (select t.oid from own_types t)
    or f.oid in (
      select c.opcfamily
      from own_types t
      join pg_catalog.pg_range r on r.rngtypid = t.oid
      join pg_catalog.pg_opclass c on c.oid = r.rngsubopc
    )
  union all
  select o.oprcode, 'order', f.opfname
  from families f
  join pg_catalog.pg_amop a on a.amopfamily = f.oid and a.oid >= ${FIRST_OWN_OID}
  join pg_catalog.pg_operator o on o.oid = a.amopopr
  where a.amoplefttype < ${FIRST_OWN_OID} or a.amoplefttype in (select t.oid from own_types t)
  union all
  select p.amproc, 'order', f.opfname
  from index_families f
  join pg_catalog.pg_amproc p on p.amprocfamily = f.oid and p.amproc >= ${FIRST_OWN_OID}
  union all
  select o.oprcode, 'order', f.opfname
  from index_families f
  join pg_catalog.pg_amop a on a.amopfamily = f.oid and a.oid >= ${FIRST_OWN_OID}
  join pg_catalog.pg_operator o on o.oid = a.amopopr
)`;
