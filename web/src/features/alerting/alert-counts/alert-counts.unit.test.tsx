// Counts of active alerts where one works: in the navigation, before the title of the window, and in the table of servers.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { Shell } from '../../../app/shell.tsx';
import { startApi } from '../../../testing/api.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { ADMIN, show } from '../../../testing/show.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { TitleCount } from '../../../ui/title-count.ts';
import { EstatePage } from '../../insight/estate-page/estate-page.tsx';

const COUNTS = { total: 1203, by_server: { 3: 1200, 1: 3 }, by_cluster: {} };
const NONE = { total: 0, by_server: {}, by_cluster: {} };

it('stands beside Alerts in the navigation, and not where there is none', async () => {
  const api = await startApi({ ...EVERYWHERE, countAlerts: COUNTS });
  const { client } = show(<Shell user={ADMIN} />);
  await screen.findByRole('link', { name: 'Alerts 1,203 active' });
  api.answer({ countAlerts: NONE });
  await client.invalidateQueries();
  await screen.findByRole('link', { name: 'Alerts' });
});

it('stands before the title of the window', async () => {
  await startApi({});
  show(
    <TitleCount value={3}>
      <PageHeader title="Probes" />
    </TitleCount>,
  );
  await expect.poll(() => document.title).toBe('(3) Probes · Matriarch');
});

it('stands at each server of the estate, leads to its alerts, and sorts', async () => {
  await startApi({ ...EVERYWHERE, countAlerts: COUNTS });
  const { user } = show(<EstatePage />);
  const table = within(await screen.findByRole('table', { name: 'Servers with their state' }));
  await table.findAllByRole('link', { name: '1,200 active alerts' });
  await user.click(table.getByRole('button', { name: /^Alerts/ }));
  const rows = table.getAllByRole('row').slice(1);
  expect(rows.map((row) => within(row).getAllByRole('link')[0]?.textContent)).toEqual([
    'billing',
    'orders-primary',
    'orders-standby',
  ]);
  const links = rows.map((row) => within(row).queryAllByRole('link', { name: /active alert/ })[0]);
  expect(links.map((link) => link?.getAttribute('href'))).toEqual([
    '/alerts?server=3',
    '/alerts?server=1',
    undefined,
  ]);
});
