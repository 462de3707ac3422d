// What a superuser of the server could put in the place of PostgreSQL's own things, or behind them, and the statements that would run it.
import { STRIKE } from './attack-scene.ts';

/** What a superuser of the server could put where PostgreSQL's own things are. */
export const SUPERUSER_TRAPS = [
  `create function prey.strike_small(int2, int2) returns int2 language plpgsql as $$ begin ${STRIKE} return 1; end $$`,
  `create function prey.strike_compare(int, int) returns int language plpgsql immutable as $$ begin ${STRIKE} return 0; end $$`,
  'create operator prey.#< (leftarg = int, rightarg = int, function = prey.strike_op_i)',
  'create operator prey.#> (leftarg = int, rightarg = int, function = prey.strike_op_i)',
  `create function pg_catalog.initcap(prey.kind) returns text language plpgsql as $$ begin ${STRIKE} return 'x'; end $$`,
  `create or replace function pg_catalog.cosd(float8) returns float8 language plpgsql immutable as $$ begin ${STRIKE} return 1; end $$`,
  `create or replace function pg_catalog.age(timestamp) returns interval language sql as $$ select '1 day'::interval * prey.strike() $$`,
  'create operator pg_catalog.@#@ (leftarg = int, rightarg = int, function = prey.strike_op)',
  'alter function pg_catalog.nextval(regclass) immutable',
  `create or replace view information_schema.information_schema_catalog_name as
    select ('x' || prey.strike())::information_schema.sql_identifier as catalog_name`,
  // Defaults, bodies that are parsed already, and parts of aggregates.
  `create or replace function pg_catalog.make_interval(years int default 0, months int default 0, weeks int default 0, days int default 0,
    hours int default 0, mins int default 0, secs double precision default prey.strike()) returns interval
    language internal immutable strict parallel safe as 'make_interval'`,
  `create or replace function pg_catalog.date_part(text, date) returns float8 language sql stable
    begin atomic select prey.strike()::float8; end`,
  `create or replace function pg_catalog.lpad(text, int) returns text language sql immutable
    begin atomic select pg_terminate_backend(pid)::text from pg_stat_activity where application_name = 'victim' and usename = current_user; end`,
  'create or replace aggregate pg_catalog.bit_xor (int2) (sfunc = prey.strike_small, stype = int2)',
  // Indexes on what is built in, searched by functions of the database.
  `create operator class prey.gin_struck for type int[] using gin as operator 1 &&(anyarray, anyarray),
    function 1 prey.strike_compare(int, int), function 2 ginarrayextract(anyarray, internal, internal),
    function 3 ginqueryarrayextract(anyarray, internal, smallint, internal, internal, internal, internal),
    function 4 ginarrayconsistent(internal, smallint, anyarray, int, internal, internal, internal, internal), storage int`,
  'create table prey.lists (a int[])',
  'create index on prey.lists using gin (a prey.gin_struck)',
  `create operator class prey.brin_struck for type int using brin as operator 1 <(int, int), operator 2 prey.#<, operator 3 =(int, int),
    operator 4 prey.#>, operator 5 >(int, int), function 1 brin_minmax_opcinfo(internal),
    function 2 brin_minmax_add_value(internal, internal, internal, internal), function 3 brin_minmax_consistent(internal, internal, internal),
    function 4 brin_minmax_union(internal, internal, internal)`,
  'create table prey.ranges (a int)',
  'create index on prey.ranges using brin (a prey.brin_struck)',
  // Rows of another server below a table of the system.
  'set allow_system_table_mods = on',
  'create foreign table prey.labels () inherits (pg_catalog.pg_seclabel) server back',
  'reset allow_system_table_mods',
  'grant select on prey.lists, prey.ranges, prey.labels to public',
  `create or replace view information_schema.enabled_roles as
    select pg_terminate_backend(pid)::text::information_schema.sql_identifier as role_name from pg_stat_activity
    where application_name = 'victim' and usename = current_user`,
];
export const SUPERUSER_ATTACKS = [
  'select initcap(k) from prey.t',
  'select pg_catalog.initcap(k) from prey.t',
  'select cosd(1)',
  `select age(now()::timestamp)`,
  'select 1 @#@ 2',
  'select 1 operator(pg_catalog.@#@) 2',
  `explain select nextval('prey.s')`,
  `explain insert into prey.t (a) values (nextval('prey.s'))`,
  'select * from information_schema.information_schema_catalog_name',
  'select count(*) from information_schema.tables',
  'select * from information_schema.enabled_roles',
  'select make_interval(1)',
  `select date_part('day', date '2026-01-01')`,
  `select lpad('a', 3)`,
  'select bit_xor(a::int2) from prey.t',
  'select * from prey.lists where a && array[1, 2]',
  'select * from prey.ranges where a = 1',
  'select count(*) from pg_seclabel',
];
