// matriarch store status: what the metrics store holds, how fast it grows and what goes next.
import { shownValue } from '../../kernel/shown-value.ts';
import type { KnownGap } from '../../store/spool/gaps.queries.ts';
import { GAP_WORDS } from '../../store/spool/gaps.ts';
import { type StoreStatus, storeStatus, type TableStatus } from '../../store/upkeep/status.ts';
import { type Command, printTable } from '../command.ts';

const size = (bytes: number | null) => (bytes === null ? '-' : shownValue(bytes, 'bytes'));

/** The tiers of one probe: what is packed, what is rolled up, and how much outlives its policy. */
function tiersOf({ tiers }: StoreStatus, probe: string) {
  const own = tiers.filter((one) => one.probe === probe);
  const sum = (all: typeof own) => all.reduce((total, { size_bytes }) => total + size_bytes, 0);
  return {
    packed: sum(own.filter(({ tier }) => tier === 'packed')),
    rolled: sum(own.filter(({ tier }) => tier !== 'packed')),
    overdue: own.reduce((total, { overdue }) => total + overdue.length, 0),
  };
}

const cells = (status: StoreStatus) => (table: TableStatus) => {
  const { packed, rolled, overdue } = tiersOf(status, table.probe);
  const late = overdue + table.overdue.length;
  return [
    table.probe,
    table.layout,
    size(table.size_bytes),
    size(packed),
    size(rolled),
    table.rows === null ? '-' : String(table.rows),
    String(table.partitions),
    `${table.retention_days} d`,
    table.next_drop_at ?? '-',
    late === 0 ? '' : `${late} OVERDUE`,
  ];
};

const ENGINES: Record<StoreStatus['engine'], string> = {
  plain: 'plain PostgreSQL',
  citus: 'Citus',
  timescaledb: 'TimescaleDB',
};

const gapCells = ({ name, began_at, ended_at, reason }: KnownGap) => [
  name,
  began_at,
  ended_at,
  GAP_WORDS[reason],
];

export const command: Command = {
  path: ['store', 'status'],
  summary: 'Show what the metrics store holds and how it grows',
  options: [{ flags: '--json', description: 'print JSON' }],
  async run(io, args) {
    const status = await storeStatus(await io.db());
    if (args.flag('json')) {
      io.out(JSON.stringify(status, null, 2));
      return 0;
    }
    const head = ['PROBE', 'KEEPS', 'RAW', 'PACKED', 'ROLLUPS', 'ROWS', 'DAYS', 'RETENTION', 'NEXT DROP', ''];
    printTable(io, head, status.tables.map(cells(status)));
    const { size_bytes, forecast_bytes, last_maintained_at } = status;
    const rows = status.dictionaries.map(({ name, size_bytes: bytes, rows: n }) => [
      name,
      size(bytes),
      n === null ? '-' : String(n),
    ]);
    io.out('');
    printTable(io, ['BESIDE THEM', 'SIZE', 'ROWS'], rows);
    io.out(`Kept by ${ENGINES[status.engine]}.`);
    const year = forecast_bytes === null ? 'not known yet, needs a whole day (UTC)' : size(forecast_bytes);
    io.out(`All together ${size(size_bytes)}; in a year ${year}.`);
    io.out(last_maintained_at ? `Last maintained at ${last_maintained_at}.` : 'Never maintained yet.');
    for (const { owner, spool_bytes, spool_problem } of status.spools)
      io.out(`Collector ${owner}: ${spool_problem ?? `${size(spool_bytes)} in its spool.`}`);
    if (status.known_gaps.length > 0) {
      io.out('');
      printTable(io, ['KNOWN GAP', 'FROM', 'TO', 'BECAUSE'], status.known_gaps.map(gapCells));
    }
    return 0;
  },
};
