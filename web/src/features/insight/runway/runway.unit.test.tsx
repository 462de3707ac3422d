// The runway as it is shown: the date with its band, why there is none, filters in the address. Texts of servers stay texts.

import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../lib/units.ts';
import { type Answers, startApi } from '../../../testing/api.ts';
import { EVERYWHERE } from '../../../testing/estate.ts';
import { show } from '../../../testing/show.tsx';
import { RunwayPage } from './runway-page.tsx';
import { aheadText, bandText, type RunwayItem } from './runway-words.ts';

const HOSTILE = '<img src=x onerror="window.hit=1">';
const ahead = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

const disk: RunwayItem = {
  connection_id: 1,
  server_name: 'orders-primary',
  found_at: ahead(0),
  kind: 'disk',
  database_name: null,
  object_name: HOSTILE,
  unit: 'bytes',
  used: 80 * 1024 ** 3,
  limit: 100 * 1024 ** 3,
  limited_by: 'What programs may use of it',
  per_day: 1024 ** 3,
  state: 'runs_out',
  runs_out_at: ahead(20),
  earliest_at: ahead(18),
  latest_at: ahead(25),
  days_of_data: 29,
  reason: null,
  days: [null, 78, 79, 80],
};
const slot: RunwayItem = {
  ...disk,
  ...{
    kind: 'replication_slot',
    object_name: 'left',
    state: 'unknown',
    used: null,
    limit: null,
    per_day: null,
  },
  ...{ runs_out_at: null, earliest_at: null, latest_at: null, reason: 'It was not collected yet.', days: [] },
};

const RUNWAY = {
  oldest_found_at: ahead(0),
  waiting: 0,
  items: [disk, slot],
  total: 2,
  counts: { runs_out: 1, not_growing: 0, unknown: 1 },
};
const ANSWERS: Answers = { ...EVERYWHERE, listRunway: RUNWAY };

describe('the runway', () => {
  it('draws what is used, the fullest first, with the date and its band, and why there is none', async () => {
    const ids: RunwayItem = {
      ...{ ...slot, kind: 'transaction_ids', object_name: null, database_name: 'shop', unit: 'count' },
      ...{ used: 9, limit: 10, days_of_data: 1, reason: 'Not enough data yet.' },
    };
    const items = [disk, slot, ids, { ...ids, database_name: 'crm', used: 1 }];
    await startApi({ ...ANSWERS, listRunway: { ...RUNWAY, items, total: 4 } });
    const { user, router } = show(<RunwayPage />, { at: '/runway' });
    const table = await screen.findByRole('table', { name: 'What runs out, the fullest first' });
    const texts = () =>
      within(table)
        .getAllByRole('row')
        .slice(1)
        .map(({ textContent }) => textContent);
    const [first, second, third] = texts();
    expect(texts()).toHaveLength(3);
    expect(first).toContain('Transaction ids: shop');
    expect(first).toContain('90 %');
    expect(second).toContain(`Disk: ${HOSTILE}`);
    expect(second).toMatch(/, in 20 daysbetween .+ and /);
    expect(second).toContain('80 %80 GB of 100 GB');
    expect(third).toContain('Transaction ids: crm');
    // What has no value is folded below, with each reason once.
    const below = screen.getByText('1 item without a value, and why').closest('details');
    expect(below?.textContent).toContain('It was not collected yet.orders-primary: Replication slot left');
    const rows = within(table).getAllByRole('row');
    expect(rows.map((row) => row.querySelector('polygon') !== null)).toEqual([false, false, true, false]);
    expect('hit' in window).toBe(false);
    // Once for all, and for each where it is pointed at.
    screen.getByText('2 items need more days: a date needs 4 values over 3 days.');
    expect(within(table).getAllByTitle('Not enough data yet.').length).toBeGreaterThan(1);
    await screen.findByText('1 with a date, 1 not forecast yet');
    await user.click(within(table).getByRole('button', { name: /Runs out/ }));
    expect(texts()[0]).toContain('Disk');
    expect(router.state.location.search).toBe('?sort=when');
  });

  it('keeps what is asked for in the address', async () => {
    await startApi(ANSWERS);
    const { user, router } = show(<RunwayPage />, { at: '/runway?kind=nonsense' });
    await user.selectOptions(await screen.findByLabelText('What'), 'disk');
    expect(router.state.location.search).toBe('?kind=disk');
  });
});

describe('dates in words', () => {
  it('are near or far, and open where the band is', () => {
    const now = Date.UTC(2026, 10, 22) / 1000;
    const at = (days: number) => new Date(now * 1000 + days * DAY_MS).toISOString();
    expect([0, 0.5, 1, 12, 90, 1000].map((days) => aheadText(at(days), now))).toEqual([
      'now',
      'within a day',
      'in 1 day',
      'in 12 days',
      'in 3 months',
      'in 3 years',
    ]);
    expect(bandText({ ...disk, latest_at: null })).toMatch(/^from .+ on$/);
    expect(bandText(slot)).toBeUndefined();
  });
});
