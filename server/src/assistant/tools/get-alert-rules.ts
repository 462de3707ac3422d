// Alert rules, and on a server the thresholds that hold there.

import { listAlertRules, readRulesInForce } from '../../alerting/alerting.ts';
import { demandConnection } from '../../identity/identity.ts';
import { boolean, object, optional, text } from '../../kernel/schema.ts';
import { answer, second } from './support/answer.ts';
import { anyConnectionInput } from './support/inputs.ts';
import { defineTool, type ToolCtx } from './types.ts';

async function inForce(ctx: ToolCtx, connection_id: number | undefined) {
  if (connection_id === undefined) return undefined;
  await demandConnection(ctx, { connection_id, need: 'read' });
  return readRulesInForce(ctx.db);
}

export const tool = defineTool({
  name: 'get_alert_rules',
  title: 'Alert rules',
  summary: 'Alert rules with their thresholds.',
  description:
    'Lists alert rules: the metric that is judged, operator, threshold and severity, and what to do when it fires. With connection_id the values that hold on that server, and where they are set. backtest_rule says how often a rule would have fired.',
  cost: 'One to four statements on our datastore.',
  privilege: { id: 12, description: 'Read alert rules and their thresholds' },
  most_statements: 2,
  examples: [
    { ask: 'When would we be told that a disk fills up?', input: { category: 'storage' } },
    { ask: 'Which thresholds hold on server 1?', input: { connection_id: 1 } },
  ],
  input: object({
    ...anyConnectionInput,
    category: optional(text({ maxLength: 100 })),
    enabled_only: optional(boolean({ default: true, description: 'Leave out what is switched off.' })),
  }),
  async run(ctx, { connection_id, category, enabled_only = true }) {
    const held = await inForce(ctx, connection_id);
    const rules = (await listAlertRules(ctx)).map((rule) => {
      const here = connection_id === undefined ? undefined : held?.of(connection_id, rule.name);
      return {
        rule,
        operator: here?.operator ?? rule.default_operator,
        threshold: here?.threshold ?? rule.default_threshold,
        severity: here?.severity ?? rule.default_severity,
        is_enabled: here?.is_enabled ?? rule.default_enabled,
        source: here?.source ?? 'global',
      };
    });
    const shown = rules.filter(
      ({ rule, is_enabled }) =>
        (category === undefined || rule.category === category) && (is_enabled || !enabled_only),
    );
    const categories = [...new Set(rules.map(({ rule }) => rule.category))].join(', ');
    return answer(ctx, {
      about: `${shown.length} of ${rules.length} alert rules${connection_id === undefined ? '' : ` as they hold on connection ${connection_id}`}`,
      source: `settings in force at ${second(ctx.clock.now())}`,
      page: connection_id === undefined ? '/alerts/rules' : `/alerts/rules?scope=server&of=${connection_id}`,
      sections: [
        {
          columns: [
            ...['id', 'name', 'category', 'metric', 'unit', 'fires_when', 'severity', 'enabled', 'set_by'],
            ...['meaning', 'remedy'],
          ],
          rows: shown.map(({ rule, operator, threshold, severity, is_enabled, source }) => [
            ...[rule.id, rule.name, rule.category, rule.metric_name, rule.metric_unit],
            ...[`${operator} ${threshold}`, severity, is_enabled, source, rule.description, rule.remedy],
          ]),
          rest: 'Name a category.',
          empty: `No rule fits. Categories are ${categories}; enabled_only false shows those that are off too.`,
        },
      ],
    });
  },
});
