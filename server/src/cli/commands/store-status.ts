// matriarch store status: what the metrics store holds, how fast it grows and what goes next.
import type { KnownGap } from '../../store/gaps.queries.ts';
import { storeStatus, type TableStatus } from '../../store/status.ts';
import { type Command, printTable } from '../command.ts';

const MIB = 1024 * 1024;
const size = (bytes: number | null) => (bytes === null ? '-' : `${(bytes / MIB).toFixed(1)} MiB`);

const cells = (table: TableStatus) => [
  table.probe,
  table.layout,
  size(table.size_bytes),
  size(table.bytes_per_day),
  table.rows === null ? '-' : String(table.rows),
  String(table.partitions),
  `${table.retention_days} d`,
  table.next_drop_at ?? '-',
  table.overdue.length === 0 ? '' : `${table.overdue.length} OVERDUE`,
];

const REASONS: Record<KnownGap['reason'], string> = {
  full: 'the spool was full',
  disk: 'the disk of the spool was full',
  damaged: 'the spool was damaged on its disk',
  memory: 'memory ran out, and no disk took it',
};

const gapCells = ({ name, began_at, ended_at, reason }: KnownGap) => [
  name,
  began_at,
  ended_at,
  REASONS[reason],
];

export const storeStatusCommand: Command = {
  path: ['store', 'status'],
  summary: 'Show what the metrics store holds and how it grows',
  options: [{ flags: '--json', description: 'print JSON' }],
  async run(io, args) {
    const status = await storeStatus(await io.db());
    if (args.flag('json')) {
      io.out(JSON.stringify(status, null, 2));
      return 0;
    }
    const head = ['PROBE', 'KEEPS', 'SIZE', 'A DAY', 'ROWS', 'DAYS', 'RETENTION', 'NEXT DROP', ''];
    printTable(io, head, status.tables.map(cells));
    const { size_bytes, forecast_bytes, last_maintained_at } = status;
    io.out(`All together ${size(size_bytes)}; at full retention ${size(forecast_bytes)}.`);
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
