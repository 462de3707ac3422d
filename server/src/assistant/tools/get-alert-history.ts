// Alerts, active and past.

import { listAlerts } from '../../alerting/alerting.ts';
import { demandConnection } from '../../identity/identity.ts';
import { id, integer, object, oneOf, optional, text } from '../../kernel/schema.ts';
import { many } from '../../plans/shown-figures.ts';
import { answer } from './support/answer.ts';
import { anyConnectionInput, instantOf, limitInput, timeInput, wire } from './support/inputs.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'get_alert_history',
  title: 'Alerts',
  summary: 'Alerts, active and past, newest first.',
  description:
    'Lists alerts of the servers that you can see, newest first: what fired, when, at which value and threshold, and whether it is over. For what is wrong now take status active.',
  cost: 'Two or three statements on our datastore.',
  privilege: { id: 11, description: 'Read alerts, active and past' },
  most_statements: 2,
  examples: [
    { ask: 'What is alarming now?', input: { status: 'active', time_start: '30d' } },
    { ask: 'What fired on server 1 in the last day?', input: { connection_id: 1, time_start: '24h' } },
  ],
  input: object({
    ...anyConnectionInput,
    status: optional(oneOf(['active', 'cleared', 'acknowledged', 'all'], { default: 'all' })),
    rule_id: optional(id({ description: 'From get_alert_rules.' })),
    metric_name: optional(text({ maxLength: 200 })),
    time_start: timeInput('Fired since', '7d'),
    limit: limitInput(50, 100),
    offset: optional(integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  }),
  async run(ctx, { connection_id, status = 'all', time_start = '7d', limit = 50, offset = 0, ...asked }) {
    if (connection_id !== undefined) await demandConnection(ctx, { connection_id, need: 'read' });
    const since = wire(instantOf('time_start', time_start, ctx.clock.now()));
    const { alerts, total } = await listAlerts(ctx, {
      ...{ connection_id, start_time: since, limit, offset },
      ...(status !== 'all' && { status }),
      ...asked,
    });
    return answer(ctx, {
      about: `${many(total, 'alert')} since ${since}${status === 'all' ? '' : `, ${status}`}`,
      source: 'alerts as they are kept',
      page: connection_id === undefined ? '/alerts' : `/alerts?server=${connection_id}`,
      sections: [
        {
          columns: [
            ...['id', 'severity', 'status', 'server', 'connection_id', 'title', 'database', 'object'],
            ...[
              'metric',
              'value',
              'threshold',
              'triggered_at',
              'cleared_at',
              'acknowledged_by',
              'description',
            ],
          ],
          rows: alerts.map((one) => [
            ...[one.id, one.severity, one.status, one.server_name, one.connection_id, one.title],
            ...[one.database_name, one.object_name, one.metric_name, one.metric_value],
            one.threshold_value === undefined ? null : `${one.operator ?? ''} ${one.threshold_value}`,
            ...[one.triggered_at, one.cleared_at, one.acknowledged_by, one.description],
          ]),
          total,
          rest: `Ask again with offset ${offset + alerts.length}.`,
          empty: 'Nothing fired. An earlier time_start or status all may show more.',
        },
      ],
    });
  },
});
