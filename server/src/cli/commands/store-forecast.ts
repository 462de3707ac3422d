// matriarch store forecast: how much disk each probe will need, from the last days and how long data is kept.
import { storeForecast as forecast, type ProbeForecast } from '../../store/upkeep/forecast.ts';
import { type Command, printTable } from '../command.ts';

const MIB = 1024 * 1024;
const size = (bytes: number | null) => (bytes === null ? '-' : `${(bytes / MIB).toFixed(1)} MiB`);

const cells = (row: Omit<ProbeForecast, 'probe'>) => [
  size(row.size_bytes),
  size(row.in_7_days_bytes),
  size(row.in_30_days_bytes),
  size(row.in_365_days_bytes),
];

/** Of what is known; null when nothing is. */
function sum(rows: readonly ProbeForecast[], read: (row: ProbeForecast) => number | null): number | null {
  const known = rows.map(read).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}

export const command: Command = {
  path: ['store', 'forecast'],
  summary: 'Show how much disk the metrics store will need',
  details: 'A dash: there is no whole day yet to go by.',
  options: [{ flags: '--json', description: 'print JSON' }],
  async run(io, args) {
    const rows = await forecast(await io.db());
    const all = {
      size_bytes: rows.reduce((total, { size_bytes }) => total + size_bytes, 0),
      in_7_days_bytes: sum(rows, (row) => row.in_7_days_bytes),
      in_30_days_bytes: sum(rows, (row) => row.in_30_days_bytes),
      in_365_days_bytes: sum(rows, (row) => row.in_365_days_bytes),
    };
    if (args.flag('json')) io.out(JSON.stringify({ probes: rows, all }, null, 2));
    else {
      const lines = rows.map((row) => [row.probe, ...cells(row)]);
      printTable(
        io,
        ['PROBE', 'NOW', 'IN 7 DAYS', 'IN 30 DAYS', 'IN A YEAR'],
        [...lines, ['all', ...cells(all)]],
      );
    }
    return 0;
  },
};
