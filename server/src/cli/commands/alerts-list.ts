// matriarch alerts list: what is wrong and what was, newest first.

import { type Alert, SEVERITIES, STATUSES } from '../../alerting/alerts/alerts.schemas.ts';
import { listAlerts } from '../../alerting/alerts/alerts.service.ts';
import type { Static } from '../../kernel/schema.ts';
import { type Command, commandCtx, printTable, readNumber, readWord } from '../command.ts';

const USUAL = 50;
const MOST = 1000;

const rowOf = (one: Static<typeof Alert>): string[] => [
  String(one.id),
  one.triggered_at,
  one.severity,
  one.status,
  one.server_name ?? String(one.connection_id),
  [one.database_name, one.object_name].filter((part) => part !== undefined).join(' '),
  one.title,
];

export const command: Command = {
  path: ['alerts', 'list'],
  summary: 'List alerts, newest first; those that have cleared only where they are asked for',
  options: [
    { flags: '--server <id>', description: 'of this connection' },
    { flags: '--status <status>', description: STATUSES.join(', ') },
    { flags: '--severity <severity>', description: SEVERITIES.join(', ') },
    { flags: '--limit <n>', description: `how many, ${USUAL} unless told, at most ${MOST}` },
    { flags: '--json', description: 'print JSON' },
  ],
  async run(io, args) {
    const status = readWord(args, 'status', STATUSES);
    const found = await listAlerts(await commandCtx(io), {
      connection_id: readNumber(args, 'server'),
      status,
      exclude_cleared: status === undefined,
      severity: readWord(args, 'severity', SEVERITIES),
      limit: readNumber(args, 'limit', MOST) ?? USUAL,
    });
    if (args.flag('json')) {
      io.out(JSON.stringify(found, null, 2));
      return 0;
    }
    printTable(io, ['ID', 'FIRED', 'SEVERITY', 'STATUS', 'SERVER', 'OF', 'ALERT'], found.alerts.map(rowOf));
    if (found.total > found.alerts.length)
      io.err(`${found.alerts.length} of ${found.total}; more with --limit.`);
    return 0;
  },
};
