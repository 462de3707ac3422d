// The report as it is shown and handed on: of which servers and which time is what the address says, an effect is told only where
// it was measured, and texts of servers stay texts.
import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { type Answers, startApi } from '../../../testing/api.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { show } from '../../../testing/show.tsx';
import type { Finding } from '../findings/finding-words.ts';
import { ReportPage } from './report-page.tsx';
import type { Report } from './report-words.ts';

const HOSTILE = '<img src=x onerror="window.hit=1">';
const AT = '2026-11-20T10:00:00.000Z';

const finding: Finding = {
  ...{
    id: 12,
    connection_id: 1,
    server_name: 'orders-primary',
    check: 'duplicate_index',
    category: 'indexes',
  },
  ...{ title: 'Index that another one makes superfluous', database_name: 'shop', object_name: HOSTILE },
  ...{ severity: 'warning', state: 'open', message: `The index ${HOSTILE} is superfluous.`, figure: 2048 },
  ...{ figure_unit: 'bytes', proof: 'stated', first_seen_at: AT, opened_at: AT, last_seen_at: AT },
  ...{ figured_at: AT, resolved_at: null, muted_until: null },
};
const mended = { figure_before: 2048, figure_after: 0, is_confirmed: true };

const report: Report = {
  start_time: '2026-11-13T10:00:00.000Z',
  end_time: AT,
  servers: 3,
  worse: [
    { finding, before: null },
    { finding: { ...finding, id: 13 }, before: 'info' },
  ],
  worse_total: 700,
  first: [{ ...finding, id: 16 }],
  first_total: 1,
  first_look: [
    { ...finding, id: 17 },
    { ...finding, id: 18, severity: 'critical' },
  ],
  first_look_total: 45,
  happened: [
    {
      ...{ kind: 'deadlocks', connection_id: 1, server_name: 'orders-primary', database_name: 'shop' },
      ...{ count: 26, message: `26 deadlocks ${HOSTILE}` },
    },
  ],
  happened_total: 1,
  declined: [
    {
      ...{ kind: 'growth', connection_id: 1, server_name: 'orders-primary', database_name: 'shop', count: 9 },
      message: 'The database grew by 9 GB, from 1 GB to 10 GB.',
    },
  ],
  declined_total: 1,
  next: [
    {
      ...{ kind: 'finding', connection_id: 1, server_name: 'orders-primary', finding_id: 12 },
      ...{ title: 'Redundant index', message: `It takes 2 kB ${HOSTILE}.`, action: 'Drop it.' },
    },
    {
      ...{ kind: 'runs_out', connection_id: 1, server_name: 'orders-primary', finding_id: null },
      ...{ title: 'Disk runs out', message: 'In 5 days.', action: 'Add room.' },
    },
  ],
  not_told: [
    { kind: 'index_dropped', reason: 'Name fewer.' },
    { kind: 'index_dropped', reason: 'Not measured on billing.' },
  ],
  mended: [
    { finding: { ...finding, id: 14, state: 'resolved', resolved_at: AT }, ...mended },
    { finding: { ...finding, id: 15, resolved_at: AT }, ...mended, figure_after: null, is_confirmed: false },
  ],
  mended_total: 2,
  runs_out: [],
  markdown: '# Report\n',
};

const ANSWERS: Answers = { ...EVERYWHERE, getFindingsReport: report };
const asked = (sent: readonly { operation: string; path: string }[]) =>
  sent
    .filter(({ operation }) => operation === 'getFindingsReport')
    .map(({ path }) => new URL(path, 'http://x'));

describe('the report', () => {
  it('tells what is new or graver, what mending brought where that was measured, and what is left out', async () => {
    await startApi(ANSWERS);
    show(<ReportPage />, { at: '/report' });
    const steps = within(await screen.findByRole('list', { name: 'What to do next' }));
    expect(steps.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([
      '/findings/12',
      '/runway?server=1',
    ]);
    expect(steps.getAllByRole('listitem')[0]?.textContent).toBe(
      `Redundant index on orders-primaryIt takes 2 kB ${HOSTILE}.Drop it.`,
    );
    const [grown, ...worse] = within(
      screen.getByRole('list', { name: 'What got slower, bigger or worse' }),
    ).getAllByRole('listitem');
    expect(grown?.textContent).toBe(
      'Growth: The database grew by 9 GB, from 1 GB to 10 GB.orders-primary · shop',
    );
    expect(worse[0]?.textContent).toMatch(/orders-primary · .+ in shop · Warning, found again, since/);
    expect(worse[1]?.textContent).toContain('Warning, was info, since');
    screen.getByText('The first 3 of 701');
    const items = within(
      screen.getByRole('list', { name: 'What was fixed, and what it brought' }),
    ).getAllByRole('listitem');
    expect(items[0]?.textContent).toContain('2 kB became 0 B, as promised');
    expect(items[1]?.textContent).not.toContain('became');
    screen.getByText(/^Nothing is forecast to run out/);
    screen.getByText(
      'Every server: 1 event, 701 got worse, 1 new finding, 2 fixed, 45 in the inventory; 3 servers',
    );
    const listOf = (name: string) =>
      within(screen.getByRole('list', { name }))
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent);
    expect(listOf('What was found for the first time')).toEqual([
      expect.stringMatching(/orders-primary · .+ in shop · Warning, found/),
    ]);
    expect(listOf('What happened')).toEqual([
      `Deadlocks: 26 deadlocks ${HOSTILE}orders-primary · shop`,
      'Dropped index: Name fewer.',
      'Dropped index: Not measured on billing.',
    ]);
    // An inventory, by check, and no decline.
    expect(listOf('Inventory')).toEqual(['CriticalIndex that another one makes superfluous2']);
    expect(listOf('Inventory, each finding')).toHaveLength(2);
    screen.getByText('The first 2 of 45, there when the servers were added');
    expect('hit' in window).toBe(false);
  });

  it('asks for the time and the servers that the address says, and keeps the choice there', async () => {
    const api = await startApi(ANSWERS);
    const at = '/report?server=1&from=2026-11-01T00:00:00Z&to=2026-11-08T00:00:00Z';
    const { user, router } = show(<ReportPage />, { at });
    await screen.findByRole('list', { name: 'What to do next' });
    const [first] = asked(api.sent);
    expect(Object.fromEntries(first?.searchParams ?? [])).toEqual({
      connection_id: '1',
      start_time: '2026-11-01T00:00:00.000Z',
      end_time: '2026-11-08T00:00:00.000Z',
    });
    await user.selectOptions(screen.getByLabelText('Cluster or server'), '');
    expect(decodeURIComponent(router.state.location.search)).toBe(
      '?from=2026-11-01T00:00:00Z&to=2026-11-08T00:00:00Z',
    );
  });
});
