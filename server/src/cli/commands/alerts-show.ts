// matriarch alerts show: one alert with its evidence and all that happened to it.

import { getAlert } from '../../alerting/alerts/alerts.service.ts';
import { getAlertEvidence } from '../../insight/alert-evidence/alert-evidence.service.ts';
import { shownCount } from '../../kernel/shown-value.ts';
import { type CliIo, type Command, commandCtx, printTable, readId } from '../command.ts';

type AlertDetail = Awaited<ReturnType<typeof getAlert>>;
type Evidence = Awaited<ReturnType<typeof getAlertEvidence>>;

const numbers = (values: readonly (number | null)[] | null) =>
  (values ?? []).filter((value) => value !== null);

function valuesText({ values: { values, reason } }: Evidence): string {
  const known = numbers(values);
  if (known.length === 0) return reason ?? 'nothing was measured';
  const least = known.reduce((low, value) => Math.min(low, value));
  const most = known.reduce((high, value) => Math.max(high, value));
  return `${shownCount(known.length, 'value')} from ${least} to ${most}`;
}

const counted = (count: number | null, reason: string | null) =>
  count === null ? (reason ?? 'not known') : String(count);

function changesText({ changes: { kinds } }: Evidence): string {
  const events = kinds.flatMap((kind) => kind.events.map(({ title }) => title));
  return events.length === 0 ? 'nothing that is known of' : events.join('; ');
}

function print(io: CliIo, { alert, events }: AlertDetail, evidence: Evidence): void {
  const { operator, value, source } = evidence.threshold;
  const of = [alert.database_name, alert.object_name].filter((part) => part !== undefined).join(' ');
  const facts = [
    ['Alert', alert.title],
    ['Server', alert.server_name ?? String(alert.connection_id)],
    ['Of', of],
    ['Severity', alert.severity],
    ['Status', alert.status],
    ['Fired', alert.triggered_at],
    ['Cleared', alert.cleared_at ?? ''],
    ['Acknowledged by', alert.acknowledged_by ?? ''],
    ['Value', [alert.metric_value, alert.metric_unit].filter((part) => part !== undefined).join(' ')],
    [
      'Alert when',
      operator === null || value === null ? '' : `${operator} ${value} (set: ${source ?? 'not known'})`,
    ],
    ['Meaning', alert.description],
    ['Around that time', valuesText(evidence)],
    ['Sessions then', counted(evidence.sessions.total_count, evidence.sessions.reason)],
    ['Waited for locks', counted(evidence.locks.waiting_count, evidence.locks.reason)],
    ['Changed before', changesText(evidence)],
  ];
  printTable(
    io,
    [`ALERT ${alert.id}`, ''],
    facts.filter(([, text]) => text !== ''),
  );
  io.out('');
  printTable(
    io,
    ['WHEN', 'WHAT', 'SEVERITY', 'VALUE', 'BY', 'MESSAGE'],
    events.map((one) => [
      one.occurred_at,
      one.event_type,
      one.severity,
      one.metric_value === null ? '' : String(one.metric_value),
      one.actor ?? '',
      one.message ?? '',
    ]),
  );
}

export const command: Command = {
  path: ['alerts', 'show'],
  summary: 'Show an alert with its evidence and all that happened to it',
  details: '`matriarch notifications list --alert <id>` says whom it was told.',
  arguments: [{ name: 'id', description: 'of the alert' }],
  options: [{ flags: '--json', description: 'print JSON, with all of the evidence' }],
  async run(io, args) {
    const id = readId(args, 'an alert');
    const ctx = await commandCtx(io);
    const found = await getAlert(ctx, id);
    const evidence = await getAlertEvidence(ctx, id);
    if (args.flag('json')) io.out(JSON.stringify({ ...found, evidence }, null, 2));
    else print(io, found, evidence);
    return 0;
  },
};
