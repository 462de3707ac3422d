// What a notification tells: the facts of an alert as they were at the transition, so that a message sent hours later
// still says what was true then. Types, and the sample that tests and previews are made of.

export const NOTIFICATION_KINDS = ['fire', 'clear', 'reminder', 'acknowledge'] as const;
export type NotificationKind = (typeof NOTIFICATION_KINDS)[number];

/** A snapshot; what does not apply is null. Times are RFC 3339 in UTC. */
export interface AlertFacts {
  readonly alert_id: number;
  readonly alert_type: 'threshold' | 'anomaly' | 'connection';
  readonly title: string;
  readonly description: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly status: 'active' | 'acknowledged' | 'cleared';
  readonly triggered_at: string;
  readonly cleared_at: string | null;
  readonly metric_name: string | null;
  readonly metric_value: number | null;
  readonly metric_unit: string | null;
  readonly threshold_value: number | null;
  readonly operator: string | null;
  readonly connection_id: number;
  readonly server_name: string;
  /** Null: the server is in no cluster. Absent in what was queued before the name was kept. */
  readonly cluster_name?: string | null;
  readonly server_host: string;
  readonly server_port: number;
  readonly database_name: string | null;
  readonly object_name: string | null;
  /** About this product's own work, not about the server on which it is recorded. Absent in what was queued before that was kept. */
  readonly is_own?: boolean;
  /** How many reminders there have been with this one; 0 for anything else. */
  readonly reminder_count?: number;
  /** Who acknowledged it, for that kind alone. */
  readonly acknowledged_by?: string | null;
  /** How it ended, where that is more than that the condition no longer holds. */
  readonly cleared_because?: string | null;
}

/** What is sent at once: one alert, or several of one cluster or server that came within moments. */
export interface Message {
  readonly kind: NotificationKind;
  /** The same at each try, so that the other side can tell a repetition. */
  readonly key: string;
  /** When it is put into words. */
  readonly timestamp: string;
  readonly alerts: readonly [AlertFacts, ...AlertFacts[]];
  /** In place of the words of the channel; for one alert alone. */
  readonly template?: string | undefined;
  /** Where the web interface is, without a slash at the end. */
  readonly base_url?: string | undefined;
}

/** An alert as the preview and the test of a channel show it, in the words of its rule. */
export const SAMPLE_ALERT: AlertFacts = {
  alert_id: 1,
  alert_type: 'threshold',
  title: 'High connection usage',
  description:
    'Client sessions use 92.5 % of max_connections (threshold 80 %). When all connections are used, new clients are refused, at last even administrators.',
  severity: 'warning',
  status: 'active',
  triggered_at: '2026-01-15T09:30:00Z',
  cleared_at: null,
  metric_name: 'connection_utilization_percent',
  metric_value: 92.5,
  metric_unit: 'percent',
  threshold_value: 80,
  operator: '>',
  connection_id: 1,
  server_name: 'orders-db-1',
  cluster_name: 'orders',
  server_host: 'db1.example.com',
  server_port: 5432,
  database_name: null,
  object_name: null,
};

/** One of a table, which has a database and an object. */
const OF_TABLE: Partial<AlertFacts> = {
  title: 'High share of dead tuples in "public.orders" in database "orders"',
  description:
    '34.2 % of the tuples are dead (threshold 20 %). Scans read dead tuples, and the table keeps growing.',
  metric_name: 'pg_stat_all_tables.dead_tuple_percent',
  metric_value: 34.2,
  threshold_value: 20,
  database_name: 'orders',
  object_name: 'public.orders',
};

/** The same with all that can be absent absent: an alert of a server that cannot be reached. */
const BARE: Partial<AlertFacts> = {
  alert_type: 'connection',
  title: 'Server unreachable',
  description: 'Connection attempts have failed since 2026-01-15 09:29:30 UTC.',
  severity: 'critical',
  cluster_name: null,
  metric_name: null,
  metric_value: null,
  metric_unit: null,
  threshold_value: null,
  operator: null,
};

/** Every shape that a template has to serve. */
export function sampleAlerts(kind: NotificationKind): AlertFacts[] {
  const more: Partial<AlertFacts> =
    kind === 'clear'
      ? { status: 'cleared', cleared_at: '2026-01-15T10:05:00Z', cleared_because: null }
      : kind === 'reminder'
        ? { reminder_count: 2 }
        : {};
  return [{}, OF_TABLE, BARE].map((shape) => ({ ...SAMPLE_ALERT, ...shape, ...more }));
}
