// Databases, tables and indexes of a server on the screen: in which order they are asked for, what is dead in them, how
// they grew, what an index costs for nothing and since when, and what mends it where nobody could read them.
import { screen, within } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Coverage } from '../../../api/types.ts';
import { type Answers, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { DatabasesView } from './databases-view.tsx';
import { differenceText, unchangedBecause } from './growth.tsx';
import { IndexesView } from './indexes-view.tsx';
import { TablesView } from './tables-view.tsx';

const FROM = Date.parse('2026-11-20T10:00:00Z');
const WINDOW = 'from=2026-11-20T10:00:00Z&to=2026-11-20T12:00:00Z&zone=utc';
const READ = '2026-11-20T11:55:00.000Z';

const TABLE = {
  connection_id: 1,
  collected_at: READ,
  database_name: 'shop',
  relid: 16_384,
  schemaname: 'public',
  relname: 'orders',
  table_size: 44_023_414_784,
  size_as_of: '2026-11-20T11:00:00.000Z',
  n_live_tup: 900_000,
  n_dead_tup: 300_000,
  vacuum_threshold: 180_050,
  seq_scan: 12,
  idx_scan: 4_000_000,
  heap_blks_hit: 990,
  heap_blks_read: 10,
  last_vacuum: null,
  last_autovacuum: '2026-11-20T11:00:00.000Z',
};
const NEW_TABLE = {
  ...TABLE,
  relid: 16_390,
  relname: 'fresh',
  table_size: null,
  size_as_of: null,
  n_live_tup: 0,
  n_dead_tup: 0,
  vacuum_threshold: 50,
  heap_blks_hit: 0,
  heap_blks_read: 0,
  last_autovacuum: null,
};

const INDEX = {
  connection_id: 1,
  collected_at: READ,
  database_name: 'shop',
  indexrelid: 16_400,
  schemaname: 'public',
  relname: 'orders',
  indexrelname: 'orders_note',
  index_size: 8192,
  idx_scan: 0,
  idx_tup_read: 0,
  idx_blks_hit: 0,
  idx_blks_read: 0,
  last_idx_scan: null,
  is_unique: false,
  is_primary: false,
  is_valid: true,
};
const FINDING = {
  connection_id: 1,
  collected_at: READ,
  database_name: 'shop',
  object_oid: 16_400,
  finding: 'unused',
  schemaname: 'public',
  relname: 'orders',
  indexrelname: 'orders_note',
  constraint_name: null,
  column_names: 'note',
  covered_by: null,
  index_size: 8192,
  stats_reset: '2026-11-01T00:00:00.000Z',
};

const coverage = (probes: Coverage['probes'], remedies: Coverage['remedies']): Coverage => ({
  connection_id: 1,
  own_cost: {
    cost_percent: null,
    sessions: null,
    measured_at: null,
    statement_entries: null,
    statement_entries_limit: null,
  },
  newest_gap: null,
  counts: { collected: 1, incomplete: 0, missing: 0, waiting: 0, switched_off: 0, not_applicable: 0 },
  probes,
  remedies,
  host_sources: [],
  host_values: [],
});

/** 10 MB, a gap, then 12 MB. */
const SIZES = [
  { time: new Date(FROM).toISOString(), value: 10 * 1024 ** 2 },
  { time: new Date(FROM + 300_000).toISOString(), value: null },
  { time: new Date(FROM + 600_000).toISOString(), value: 12 * 1024 ** 2 },
];

const ANSWERS: Answers = {
  getConnectionCoverage: coverage([], []),
  listTimelineEvents: { events: [], total_count: 0 },
  queryMetrics: ({ path }) => {
    const query = new URLSearchParams(path.split('?')[1]);
    const metric = query.get('metrics') ?? '';
    const isFresh = query.get('table_name') === 'fresh';
    return [{ name: metric, metric, unit: 'bytes', data: isFresh ? [] : SIZES }];
  },
  getLatestMetrics: ({ path }) => {
    const probe = new URLSearchParams(path.split('?')[1]).get('probe_name');
    if (probe === 'pg_stat_all_tables') return { rows: [TABLE, NEW_TABLE], total_count: 312 };
    if (probe === 'pg_stat_all_indexes') return { rows: [INDEX], total_count: 1 };
    return {
      rows: [
        FINDING,
        { ...FINDING, object_oid: 1, finding: 'duplicate', indexrelname: 'again', covered_by: 'orders_pkey' },
        {
          ...FINDING,
          object_oid: 2,
          finding: 'missing_fk_index',
          indexrelname: null,
          constraint_name: 'orders_customer_fkey',
          index_size: null,
        },
      ],
      total_count: 3,
    };
  },
};

async function open(view: 'databases' | 'tables' | 'indexes', search = '', answers: Answers = {}) {
  const api = await startApi({ ...ANSWERS, ...answers });
  const View = { databases: DatabasesView, tables: TablesView, indexes: IndexesView }[view];
  const shown = show(<View id={1} />, { at: `/servers/1?tab=${view}&${WINDOW}${search}` });
  const asked = (operation: string) =>
    api.sent
      .filter((one) => one.operation === operation)
      .map(({ path }) => Object.fromEntries(new URLSearchParams(path.split('?')[1])));
  return { ...shown, api, asked };
}

const rowOf = async (text: RegExp) =>
  (await screen.findAllByRole('row')).find((row) => text.test(row.textContent));

it('asks for the largest tables first, without those of the system', async () => {
  const { asked, user, router } = await open('tables');
  await screen.findByText('312 tables');
  expect(asked('getLatestMetrics')[0]).toEqual({
    connection_id: '1',
    probe_name: 'pg_stat_all_tables',
    order_by: 'table_size',
    order: 'desc',
    limit: '100',
    offset: '0',
    reading: expect.stringMatching(/^\d+$/),
    exclude_schemas: 'pg_catalog,information_schema,pg_toast',
  });
  await user.click(screen.getByRole('button', { name: 'Dead tuples' }));
  await expect.poll(() => asked('getLatestMetrics').at(-1)).toMatchObject({ order_by: 'n_dead_tup' });
  await user.click(screen.getByLabelText('With those of the system'));
  await expect.poll(() => asked('getLatestMetrics').at(-1)).not.toHaveProperty('exclude_schemas');
  await user.type(screen.getByLabelText('Search tables'), 'ord');
  await expect.poll(() => asked('getLatestMetrics').at(-1)).toMatchObject({ search: 'ord' });
  expect(Object.fromEntries(new URLSearchParams(router.state.location.search))).toMatchObject({
    sort: '-n_dead_tup',
    system: 'with',
    q: 'ord',
  });
});

/** An observer that sees no row: how a hundred of them grew need not be read. */
class SeesNothing {
  observe() {}
  disconnect() {}
}

/** So many tables, answered part by part. */
const many = (count: number): Answers => ({
  getLatestMetrics: ({ path }) => {
    const query = new URLSearchParams(path.split('?')[1]);
    if (query.get('probe_name') !== 'pg_stat_all_tables') return { rows: [], total_count: 0 };
    const offset = Number(query.get('offset'));
    const rows = Array.from({ length: Math.min(100, count - offset) }, (_none, n) => ({
      ...TABLE,
      relid: offset + n,
      relname: `table_${offset + n}`,
    }));
    return { rows, total_count: count };
  },
});

it('shows ten thousand as one list, of which only what comes near the window is fetched, of one reading', async () => {
  vi.stubGlobal('IntersectionObserver', SeesNothing);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { asked } = await open('tables', '', many(10_000));
  await screen.findByText('10,000 tables');
  await screen.findByText('table_0');
  const table = screen.getByRole('table', { name: 'Tables' });
  expect(table.getAttribute('aria-rowcount')).toBe('10001');
  expect(within(table).getAllByRole('row').length).toBeLessThan(100);
  expect(screen.queryByRole('button', { name: 'Next' })).toBeNull();
  const ofTables = () =>
    asked('getLatestMetrics').filter(({ probe_name }) => probe_name === 'pg_stat_all_tables');
  await expect.poll(() => ofTables().length).toBeGreaterThan(0);
  const parts = ofTables();
  expect(parts.every(({ offset }) => Number(offset) <= 100)).toBe(true);
  expect(new Set(parts.map(({ reading }) => reading)).size).toBe(1);
});

it('saves all that match', async () => {
  vi.stubGlobal('IntersectionObserver', SeesNothing);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { user } = await open('tables', '', many(250));
  await screen.findByText('250 tables');
  const files: Blob[] = [];
  const make = URL.createObjectURL;
  URL.createObjectURL = (file) => {
    if (file instanceof Blob) files.push(file);
    return 'blob:x';
  };
  try {
    await user.click(screen.getByRole('button', { name: 'CSV' }));
    await screen.findByText('250 of 250 tables');
    await expect.poll(() => files.length).toBe(1);
  } finally {
    URL.createObjectURL = make;
  }
  const lines = (await files[0]?.text())?.trimEnd().split('\r\n') ?? [];
  expect(lines.length).toBe(251);
  expect(lines[250]).toContain('table_249');
});

/** An observer that is told when a row comes and goes. */
class Passing {
  static readonly all: Passing[] = [];
  readonly tell: (isIntersecting: boolean) => void;
  constructor(told: (entries: { isIntersecting: boolean }[]) => void) {
    this.tell = (isIntersecting) => told([{ isIntersecting }]);
    Passing.all.push(this);
  }
  observe() {}
  disconnect() {}
}

it('asks how a table grew once its row stands near the window, and not while it is scrolled past', async () => {
  vi.stubGlobal('IntersectionObserver', Passing);
  onTestFinished(() => void vi.unstubAllGlobals());
  const { asked } = await open('tables', '', many(2));
  await screen.findByText('table_1');
  const [past, stays] = Passing.all.slice(-2);
  past?.tell(true);
  past?.tell(false);
  stays?.tell(true);
  await expect.poll(() => asked('queryMetrics').length).toBe(1);
  expect(asked('queryMetrics')[0]).toMatchObject({ table_name: 'table_1' });
});

it('says of a table what is large, dead, found in the cache and cleaned, and how it grew', async () => {
  const { asked } = await open('tables');
  const orders = await rowOf(/^orders/);
  await expect.poll(() => orders?.textContent).toMatch(/\+2 MB/);
  expect(orders?.textContent).toMatch(/^orderspublic · shop41 GB/);
  expect(orders?.textContent).toMatch(/More than autovacuum waits for300,00025 %/);
  expect(orders?.textContent).toMatch(/99 %/);
  // The gap in the middle is not bridged.
  expect(orders?.querySelector('svg path')?.getAttribute('d')?.match(/M/g)?.length).toBe(2);
  const fresh = await rowOf(/^fresh/);
  await expect.poll(() => fresh?.textContent).toMatch(/not read twice/);
  expect(fresh?.textContent).toMatch(/Never vacuumed or analyzed/);
  expect(fresh?.textContent).toMatch(/No block of it was needed/);
  expect(fresh?.textContent).toMatch(/Not since the statistics were reset/);
  expect(fresh?.textContent).not.toMatch(/waits for/);
  expect(asked('queryMetrics')[0]).toMatchObject({
    database_name: 'shop',
    schema_name: 'public',
    metrics: 'table_size',
    start_time: '2026-11-20T10:00:00.000Z',
  });
});

it('says how many tables are not watched', async () => {
  const reason =
    '2,000 of 12,000 tables are not watched: the first 10,000 by size are. They hold 1 % of the size.';
  const entry = {
    probe: 'pg_stat_all_tables',
    database_name: 'shop',
    status: 'ok' as const,
    reason,
    mend: null,
    checked_at: READ,
    collected_at: READ,
    took_ms: 1,
    row_count: 10_000,
    interval_seconds: 300,
    effective_interval_seconds: 300,
    cost_percent: null,
  };
  await open('tables', '', { getConnectionCoverage: coverage([entry], []) });
  expect((await screen.findByRole('note')).textContent).toBe(`shop: ${reason}`);
});

it('says of when the size of a table is, and does not call a size the same that was not measured', async () => {
  const same = SIZES.map((one) => ({ ...one, value: one.value === null ? null : 8192 }));
  const of = (relname: string, size_as_of: string | null) => ({
    ...TABLE,
    relid: relname.length,
    relname,
    size_as_of,
  });
  await open('tables', '', {
    queryMetrics: [{ name: 'table_size', metric: 'table_size', unit: 'bytes', data: same }],
    getLatestMetrics: {
      rows: [of('old', '2026-11-20T09:00:00.000Z'), of('unsaid', null), of('measured', TABLE.size_as_of)],
      total_count: 3,
    },
  });
  const old = await rowOf(/^old/);
  await expect.poll(() => old?.textContent).toMatch(/Not measured in this time/);
  expect(old?.textContent).toMatch(/41 GBas of .* ago/);
  expect(old?.textContent).not.toMatch(/same$|same–/);
  expect((await rowOf(/^unsaid/))?.textContent).toMatch(/age unknown.*does not say when/);
  await expect.poll(async () => (await rowOf(/^measured/))?.textContent).toMatch(/same/);
  expect(unchangedBecause('2026-11-20T10:00:00.000Z', FROM)).not.toBeNull();
  expect(unchangedBecause('2026-11-20T10:00:00.001Z', FROM)).toBeNull();
});

it('compares how tables grew and what databases did with another time, which the address names', async () => {
  const { user, asked, router, unmount } = await open('tables', '', {
    queryMetrics: ({ path }) => {
      const isCompared = new URLSearchParams(path.split('?')[1]).get('compare') === 'day';
      const data = SIZES.map((one, n) => (isCompared ? { ...one, compared: 1024 * 1024 * n } : one));
      return [{ name: 'table_size', metric: 'table_size', unit: 'bytes', data }];
    },
  });
  await expect.poll(async () => (await rowOf(/^orders/))?.textContent).toMatch(/\+2 MB/);
  await user.selectOptions(screen.getByRole('combobox', { name: 'Compare with' }), 'With a day earlier');
  await expect.poll(async () => (await rowOf(/^orders/))?.textContent).toMatch(/\+2 MB\+2 MB a day earlier/);
  expect(asked('queryMetrics').at(-1)).toMatchObject({ compare: 'day' });
  expect(router.state.location.search).toContain('compare=day');
  unmount();
  const ratio = (current: number) => ({ current, time_series: [] });
  const database = {
    database_name: 'shop',
    size_bytes: 8192,
    size_pretty: '8 kB',
    active_connections: 2,
    cache_hit_ratio: ratio(90),
    transaction_rate: 30,
    dead_tuple_ratio: 1,
  };
  const compared = { cache_hit_ratio: ratio(99), transaction_rate: 10 };
  const databases = await open('databases', '&compare=day', {
    getDatabaseSummaries: {
      databases: [
        { ...database, compared },
        { ...database, database_name: 'new' },
      ],
    },
  });
  await expect
    .poll(async () => (await rowOf(/^shop/))?.textContent)
    .toMatch(/30 \/s10 \/s, ×3 a day earlier90 %99 % a day earlier/);
  expect((await rowOf(/^new/))?.textContent).toMatch(/30 \/snot measured a day earlier90 %not measured/);
  expect(databases.asked('getDatabaseSummaries')[0]).toMatchObject({ compare: 'day' });
});

it.each([
  [[1024, null, 3072], '+2 kB'],
  [[3072, 1024], '−2 kB'],
  [[5, 5], 'same'],
  [[null, 5], null],
  [[], null],
])('the difference of %j is %s', (values, text) => expect(differenceText(values)).toBe(text));

it('marks indexes that cost more than they give, with since when', async () => {
  await open('indexes');
  const findings = within(
    await screen.findByRole('region', { name: 'Unused, redundant and missing indexes' }),
  );
  const rows = (await findings.findAllByRole('row')).map(({ textContent }) => textContent);
  expect(rows[1]).toMatch(/^Unusedorders_notepublic.orders \(note\) · shop.*reset .* ago.*8 kB$/);
  expect(rows[2]).toMatch(/^Duplicate.*orders_pkey/);
  expect(rows[3]).toMatch(/^No indexorders_customer_fkey.*Each change.*There is no index/);
  const all = within(await screen.findByRole('region', { name: 'Indexes' }));
  expect((await all.findAllByRole('row'))[1]?.textContent).toMatch(/Not since the statistics were reset/);
});

it('shows the largest of many such indexes, and all of them when asked', async () => {
  const rows = Array.from({ length: 25 }, (_, n) => ({
    ...FINDING,
    object_oid: n,
    indexrelname: `spare_${n}`,
  }));
  const getLatestMetrics: Answers['getLatestMetrics'] = ({ path }) =>
    new URLSearchParams(path.split('?')[1]).get('probe_name') === 'pg_index_health'
      ? { rows, total_count: 25 }
      : { rows: [INDEX], total_count: 1 };
  const { user } = await open('indexes', '', { getLatestMetrics });
  const table = await screen.findByRole('table', { name: 'Unused, redundant and missing indexes' });
  expect(within(table).getAllByRole('row')).toHaveLength(11);
  await user.click(screen.getByRole('button', { name: 'Show all 25' }));
  expect(within(table).getAllByRole('row')).toHaveLength(26);
  expect(screen.queryByRole('button', { name: /Show all/ })).toBeNull();
});

it('says that nothing was found only of what was read', async () => {
  const empty: Answers = { getLatestMetrics: { rows: [], total_count: 0 } };
  const entry = {
    probe: 'pg_index_health',
    database_name: 'shop',
    status: 'ok' as const,
    reason: null,
    mend: null,
    checked_at: null,
    collected_at: null,
    took_ms: null,
    row_count: null,
    interval_seconds: 3600,
    effective_interval_seconds: 3600,
    cost_percent: null,
  };
  vi.useFakeTimers({ shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const { api } = await open('indexes', '', {
    ...empty,
    getConnectionCoverage: coverage([{ ...entry, status: 'failing', reason: 'It took too long.' }], []),
  });
  await screen.findByText('Failing in shop: It took too long.');
  expect(screen.queryByText(/^No index was found/)).toBeNull();
  api.answer({ getConnectionCoverage: coverage([entry], []) });
  // Until it is read again by itself.
  await vi.advanceTimersByTimeAsync(15_000);
  await screen.findByText(/^No index was found/);
});

it('says what mends it where tables cannot be read', async () => {
  const reason = 'The role may not connect to database payroll.';
  const remedy = {
    statement: 'grant connect on database payroll to matriarch_monitor;',
    database_name: null,
    run_on: 'server' as const,
    needs_restart: false,
    status: 'missing_grant' as const,
    reason,
    probes: ['pg_stat_all_tables', 'pg_extension'],
    databases: ['payroll'],
    count: 2,
    checked_at: null,
  };
  await open('tables', '&q=nothing', {
    getConnectionCoverage: coverage([], [remedy, { ...remedy, probes: ['pg_hba'], statement: 'other' }]),
    getLatestMetrics: { rows: [], total_count: 0 },
  });
  const missing = within(await screen.findByRole('region', { name: 'Not collected' }));
  missing.getByText('grant connect on database payroll to matriarch_monitor;');
  expect(missing.queryByText('other')).toBeNull();
  await screen.findByText('No table matches');
});

it('says of databases what they did in the window, and of what was not read why', async () => {
  const { asked } = await open('databases', '', {
    getDatabaseSummaries: {
      databases: [
        {
          database_name: 'shop',
          size_bytes: 8_589_934_592,
          size_pretty: '8192 MB',
          cache_hit_ratio: { current: 99.2, time_series: [{ time: READ, value: 99.1 }] },
          transaction_rate: 121.3,
          dead_tuple_ratio: 3.4,
          active_connections: 12,
        },
        {
          database_name: 'payroll',
          size_bytes: 0,
          size_pretty: 'unknown',
          cache_hit_ratio: { time_series: [] },
          active_connections: 0,
        },
      ],
    },
  });
  const shop = await rowOf(/^shop/);
  expect(shop?.textContent).toMatch(/8 GB12121 \/s99.2 %3.4 %$/);
  const payroll = await rowOf(/^payroll/);
  expect(payroll?.textContent).toMatch(
    /The role may not read the size0.*Not measured.*Not measured.*Not measured/,
  );
  const tables = screen.getByRole('link', { name: /^Tables ?of shop$/ }).getAttribute('href') ?? '';
  expect(Object.fromEntries(new URLSearchParams(tables.split('?')[1]))).toEqual({
    tab: 'tables',
    database: 'shop',
    from: '2026-11-20T10:00:00Z',
    to: '2026-11-20T12:00:00Z',
    zone: 'utc',
  });
  expect(asked('getDatabaseSummaries')[0]).toEqual({
    connection_id: '1',
    start_time: '2026-11-20T10:00:00.000Z',
    end_time: '2026-11-20T12:00:00.000Z',
  });
});
