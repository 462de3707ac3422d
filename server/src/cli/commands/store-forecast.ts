// matriarch store forecast: how much disk each probe will need, from the last days and how long data is kept.
import { shownValue } from '../../kernel/shown-value.ts';
import { storeForecast as forecast, forecastOfAll, type ProbeForecast } from '../../store/upkeep/forecast.ts';
import { type Command, printTable } from '../command.ts';

const size = (bytes: number) => shownValue(bytes, 'bytes');

const READS = [
  (row: ProbeForecast) => row.in_7_days_bytes,
  (row: ProbeForecast) => row.in_30_days_bytes,
  (row: ProbeForecast) => row.in_365_days_bytes,
];

const cells = (row: ProbeForecast) => [
  row.probe,
  size(row.size_bytes),
  ...READS.map((read) => {
    const bytes = read(row);
    return bytes === null ? 'not known yet' : size(bytes);
  }),
];

/** Probes without a whole day count with what they are now, so there will be more. */
function lastLine(rows: readonly ProbeForecast[], now: number): string[] {
  const all = READS.map((read) => forecastOfAll(rows, read));
  return [
    'all',
    size(now),
    ...all.map(({ bytes, unknown }) =>
      bytes === null ? 'not known yet' : `${unknown === 0 ? '' : 'over '}${size(bytes)}`,
    ),
  ];
}

export const command: Command = {
  path: ['store', 'forecast'],
  summary: 'Show how much disk the metrics store will need',
  details: 'A forecast needs a whole day (UTC) of what a probe collects.',
  options: [{ flags: '--json', description: 'print JSON' }],
  async run(io, args) {
    const rows = await forecast(await io.db());
    const size_bytes = rows.reduce((total, one) => total + one.size_bytes, 0);
    const [week, month, year] = READS.map((read) => forecastOfAll(rows, read));
    if (args.flag('json')) {
      const all = {
        size_bytes,
        in_7_days_bytes: week?.bytes ?? null,
        in_30_days_bytes: month?.bytes ?? null,
        in_365_days_bytes: year?.bytes ?? null,
        without_a_whole_day: year?.unknown ?? 0,
      };
      io.out(JSON.stringify({ probes: rows, all }, null, 2));
      return 0;
    }
    printTable(
      io,
      ['PROBE', 'NOW', 'IN 7 DAYS', 'IN 30 DAYS', 'IN A YEAR'],
      [...rows.map(cells), lastLine(rows, size_bytes)],
    );
    const unknown = year?.unknown ?? 0;
    if (year?.bytes === null) io.out(`Not known yet, needs a whole day (UTC); so far ${size(size_bytes)}.`);
    else if (unknown > 0)
      io.out(`Probes that have no whole day (UTC) yet: ${unknown}. They count with what they are now.`);
    return 0;
  },
};
