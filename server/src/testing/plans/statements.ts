// Statements whose plans have every kind of node that a small server can be brought to, for the formats of EXPLAIN.
export interface PlannedStatement {
  settings?: readonly string[];
  sql: string;
}

export const PLAN_TABLES: readonly string[] = [
  'create table customers (id int primary key, name text, region text)',
  'create table orders (id int primary key, customer_id int, status text, total numeric, created date)',
  "insert into customers select g, 'name ' || g, 'r' || g % 5 from generate_series(1, 1000) g",
  "insert into orders select g, 1 + g % 1000, case when g % 1000 = 0 then 'open' else 'closed' end, g, '2024-01-01'::date + g % 700 from generate_series(1, 20000) g",
  'create index orders_customer on orders (customer_id)',
  'create table parted (id int, v text) partition by range (id)',
  'create table parted_1 partition of parted for values from (0) to (1000)',
  'create table parted_2 partition of parted for values from (1000) to (2000)',
  "insert into parted select g, 'x' from generate_series(0, 1999) g",
  'create table "Odd ""Name" ("A b" int primary key)',
  'create function quiet() returns trigger language plpgsql as $$begin return new; end$$',
  'create trigger quiet before insert on parted_1 for each row execute function quiet()',
  'alter table orders add foreign key (customer_id) references customers',
  'analyze',
];

const SMALL = ["set local work_mem = '64kB'"];
const PARALLEL = [
  'set local parallel_setup_cost = 0',
  'set local parallel_tuple_cost = 0',
  'set local min_parallel_table_scan_size = 0',
];
const JOINED = 'from orders o join customers c on c.id = o.customer_id';

export const PLANNED: readonly PlannedStatement[] = [
  { sql: `select * ${JOINED} where o.status = 'open' order by c.name, o.total desc limit 10` },
  { settings: SMALL, sql: 'select * from orders order by total' },
  { settings: SMALL, sql: 'select id, count(*) from orders group by 1' },
  { settings: SMALL, sql: 'select * from orders a join orders b using (id)' },
  {
    sql: "select * from orders where id = (select max(id) from orders) or exists (select 1 from customers c where c.id = orders.customer_id and region = 'r1')",
  },
  {
    sql: "with x as materialized (select * from orders where status = 'open') select * from x join x y using (id)",
  },
  { sql: `select region, status, count(*) ${JOINED} group by grouping sets ((region), (status), ())` },
  {
    settings: ['set local enable_hashagg = off'],
    sql: `select region, status, count(*) ${JOINED} group by cube (region, status)`,
  },
  { sql: 'select * from parted where id < (select 500)' },
  { sql: "insert into parted select g, 'y' from generate_series(1, 10) g" },
  { sql: 'update orders set total = total + 1 where id < 10' },
  { sql: 'delete from orders where id = 5' },
  {
    sql: "insert into orders values (1, 1, 'x', 1, now()) on conflict (id) do update set total = 2 where orders.total > 5",
  },
  {
    settings: ['set local enable_seqscan = off'],
    sql: 'select * from orders where customer_id in (1, 2, 3) or id between 5 and 100',
  },
  { settings: PARALLEL, sql: `select count(*) ${JOINED} where total > 5` },
  { settings: [...PARALLEL, ...SMALL], sql: 'select * from orders where total > 5 order by created' },
  { sql: 'with recursive t(n) as (select 1 union all select n + 1 from t where n < 100) select * from t' },
  { sql: 'select id, row_number() over (partition by region order by name) from customers' },
  { sql: 'select * from "Odd ""Name" o where "A b" > 5' },
  { sql: 'select id from orders except select id from customers' },
  { sql: 'select id from orders intersect all select id from customers' },
  { sql: 'select * from (values (1), (2)) v(x), generate_series(1, 3) g, lateral (select x + g) q' },
  { sql: "select * from customers where ctid = '(0,1)'" },
  { sql: 'select * from customers tablesample system (10) repeatable (1)' },
  {
    sql: "select * from orders o left join customers c on c.id = o.customer_id and c.region = 'r1' where c.id is null",
  },
  {
    settings: ['set local enable_hashjoin = off', 'set local enable_mergejoin = off'],
    sql: `select * ${JOINED} where o.id < 3000`,
  },
  {
    settings: ['set local enable_hashjoin = off', 'set local enable_nestloop = off'],
    sql: 'select * from orders o full join customers c on c.id = o.customer_id',
  },
  { sql: 'select customer_id, created, total from orders order by customer_id, created limit 100' },
  { settings: ['set local jit = on', 'set local jit_above_cost = 0'], sql: 'select sum(total) from orders' },
  { sql: 'select distinct region from customers' },
  { sql: 'select * from customers for update' },
  { sql: 'select generate_series(1, id) from customers limit 5' },
  { sql: 'select * from orders where false' },
  { sql: "select * from xmltable('/a' passing xml '<a>1</a>' columns b int path '.')" },
  { sql: 'select max(id), min(customer_id) from orders' },
  { sql: 'select * from customers where id not in (select customer_id from orders where total < 100)' },
];

export const FORMATS = ['text', 'json', 'yaml', 'xml'] as const;

/** With and without what may be asked for; of a newer server more. */
export const OPTIONS: readonly (readonly [from: number, options: string])[] = [
  [14, ''],
  [14, 'costs off'],
  [14, 'analyze, buffers, wal, settings'],
  [14, 'analyze, verbose, timing off, summary off, buffers'],
  [17, 'analyze, memory, serialize, buffers'],
  [16, 'generic_plan'],
  [19, 'analyze, io, wal'],
];
