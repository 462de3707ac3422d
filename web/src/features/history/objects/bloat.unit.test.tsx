// Bloat of tables on the screen: bytes that would come back, called an estimate, in the order that the server sorts them by; what
// is not estimated is unknown with its reason.
import { fireEvent, screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Refusal, startApi } from '../../../testing/api.ts';
import { show } from '../../../testing/show.tsx';
import { TablesView } from './tables-view.tsx';

const READ = '2026-11-20T11:55:00.000Z';
const GB = 1024 ** 3;
const at = { connection_id: 1, collected_at: READ, database_name: 'shop', schemaname: 'public' };
const table = (relid: number, relname: string) => ({ ...at, relid, relname, table_size: 41 * GB });
const estimate = (relid: number, relname: string, needed_bytes: number | null) => ({
  ...{ ...at, relid, relname, kind: 'table', indexrelname: null, row_count: 100 },
  ...{ actual_bytes: 40 * GB, needed_bytes },
  reclaimable_bytes: needed_bytes === null ? null : 40 * GB - needed_bytes,
});
const INDEX = { ...estimate(9, 'orders', 30 * GB), kind: 'index', indexrelname: 'orders_town' };

async function open(search = '') {
  const api = await startApi({
    getConnectionCoverage: new Refusal(404, 'No coverage yet.'),
    listTimelineEvents: { events: [], total_count: 0 },
    queryMetrics: [],
    getLatestMetrics: ({ path }) =>
      new URLSearchParams(path.split('?')[1]).get('probe_name') === 'pg_bloat_estimate'
        ? { rows: [estimate(1, 'orders', 10 * GB), INDEX, estimate(2, 'secret', null)], total_count: 3 }
        : { rows: [table(1, 'orders'), table(2, 'secret'), table(3, 'tiny')], total_count: 3 },
  });
  show(<TablesView id={1} />, { at: `/servers/1?tab=tables${search}` });
  const asked = () =>
    api.sent
      .filter(({ operation }) => operation === 'getLatestMetrics')
      .map(({ path }) => Object.fromEntries(new URLSearchParams(path.split('?')[1])));
  return { asked };
}

const rowOf = (text: RegExp) => screen.getAllByRole('row').find((row) => text.test(row.textContent));

it('says beside each table what a rewrite would free, and why that is not known', async () => {
  await open();
  await expect.poll(() => rowOf(/^orders/)?.textContent).toContain('~30 GB75 %');
  expect(rowOf(/^secret/)?.textContent).toContain('Column widths are hidden.');
  expect(rowOf(/^tiny/)?.textContent).toContain('it is smaller than 8 MB');
});

it('lists tables and indexes by the bytes that would come back, as the server sorts them', async () => {
  const { asked } = await open('&sort=-n_dead_tup&q=ord');
  fireEvent.click(await screen.findByRole('radio', { name: 'By bloat' }));
  await screen.findByRole('table', { name: 'Bloat' });
  expect(asked().at(-1)).toMatchObject({
    probe_name: 'pg_bloat_estimate',
    order_by: 'reclaimable_bytes',
    order: 'desc',
    offset: '0',
  });
  expect(asked().at(-1)).not.toHaveProperty('search');
  expect(rowOf(/^orders_town/)?.textContent).toMatch(/^orders_townindex of public.orders · shop~10 GB25 %/);
  expect(screen.getByText(/^Estimate from the row count/)).toBeDefined();
});
