// matriarch store export: what was collected of a probe, raw and packed hours alike, as lines to keep or load elsewhere.

import { UsageError } from '../../kernel/errors.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { isTimeInRange } from '../../kernel/times.ts';
import { DAY_MS } from '../../kernel/units.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { layoutOf, type TableLayout } from '../../store/layout/table-layout.ts';
import { exportColumns, exportRows, type FlatRow } from '../../store/upkeep/export.ts';
import type { Command, CommandArgs } from '../command.ts';

const FORMATS = ['csv', 'ndjson'];

function layoutNamed(name: string): TableLayout {
  const probe = probes.find((one) => one.name === name);
  const layout = probe && layoutOf(probe);
  if (layout) return layout;
  const kept = probes.flatMap((one) => (layoutOf(one) ? [one.name] : []));
  throw new UsageError(
    probe
      ? `The probe ${name} keeps no samples; choose one of ${kept.join(', ')}.`
      : `There is no probe ${JSON.stringify(cutText(name, 80))}; choose one of ${kept.join(', ')}.`,
  );
}

function moment(args: CommandArgs, option: string, otherwise: number): number {
  const text = args.text(option);
  if (text === undefined) return otherwise;
  const at = Date.parse(text);
  if (!isTimeInRange(at))
    throw new UsageError(
      `Give --${option} as a time like 2026-01-31T12:00:00Z, not ${JSON.stringify(text)}.`,
    );
  return at;
}

function connectionOf(args: CommandArgs): number | undefined {
  const text = args.text('connection');
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new UsageError('Give --connection as the id of a connection, like 7.');
  return Number(text);
}

function field(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return /[",\r\n]/.test(text) || text === '' ? `"${text.replaceAll('"', '""')}"` : text;
}

const line = (columns: readonly string[], row: FlatRow) => columns.map((name) => field(row[name])).join(',');

export const command: Command = {
  path: ['store', 'export'],
  summary: 'Write what was collected of a probe as CSV or NDJSON, packed hours too',
  details: [
    'Rows of families of objects are increases since `since`, or whole values where `keyframe` is true.',
    'In CSV an empty field is null, and "" an empty text.',
  ].join(' '),
  arguments: [{ name: 'probe', description: 'e.g. pg_stat_database' }],
  options: [
    { flags: '--from <time>', description: 'begin, e.g. 2026-01-31T12:00:00Z; a day ago by default' },
    { flags: '--to <time>', description: 'end (exclusive); now by default' },
    { flags: '--connection <id>', description: 'only this connection' },
    { flags: '--format <format>', description: 'csv or ndjson; csv by default' },
  ],
  async run(io, args) {
    const layout = layoutNamed(args.argument('probe'));
    const to = moment(args, 'to', io.clock.now());
    const from = moment(args, 'from', to - DAY_MS);
    if (from >= to) throw new UsageError('--from has to be before --to.');
    const format = args.text('format') ?? 'csv';
    if (!FORMATS.includes(format)) throw new UsageError(`Give --format as ${FORMATS.join(' or ')}.`);
    const query = { layout, from, to, connection_id: connectionOf(args) };
    const columns = exportColumns(layout);
    if (format === 'csv') io.out(columns.join(','));
    for await (const row of exportRows(await io.db(), query))
      io.out(format === 'csv' ? line(columns, row) : JSON.stringify(row));
    return 0;
  },
};
