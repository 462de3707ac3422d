// Rules that judge nothing on a server because what they read is not collected there: whoever may see the server may know.
import { byId, ok, operation } from '../../kernel/contract.ts';
import { IdleRules } from './alert-rules.schemas.ts';

const idleExample = {
  rule_id: 12,
  name: 'slow_query_count',
  title: 'Slow queries',
  probe: 'pg_stat_statements',
  status: 'missing_extension',
  reason: 'The extension pg_stat_statements is not installed in database orders.',
  remedies: [
    {
      statement: 'create extension pg_stat_statements;',
      database_name: null,
      run_on: 'server',
      needs_restart: false,
    },
  ],
};

const blindExample = {
  rule_id: 31,
  name: 'sequence_usage_high',
  title: 'High sequence usage',
  probe: 'pg_sequence_usage',
  status: 'masked',
  reason:
    'The role watcher may not read 2 of the 14 sequences in the database orders, so their exhaustion cannot be forecast.',
  remedies: [
    {
      statement: 'grant select on all sequences in schema billing to watcher;',
      database_name: 'orders',
      run_on: 'server',
      needs_restart: false,
    },
  ],
};

export const listIdleAlertRules = operation({
  id: 'listIdleAlertRules',
  route: 'GET /api/v1/connections/{id}/idle-alert-rules',
  tag: 'alert-rules',
  summary: 'Rules that judge nothing on a connection, and why',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  extra: true,
  success: ok(IdleRules, { connection_id: 1, rules: [idleExample], partly_blind: [blindExample] }),
  notes: [
    'By category then name. Rules whose metric has not been collected yet but will be are not idle.',
    'Rules that judge a date are idle with the status waiting until what was collected tells one, which takes some days.',
  ],
});
