// Titles of statements and tags of their comments, on texts as pg_stat_statements keeps them.
import { expect, it } from 'vitest';
import { statementTags, statementTitle } from './statement-title.ts';

const titleOf = (query: string) => {
  const title = statementTitle(query);
  return title && `${title.verb} ${title.tables.join(', ')}`;
};

it.each([
  ['select * from customer where id = $1', 'SELECT customer'],
  [
    'SELECT c.town, sum(s.amount) FROM sales s JOIN public.customer AS c ON c.id = s.customer',
    'SELECT sales, public.customer',
  ],
  ['select 1 from a, b as x, "Strange ""Table" y where a.x = b.x', 'SELECT a, b, "Strange ""Table"'],
  [
    'insert into sales (customer, amount) values ($1, $2) on conflict do update set amount = $3',
    'INSERT sales',
  ],
  ['insert into archive select * from sales where at < $1', 'INSERT archive, sales'],
  ['update only sales set amount = extract(epoch from now()) where id = $1', 'UPDATE sales'],
  ['delete from sales using customer c where c.id = sales.customer', 'DELETE sales, customer'],
  [
    'merge into stock s using delivery d on s.id = d.id when matched then update set n = $1',
    'MERGE stock, delivery',
  ],
  [
    'with recent as (select * from sales) select * from recent join customer c on true',
    'SELECT sales, customer',
  ],
  [
    'with gone as materialized (delete from sales returning *) insert into archive select * from gone',
    'INSERT sales, archive',
  ],
  ['select * from generate_series($1, $2) n join customer c on c.id = n', 'SELECT customer'],
  ['select * from (select * from inner_table) x', 'SELECT inner_table'],
  ['select a is distinct from b, trim(both $1 from c) from t for update of t', 'SELECT t'],
  ["select 'from nowhere', $1 /* from comment */ from t -- from line", 'SELECT t'],
  ['/* from x */ select * from schema . t', 'SELECT schema.t'],
  ['(select * from a) union (select * from b)', 'SELECT a, b'],
])('reads %s as %s', (query, title) => {
  expect(titleOf(query)).toBe(title);
});

it.each([
  'select $1',
  'analyze',
  'set local transaction_isolation = $1',
  'vacuum customer',
  '',
  'begin',
  'from',
])('has no title for %s', (query) => {
  expect(titleOf(query)).toBeUndefined();
});

it('reads hostile texts in no time', () => {
  const started = performance.now();
  for (const one of ['(', "'", '"', '/*', '$a$', 'from ', 'select from a,', '-- ', 'a.', "a='"])
    statementTags(one.repeat(100_000));
  for (const one of ['(', "'", '"', '/*', '$a$', 'from ', 'select from a,', '-- ', 'a.', ' . '])
    titleOf(`select ${one.repeat(100_000)}`);
  expect(performance.now() - started).toBeLessThan(2000);
});

it('reads the tags of sqlcommenter, decoded', () => {
  expect(statementTags("/*application='web',route='%2Fcart%20now'*/ select $1")).toEqual([
    { name: 'application', value: 'web' },
    { name: 'route', value: '/cart now' },
  ]);
  expect(statementTags('select $1 /* probe.pg_stat_io */')).toEqual([]);
  expect(statementTags("select $1 /*a='%E0%A4%A',b='it\\'s'*/")).toEqual([
    { name: 'a', value: '%E0%A4%A' },
    { name: 'b', value: "it's" },
  ]);
});
