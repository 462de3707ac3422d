// An alert for tests of components, as the server tells one that has been active for half an hour.

import type { Alert } from '../features/alerting/alerts/alert-words.ts';
import { MINUTE_MS } from '../lib/units.ts';

/** So many minutes before now. */
export const ago = (minutes: number) => new Date(Date.now() - minutes * MINUTE_MS).toISOString();

export const alert = (id: number, more: Partial<Alert> = {}): Alert => ({
  id,
  alert_type: 'threshold',
  rule_id: 7,
  connection_id: 1,
  probe_name: 'pg_stat_activity',
  metric_name: 'connection_utilization_percent',
  metric_value: 92,
  metric_unit: 'percent',
  threshold_value: 80,
  operator: '>',
  severity: 'warning',
  title: 'Few connections are left',
  description: 'Sessions of clients: 92 % (threshold 80 %).',
  status: 'active',
  triggered_at: ago(30),
  server_name: 'orders-primary',
  false_positive: false,
  threshold_source: 'cluster',
  sampled_at: ago(1),
  ...more,
});
