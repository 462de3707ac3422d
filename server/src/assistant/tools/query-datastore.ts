// One reading statement on what is stored here about the servers that the caller can see.

import { integer, object, optional } from '../../kernel/schema.ts';
import { shownCount } from '../../kernel/shown-value.ts';
import { answer, second } from './support/answer.ts';
import { limitInput } from './support/inputs.ts';
import { demandAnswer, rowsSection, statementInput } from './support/sql.ts';
import { defineTool } from './types.ts';

const VIEWS = [
  'connections (id, name, description, host, port, database_name, ssl_mode, is_shared, is_monitored, created_at, updated_at, last_connected_at, last_error_at, connection_error, failing_since)',
  'metrics (connection_id, probe, database_name, collected_at, outcome, reason, reading jsonb: the newest reading of each probe)',
  'facts (connection_id, probe, database_name, item_key, valid_from, valid_to, value jsonb: settings, versions and what else changes rarely)',
  'alerts (id, connection_id, alert_type, raised_by, rule_id, database_name, object_name, probe_name, metric_name, metric_value, metric_unit, operator, threshold_value, severity, title, description, status, triggered_at, cleared_at, last_updated, acknowledged_at, acknowledged_by, ack_message, false_positive)',
  'rules (connection_id, rule_id, name, operator, threshold, severity, is_enabled, source)',
  'blackouts (id, connection_id, scope, database_name, reason, start_time, end_time, created_by, created_at, schedule_id)',
  'findings (id, connection_id, check_name, database_name, object_name, severity, message, figure, figure_unit, remedy, proof, first_seen_at, opened_at, figured_at, last_seen_at, resolved_at, muted_until)',
  'timeline (connection_id, occurred_at, event_type, title, severity, actor, message, subject_id)',
];

export const tool = defineTool({
  name: 'query_datastore',
  title: 'Query what is stored',
  summary: 'Runs one select over what is stored about the servers that you can see.',
  description: `Runs one select over these views, which hold the servers that you can see and nothing else: ${VIEWS.join('; ')}. Functions that compute from their arguments can be used, catalogues cannot. For figures over time ask query_metrics: they are stored packed and are not in these views.`,
  cost: 'A session and the statement on our datastore, 10 s at most; a row in the audit log.',
  privilege: { id: 9, description: 'Query what is stored about the visible connections' },
  most_statements: 4,
  examples: [
    {
      ask: 'Which servers had most alerts in the last week?',
      input: {
        query:
          "select c.name, count(*) as alerts from alerts a join connections c on c.id = a.connection_id where a.triggered_at > now() - interval '7 days' group by 1 order by 2 desc",
      },
    },
  ],
  input: object({
    query: statementInput(),
    limit: limitInput(100, 1000),
    offset: optional(integer({ minimum: 0, maximum: 1_000_000, default: 0 })),
  }),
  needs: 'datastore_role',
  async run(ctx, { query, limit = 100, offset = 0 }) {
    const wanted = { text: query, limit, offset, purpose: 'tool query_datastore' };
    const found = demandAnswer(await ctx.deps.sql.datastore.run(ctx, wanted));
    return answer(ctx, {
      about: `${shownCount(found.rows.length, 'row')} of what is stored`,
      source: `the datastore at ${second(ctx.clock.now())}, in ${found.ms} ms`,
      page: '/',
      sections: [rowsSection(found)],
    });
  },
});
