// How often an alert rule would have fired with other values.

import { OPERATORS, SEVERITIES } from '../../alerting/alert-rules/alert-rules.schemas.ts';
import { backtestAlertRule, getAlertRule } from '../../alerting/alerting.ts';
import { demandConnection } from '../../identity/identity.ts';
import { id, integer, number, object, oneOf, optional } from '../../kernel/schema.ts';
import { answer } from './support/answer.ts';
import { anyConnectionInput } from './support/inputs.ts';
import { defineTool } from './types.ts';

export const tool = defineTool({
  name: 'backtest_rule',
  title: 'Try an alert rule on the past',
  summary: 'How often an alert rule would have fired with other values.',
  description:
    'Plays an alert rule with other values over what was collected of the last days, beside what is in force: how many alerts, for how long, and the newest of them. Nothing is changed and no messages are sent. get_alert_rules says the ids.',
  cost: 'Three statements on our datastore, which read up to 30 days: up to some seconds.',
  privilege: { id: 33, description: 'Try an alert rule on what was collected' },
  most_statements: 5,
  examples: [
    {
      ask: 'Would a threshold of 60 have warned us?',
      input: { connection_id: 1, rule_id: 7, threshold: 60, days: 7 },
    },
  ],
  input: object({
    rule_id: id({ description: 'From get_alert_rules.' }),
    ...anyConnectionInput,
    threshold: optional(number({ description: 'In the unit of the metric; as in force when left out.' })),
    operator: optional(oneOf(OPERATORS)),
    severity: optional(oneOf(SEVERITIES)),
    lasts_seconds: optional(integer({ minimum: 0, maximum: 86_400 })),
    days: optional(integer({ minimum: 1, maximum: 30, default: 7 })),
  }),
  async run(ctx, { rule_id, connection_id, days = 7, ...values }) {
    if (connection_id !== undefined) await demandConnection(ctx, { connection_id, need: 'read' });
    const rule = await getAlertRule(ctx, rule_id);
    const scope =
      connection_id === undefined
        ? { scope: 'estate' as const }
        : { scope: 'server' as const, scope_id: connection_id };
    const found = await backtestAlertRule(ctx, rule_id, {
      ...{ ...scope, days, lasts_seconds: values.lasts_seconds ?? rule.lasts_seconds },
      operator: values.operator ?? rule.default_operator,
      threshold: values.threshold ?? rule.default_threshold,
      severity: values.severity ?? rule.default_severity,
    });
    const { candidate, in_force } = found;
    const outcome = (name: string, one: typeof candidate) => [
      ...[name, one.values && `${one.values.operator} ${one.values.threshold}`, one.values?.lasts_seconds],
      ...[one.fired, one.affected, one.open_seconds],
    ];
    return answer(ctx, {
      about: `Rule ${rule.name} (${found.metric_name}${found.metric_unit === null ? '' : `, ${found.metric_unit}`}) over ${found.servers} servers, ${found.start_time} to ${found.end_time}`,
      source: `samples and rollups; ${Math.round(found.coverage * 100)} % of the time was measured`,
      page: '/alerts/rules',
      notes: found.notes,
      sections: [
        {
          columns: ['values', 'fires_when', 'lasts_seconds', 'alerts', 'things_affected', 'open_seconds'],
          rows: [outcome('as asked', candidate), outcome('in force', in_force)],
          empty: '',
        },
        {
          title: 'Alerts as asked, the newest first',
          columns: ['server', 'database', 'object', 'fired_at', 'cleared_at', 'open_seconds', 'peak'],
          rows: candidate.events
            .slice(0, 20)
            .map((one) => [
              ...[one.connection_name, one.database_name, one.object_name, one.fired_at, one.cleared_at],
              ...[one.open_seconds, one.peak_value],
            ]),
          total: candidate.fired,
          rest: 'Take fewer days to see others.',
          empty: 'It would not have fired.',
        },
      ],
    });
  },
});
