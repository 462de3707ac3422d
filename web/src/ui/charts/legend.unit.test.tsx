// The legend of a chart is its table: a click shows a line alone, with Shift one more, and the same again shows all.
import { screen, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { show } from '../../testing/show.tsx';
import { Chart } from './chart.tsx';
import { ChartPage } from './chart-page.tsx';

const FROM = Date.UTC(2026, 10, 20, 10);
const GRID = { from: FROM, to: FROM + 4 * 60_000, buckets: 4 };
const SERIES = [
  { name: 'a', label: 'Reads', values: [1, 3, null, 2] },
  { name: 'b', label: 'Writes', values: [10, 10, null, 40] },
];

it('says of each line its newest, least, mean and largest value, and shows those that are chosen alone', async () => {
  const { user } = show(
    <ChartPage grid={GRID} zone="UTC" events={[]} onWindow={() => undefined}>
      <Chart title="Disk" unit="count" series={SERIES} />
    </ChartPage>,
  );
  const table = within(await screen.findByRole('table', { name: 'Disk: values' }));
  expect(table.getAllByRole('row').map(({ textContent }) => textContent)).toEqual([
    '11-20 10:03:00 – 10:04:00NewestMinMeanMax',
    'Reads2123',
    'Writes40102040',
  ]);
  const chart = screen.getByRole('figure', { name: 'Disk' });
  const drawn = () =>
    [...chart.querySelectorAll('path[data-name]')]
      .filter((path) => path.getAttribute('d') !== '')
      .map((path) => path.getAttribute('data-name'));
  expect(drawn()).toEqual(['a', 'b']);
  const reads = table.getByRole('button', { name: 'Reads' });
  await user.click(reads);
  expect(drawn()).toEqual(['a']);
  expect(reads.getAttribute('aria-pressed')).toBe('true');
  await user.keyboard('{Shift>}');
  await user.click(table.getByRole('button', { name: 'Writes' }));
  await user.keyboard('{/Shift}');
  expect(drawn()).toEqual(['a', 'b']);
  await user.click(reads);
  await user.click(reads);
  expect(drawn()).toEqual(['a', 'b']);
  expect(table.queryAllByRole('button', { pressed: true })).toEqual([]);
});
