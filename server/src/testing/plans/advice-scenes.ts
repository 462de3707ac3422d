// For each advice on plans, statements whose plan shows it on a real server, and what makes it better: the remedy as it is shown, or where
// the plan cannot say the statement, another way to write it.
import type { Plan } from '../../plans/types.ts';
import { nodesOf } from '../../plans/walk.ts';

export interface AdviceScene {
  advice: string;
  /** Where an advice has several. */
  what?: string;
  setup: readonly string[];
  settings?: readonly string[];
  sql: string;
  /** What is run instead of a remedy. */
  instead?: { run?: readonly string[]; sql?: string };
  /** PostgreSQL of that version and later no longer has the trouble. */
  before?: number;
  /** Built without LLVM, a server cannot compile. */
  needsJit?: true;
  /** Lower is better. */
  measure(plan: Plan): number;
}

const sum = (plan: Plan, of: (node: ReturnType<typeof nodesOf>[number]) => number | null) =>
  nodesOf(plan.plan).reduce((total, node) => total + (of(node) ?? 0), 0);

const spills = (plan: Plan) => sum(plan, (node) => node.spills.length);
const removed = (plan: Plan) =>
  sum(
    plan,
    (node) =>
      ((node.rows_removed_by_filter ?? 0) + (node.rows_removed_by_join_filter ?? 0)) * (node.loops ?? 0),
  );
const worst = (plan: Plan) =>
  nodesOf(plan.plan).reduce((most, { misestimate }) => Math.max(most, misestimate?.factor ?? 1), 1);

const triggerMs = (plan: Plan) => plan.triggers.reduce((total, { ms }) => total + (ms ?? 0), 0);

const rows = (name: string, columns: string, from: string) => [
  `create table ${name} as select ${columns} from ${from}`,
];
const SERIES = 'generate_series(1, 50000) g';
const SMALL = ["set work_mem = '64kB'"];
const ONE_PROCESS = ['set max_parallel_workers_per_gather = 0'];

export const ADVICE_SCENES: readonly AdviceScene[] = [
  {
    advice: 'spilled_to_disk',
    what: 'a sort',
    setup: [...rows('sorted', 'g as id, g % 977 as k', SERIES), 'analyze sorted'],
    settings: [...SMALL, ...ONE_PROCESS],
    sql: 'select * from sorted order by k',
    measure: spills,
  },
  {
    advice: 'spilled_to_disk',
    what: 'a hash',
    setup: [...rows('hashed', 'g as id, md5(g::text) as v', SERIES), 'analyze hashed'],
    settings: [...SMALL, ...ONE_PROCESS, 'set enable_mergejoin = off'],
    sql: 'select * from hashed a join hashed b using (id)',
    measure: spills,
  },
  {
    advice: 'spilled_to_disk',
    what: 'an aggregate',
    setup: [...rows('grouped', 'g as id', SERIES), 'analyze grouped'],
    settings: [...SMALL, ...ONE_PROCESS, 'set enable_sort = off'],
    sql: 'select id, count(*) from grouped group by id',
    measure: spills,
  },
  {
    advice: 'seq_scan_selective',
    setup: [
      ...rows(
        'scanned',
        "g as id, case when g % 5000 = 0 then 'open' else 'done' end as \"The state\"",
        SERIES,
      ),
      'analyze scanned',
    ],
    settings: ONE_PROCESS,
    sql: `select * from scanned s where "The state" = 'open'`,
    measure: removed,
  },
  {
    advice: 'index_condition_poor',
    setup: [
      ...rows('poor', 'g as id, g % 10 as a, (g * 7919) % 5003 as b', SERIES),
      'create index on poor (a)',
      'analyze poor',
    ],
    settings: [...ONE_PROCESS, 'set enable_seqscan = off'],
    sql: 'select * from poor where a = 3 and b = 11',
    measure: removed,
  },
  {
    advice: 'limit_on_wrong_index',
    setup: [
      ...rows('walked', 'g as id, case when g > 49000 then 7 else g % 5 end as kind', SERIES),
      'alter table walked add primary key (id)',
      'analyze walked',
    ],
    settings: ONE_PROCESS,
    sql: 'select * from walked where kind = 7 order by id limit 5',
    instead: { run: ['create index on walked (kind, id)'] },
    measure: removed,
  },
  {
    advice: 'filter_discards_rows',
    setup: [...rows('late', 'g as id, g % 20000 as k', SERIES), 'analyze late'],
    settings: ONE_PROCESS,
    sql: 'select * from (select k, count(*) as n from late group by k offset 0) s where k < 10',
    instead: { sql: 'select * from (select k, count(*) as n from late where k < 10 group by k offset 0) s' },
    measure: (plan) => sum(plan, ({ node, total_rows }) => (node === 'Aggregate' ? total_rows : 0)),
  },
  {
    advice: 'late_filter',
    setup: [...rows('pairs', 'g as id, g % 17 as k', 'generate_series(1, 300) g'), 'analyze pairs'],
    settings: ONE_PROCESS,
    sql: 'select * from pairs a join pairs b on a.id - b.id = 0',
    instead: { sql: 'select * from pairs a join pairs b on a.id = b.id' },
    measure: removed,
  },
  {
    advice: 'nested_loop_misestimate',
    setup: [
      ...rows('fresh', 'g as id, 1 as k', SERIES),
      ...rows('looked', 'g as id', SERIES),
      'alter table looked add primary key (id)',
      'analyze looked',
    ],
    settings: ONE_PROCESS,
    sql: 'select count(*) from fresh f join looked l on l.id = f.id where f.k = 1',
    measure: worst,
  },
  {
    advice: 'stale_statistics',
    setup: rows('stale', 'g as id, 1 as k', SERIES),
    settings: ONE_PROCESS,
    sql: 'select * from stale where k = 1',
    measure: worst,
  },
  {
    advice: 'correlated_columns',
    setup: [...rows('depend', 'g as id, g % 50 as city, g % 50 as "Zip"', SERIES), 'analyze depend'],
    settings: ONE_PROCESS,
    sql: 'select * from depend where city = 7 and "Zip" = 7',
    measure: worst,
  },
  {
    advice: 'jit_costly',
    needsJit: true,
    setup: rows('compiled', 'g as a, g as b, g as c', 'generate_series(1, 100) g'),
    settings: [
      ...ONE_PROCESS,
      'set jit = on',
      'set jit_above_cost = 0',
      'set jit_optimize_above_cost = 0',
      'set jit_inline_above_cost = 0',
    ],
    sql: 'select a % 7, sum(a * b + c), avg(b - c), max(a + b) from compiled where a > 0 and b + c > 1 group by 1 having sum(c) > 0 order by 2',
    measure: (plan) => plan.jit?.total_ms ?? 0,
  },
  {
    advice: 'cte_materialized',
    setup: [
      ...rows('inside', 'g as id', SERIES),
      'alter table inside add primary key (id)',
      'analyze inside',
    ],
    settings: ONE_PROCESS,
    sql: 'with x as materialized (select * from inside) select * from x where id = 5',
    instead: { sql: 'with x as not materialized (select * from inside) select * from x where id = 5' },
    measure: removed,
  },
  {
    advice: 'workers_not_launched',
    setup: [...rows('shared', 'g as id', SERIES), 'analyze shared'],
    settings: [
      'set parallel_setup_cost = 0',
      'set parallel_tuple_cost = 0',
      'set min_parallel_table_scan_size = 0',
      'set max_parallel_workers = 0',
    ],
    sql: 'select count(*) from shared',
    instead: { run: ['set max_parallel_workers = 8'] },
    measure: (plan) => sum(plan, (node) => (node.workers_planned ?? 0) - (node.workers_launched ?? 0)),
  },
  {
    advice: 'lossy_bitmap',
    setup: [
      ...rows(
        'wide',
        "g as id, (g * 7919) % 1000 as k, repeat('x', 700) as pad",
        'generate_series(1, 40000) g',
      ),
      'create index on wide (k)',
      'analyze wide',
    ],
    settings: [...SMALL, ...ONE_PROCESS, 'set enable_seqscan = off', 'set enable_indexscan = off'],
    sql: 'select count(*) from wide where k < 400 and pad is not null',
    measure: (plan) => sum(plan, (node) => node.lossy_heap_blocks),
  },
  {
    advice: 'heap_fetches',
    // It marks the pages that it reads as visible to all.
    before: 19,
    // A commit that was not flushed leaves rows not visible to all.
    setup: [
      'set synchronous_commit = on',
      ...rows('fetched', 'g as id', SERIES),
      'create index on fetched (id)',
      'analyze fetched',
    ],
    settings: [...ONE_PROCESS, 'set enable_seqscan = off', 'set enable_bitmapscan = off'],
    sql: 'select id from fetched where id < 40000',
    measure: (plan) => sum(plan, (node) => node.heap_fetches),
  },
  {
    advice: 'seq_scan_selective',
    what: 'of a subquery for each row',
    setup: [
      ...rows('asked', 'g as id', 'generate_series(1, 20) g'),
      ...rows('answers', 'g % 5000 as asked_id, g as v', SERIES),
      'analyze asked, answers',
    ],
    settings: ONE_PROCESS,
    sql: 'select id, (select max(v) from answers a where a.asked_id = asked.id) from asked',
    measure: removed,
  },
  {
    advice: 'foreign_key_unindexed',
    setup: [
      'create table firms (id int primary key)',
      'insert into firms select generate_series(1, 1000)',
      'create table bills (id int, firm_id int references firms)',
      'insert into bills select g, 1 + g % 500 from generate_series(1, 50000) g',
      'analyze firms, bills',
    ],
    sql: 'delete from firms where id in (select id from firms where id > 500 order by id limit 50)',
    instead: { run: ['create index on bills (firm_id)'] },
    measure: triggerMs,
  },
  {
    advice: 'trigger_slow',
    setup: [
      ...rows('watched', 'g as id', 'generate_series(1, 200) g'),
      ...rows('totals', 'g as id', 'generate_series(1, 20000) g'),
      `create function tally() returns trigger language plpgsql as
        'begin perform count(*) from totals where id % 2 = 0; return null; end'`,
      'create trigger tallied after update on watched for each row execute function tally()',
    ],
    sql: 'update watched set id = id',
    instead: {
      run: [
        'drop trigger tallied on watched',
        'create trigger tallied after update on watched for each statement execute function tally()',
      ],
    },
    measure: triggerMs,
  },
  {
    advice: 'subquery_list_scanned',
    setup: [
      ...rows('wanted', 'g as id', 'generate_series(1, 2000) g'),
      ...rows('unwanted', '100000 + g as id', 'generate_series(1, 20000) g'),
      'analyze wanted, unwanted',
    ],
    settings: [...SMALL, ...ONE_PROCESS],
    sql: 'select count(*) from wanted where id not in (select id from unwanted)',
    measure: (plan) => sum(plan, ({ total_rows }) => total_rows),
  },
  {
    advice: 'subquery_per_row',
    setup: [
      ...rows('customers', 'g as id', 'generate_series(1, 20000) g'),
      ...rows('purchases', 'g % 20000 as customer_id, g as v', 'generate_series(1, 200000) g'),
      'create index on purchases (customer_id)',
      'analyze customers, purchases',
    ],
    settings: ONE_PROCESS,
    sql: 'select id, (select sum(v) from purchases p where p.customer_id = c.id) from customers c',
    instead: {
      sql: `select id, p.sum from customers c
        left join (select customer_id, sum(v) from purchases group by 1) p on p.customer_id = c.id`,
    },
    measure: (plan) => sum(plan, ({ own_buffers }) => own_buffers?.shared_hit ?? 0),
  },
];
