// Which changes and findings are of the tables that a statement names.
import { expect, it } from 'vitest';
import { plainName, tableChanges, tableFindings } from './statement-tables.ts';

const at = '2026-11-20T10:05:00.000Z';
const places = [{ database_name: 'shop' }];

it.each([
  ['Orders', 'orders'],
  ['Public."Orders"', 'public.Orders'],
  ['"a.b"."say ""x"""', 'a.b.say "x"'],
])('%s is %s', (written, plain) => expect(plainName(written)).toBe(plain));

const dropped = (of: Readonly<Record<string, string>>) => ({
  id: 'index-dropped-1',
  event_type: 'index_dropped' as const,
  connection_id: 1,
  server_name: 'shop',
  occurred_at: at,
  severity: 'info' as const,
  title: 'Index i dropped',
  summary: '',
  details: {
    change_count: 1,
    changes: [{ database: 'shop', schema: 'public', table: 'orders', index: 'i', ...of }],
  },
});
const words = (query: string | null, of: Readonly<Record<string, string>> = {}) =>
  tableChanges([dropped(of)], { query, places }).map((one) => one.words);

it('tells of an index of a table that the statement names, and of no other', () => {
  const found = ['Index i of public.orders was dropped'];
  expect(words('select * from orders where id = $1')).toEqual(found);
  expect(words('select * from customers c join PUBLIC.Orders o on o.c = c.id')).toEqual(found);
  expect(words('select * from sales.orders')).toEqual([]);
  expect(words('select * from "Orders"')).toEqual([]);
  expect(words('select * from reorders')).toEqual([]);
  expect(words('select * from orders', { database: 'other' })).toEqual([]);
  expect(words('select 1')).toEqual([]);
  expect(words(null)).toEqual([]);
  const restart = { ...dropped({}), event_type: 'restart' as const, details: {} };
  expect(tableChanges([restart], { query: 'select * from orders', places })).toEqual([]);
});

it('finds what was found of a table that the statement names', () => {
  const finding = {
    id: 7,
    connection_id: 1,
    server_name: 'shop',
    check: 'statistics_stale',
    category: 'vacuum' as const,
    title: 'Stale table statistics',
    database_name: 'shop',
    object_name: 'public.orders',
    severity: 'info' as const,
    state: 'open' as const,
    message: '',
    figure: null,
    figure_unit: null,
    proof: 'stated' as const,
    ...{ first_seen_at: at, opened_at: at, last_seen_at: at, figured_at: at },
    ...{ resolved_at: null, muted_until: null },
  };
  const all = [finding, { ...finding, object_name: 'public.items' }, { ...finding, database_name: null }];
  expect(tableFindings(all, { query: 'update orders set a = $1', places })).toEqual([finding]);
});
