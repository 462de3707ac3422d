// What is made on a server before the ideas for attacks are tried: objects that run code when they are read.

import { ATTRIBUTE_TRAPS } from './attribute-ideas.ts';
import { HIDDEN_TRAPS } from './hidden-ideas.ts';

export const IDEA_TRAPS = [
  // Whoever made an extension may add to it what runs code of their own.
  'create extension fuzzystrmatch',
  'create aggregate prey.agg_sounds (int) (sfunc = prey.strike_sf, stype = int, initcond = 0)',
  'alter extension fuzzystrmatch add aggregate prey.agg_sounds (int)',
  'create function prey.strike_final(int) returns int language plpgsql as $$ begin return prey.strike(); end $$',
  'create aggregate prey.agg_final (int) (sfunc = int4pl, stype = int, initcond = 0, finalfunc = prey.strike_final)',
  `create aggregate prey.agg_moving (int) (sfunc = int4pl, stype = int, initcond = 0, msfunc = prey.strike_sf, minvfunc = prey.strike_sf,
    mstype = int, minitcond = 0)`,
  'create aggregate prey.agg_ordered (order by int) (sfunc = prey.strike_sf, stype = int, initcond = 0)',
  'create view prey.v_barrier with (security_barrier) as select a from prey.policed',
  'create view prey.v_window as select a, sum(prey.strike()) over () as s from prey.t',
  'create view prey.v_lateral as select t.a, x.s from prey.t t, lateral (select prey.strike() + t.a as s) x',
  'create view prey.v_recursive as with recursive r (n) as (select 1 union select prey.strike() + 1 from r where n < 2) select n from r',
  'create view prey.v_rows as select * from rows from (prey.strike(), generate_series(1, 2)) as x (a, b)',
  'create view prey.v_sort as select a from prey.t order by prey.strike()',
  'create view prey.v_cast as select 1::prey.dom as d from prey.t',
  `create view prey.v_list as select d || '{5}' as d from prey.with_list`,
  'create materialized view prey.m_row as select t from prey.t',
  'grant select on prey.v_barrier, prey.v_window, prey.v_lateral, prey.v_recursive, prey.v_rows, prey.v_sort, prey.v_cast, prey.v_list, prey.m_row to public',
  ...ATTRIBUTE_TRAPS,
  ...HIDDEN_TRAPS,
];
