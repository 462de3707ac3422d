// Ways that hide what is called from a judge that looks only at what a statement names: parts of aggregates and types of arguments, types behind
// the check of a domain or behind JSON functions, tables above a table, words of the newest grammar that are functions on an older server.

/** On servers of that version and newer, or only before it. */
const since = (version: number, text: string) => onVersions(`>= ${version}0000`, text);
const before = (version: number, text: string) => onVersions(`< ${version}0000`, text);
const onVersions = (condition: string, text: string) =>
  `do $do$ begin if current_setting('server_version_num')::int ${condition} then execute $text$${text}$text$; end if; end $do$`;

/** Ends a session, and is called by that name with these arguments. */
const named = (name: string, args: string) =>
  `create function public.${name}(${args}) returns int language plpgsql as $$ begin return prey.strike(); end $$`;

export const HIDDEN_TRAPS = [
  // What runs a text, as an operator.
  'create operator prey.@@@! (rightarg = text, function = public.crosstab2)',
  'create view prey.v_crosstab as select operator(prey.@@@!) $$select prey.strike()::text, 1, 1$$ as x',
  // A table below one whose key calls a function.
  'create table prey.above (a int, b int) partition by list ((a + prey.strike_i(1)))',
  'create table prey.between_both partition of prey.above for values in (2) partition by list (b)',
  'create table prey.below partition of prey.between_both for values in (1)',
  'create view prey.v_between as select b from prey.between_both',
  // A domain whose check makes a value of another.
  'create domain prey.hiding as text check (value::prey.dom is not null)',
  'create table prey.with_hiding (d prey.hiding[], e int)',
  'create type prey.hiding_row as (d prey.hiding, x int)',
  'create type prey.hiding_range as range (subtype = prey.hiding)',
  'create domain prey.hiding_list as text check ((array[value])::prey.dom[] is not null)',
  `create domain prey.hiding_deep as text check (('{' || value || '}')::prey._hiding is not null)`,
  // Operators that call what makes a range: their arguments are domains, or the range has functions of its own.
  'create operator prey.<~> (leftarg = prey.dom, rightarg = prey.dom, function = prey.rdom)',
  'create type prey.rcomp as range (subtype = prey.comp)',
  'create operator prey.<~> (leftarg = prey.comp, rightarg = prey.comp, function = prey.rcomp)',
  // Aggregates that the owner of an extension added to it.
  'create aggregate prey.agg_filled (jsonb) (sfunc = jsonb_populate_record, stype = prey.comp)',
  `create aggregate prey.agg_begun (prey._dom) (sfunc = array_cat, stype = prey._dom, initcond = '{}')`,
  'create aggregate prey.agg_given (prey.dom) (sfunc = array_append, stype = prey._dom)',
  'alter extension fuzzystrmatch add aggregate prey.agg_filled (jsonb)',
  'alter extension fuzzystrmatch add aggregate prey.agg_begun (prey._dom)',
  'alter extension fuzzystrmatch add aggregate prey.agg_given (prey.dom)',
  // JSON functions of the grammar, which leave no trace of their type in the dependencies of a view.
  since(
    17,
    `create view prey.v_json as select json_value('5', '$' returning prey.dom)::text as x from prey.t`,
  ),
  since(
    17,
    `create view prey.v_json_where as select a from prey.t where json_value(b, '$' returning prey.dom default null on empty)::text is null`,
  ),
  since(
    17,
    `create view prey.v_json_query as select json_query('{"d": 5}', '$' returning prey.comp)::text as x from prey.t`,
  ),
  since(
    17,
    `create view prey.v_json_table as select 1 as x from json_table('[5]', '$[*]' columns (d prey.dom path '$')) j`,
  ),
  since(17, 'create table prey.policed_json (a int)'),
  since(17, 'insert into prey.policed_json values (1)'),
  since(
    17,
    `create policy p on prey.policed_json using (json_value('5', '$' returning prey.dom)::text is not null)`,
  ),
  since(17, 'alter table prey.policed_json enable row level security, force row level security'),
  since(
    17,
    `create domain prey.hiding_json as text check (json_value(value, '$' returning prey.dom)::text is not null)`,
  ),

  // Words of a newer grammar.
  before(17, named('json_scalar', 'int')),
  before(17, named('json_serialize', 'int')),
  before(17, named('json', 'int')),
  before(17, named('json_exists', 'int, int')),
  before(17, named('json_value', 'int, int')),
  before(17, named('json_query', 'int, int')),
  before(16, named('json_array', 'int, int')),
  before(16, named('json_array', '')),
  before(16, named('json_object', '')),
  before(16, named('json_arrayagg', 'int')),
  before(16, named('any_value', 'int')),
];

export const HIDDEN_IDEAS: Readonly<Record<string, readonly string[]>> = {
  'operators that run a text': [
    `select operator(prey.@@@!) 'select prey.strike()::text, 1, 1'`,
    `select @@@! 'select prey.strike()::text, 1, 1'`,
    `select x.* from (select operator(prey.@@@!) 'select prey.strike()::text, 1, 1' as x) x`,
    `select (@@@! 'select prey.strike()::text, $$a$$, $$b$$').row_name`,
    'select * from prey.v_crosstab',
  ],
  'tables above a table': [
    'select * from prey.between_both',
    'select * from prey.between_both where b = 1',
    'select count(*) from prey.v_between',
    'explain select * from prey.between_both',
  ],
  'what the check of a domain makes': [
    `select '{5}'::prey._hiding`,
    `select d || '{5}' from prey.with_hiding`,
    `select array_append(d, '5') from prey.with_hiding`,
    `select '{"(5,1)"}'::prey._hiding_row`,
    `select '[1,5)'::prey.hiding_range`,
    `select '{5}'::prey._hiding_list`,
    `select '{5}'::prey._hiding_deep`,
    `select * from xmltable('/r' passing '<r><d>{5}</d></r>' columns d prey._hiding)`,
    `select '{5}'::prey._hiding_json`,
    `select * from json_to_record('{"d": [5]}') as x (d prey._hiding)`,
    `select ('{5}')._hiding`,
  ],
  'operators that make a range': [
    `select '5' operator(prey.<~>) '6'::prey.dom`,
    `select '5'::int operator(prey.<~>) '6'`,
    `select 5 operator(prey.<~>) 6`,
    `select '5' <~> '6'`,
    `select '(5,1)' operator(prey.<~>) row(6, 1)`,
    'select a operator(prey.<~>) a from prey.t',
    'select 1 from prey.t order by a <~> a',
    'select row(5, 1) <~> row(6, 1)',
  ],
  'parts of aggregates of an extension': [
    `select prey.agg_filled('{"d": 5}')`,
    `select agg_filled(to_jsonb(x)) from (select 5 as d) x`,
    `select prey.agg_begun('{5}')`,
    `select prey.agg_given('5')`,
    'select prey.agg_given(a) from prey.t',
    `select prey.agg_filled('{"d": 5}') over ()`,
  ],
  'types behind JSON functions': [
    'select * from prey.v_json',
    'select count(*) from prey.v_json where x is not null',
    'select * from prey.v_json_where',
    'select x from prey.v_json_query',
    'select * from prey.v_json_table',
    'select * from prey.policed_json',
  ],
};

/** Functions on an older server, and forms of the grammar on a newer one, where they may be answered. */
export const WORDS: readonly string[] = [
  'select json_scalar(1)',
  'select json_serialize(1)',
  'select json(1)',
  'select json_exists(1, 1)',
  'select json_value(1, 1)',
  'select json_query(1, 1)',
  'select json_array(1, 2)',
  'select json_array()',
  'select json_object()',
  'select json_arrayagg(1)',
  'select any_value(a) from prey.t',
  'select 1 from prey.t where json_scalar(a) is not null',
  'select count(*) from prey.t order by json_array(1, 2)',
  // Only the exclusion by constraints, which our session switches off, would look above it.
  'select * from prey.below where b = 1 and a = 1',
];
