// An alert as it is stored, and what the alerter writes of one. Pure data.
export type Severity = 'info' | 'warning' | 'critical';
export type Status = 'active' | 'acknowledged' | 'cleared';
export type AlertType = 'threshold' | 'anomaly' | 'connection';
export type Operator = '>' | '>=' | '<' | '<=' | '==' | '!=';
export type Source = 'built_in' | 'global' | 'group' | 'cluster' | 'server';

/** What tells an alert from others: there is one open at most. */
export interface AlertKey {
  connection_id: number;
  /** `rule:<name>`, `anomaly:<metric>`, `channel:<id>`, `part:<name>` or `connection`. */
  raised_by: string;
  /** '': of the server as a whole. */
  database_name: string;
  /** '': of no object in particular. */
  object_name: string;
}

/** What raises the alert of a channel that has given up notifications begins so. */
export const CHANNEL = 'channel:';
export const raisedByChannel = (channel_id: number): string => `${CHANNEL}${channel_id}`;

/** What raises the alert that some work of this product fails begins so. */
export const PART = 'part:';
export const raisedByPart = (part: string): string => `${PART}${part}`;

/** Whether an alert is of this product's own work: those of channels and parts, which are recorded on some server. */
export const isOwn = (raised_by: string): boolean =>
  raised_by.startsWith(CHANNEL) || raised_by.startsWith(PART);

export interface AlertRow extends Omit<AlertKey, 'raised_by'> {
  id: number;
  alert_type: AlertType;
  rule_id: number | null;
  probe_name: string | null;
  metric_name: string | null;
  metric_value: number | null;
  metric_unit: string | null;
  threshold_value: number | null;
  operator: Operator | null;
  threshold_source: Source | null;
  severity: Severity;
  title: string;
  description: string;
  correlation_id: string | null;
  cause_id: number | null;
  status: Status;
  triggered_at: string;
  cleared_at: string | null;
  last_updated: string;
  sampled_at: string | null;
  anomaly_score: number | null;
  anomaly_details: string | null;
  server_name: string;
  /** Null: of the server. */
  is_own: true | null;
  acknowledged_at: string | null;
  acknowledged_by: string | null;
  ack_message: string | null;
  false_positive: boolean;
  ai_analysis: string | null;
  ai_analysis_metric_value: number | null;
}
