// Alerts in words and in order: the worst first, in groups by server, rule or severity. Pure. Guards: a value is never
// shown without its unit, nor a threshold without where it is set.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { countOf } from '../../../lib/format.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import type { Mark } from '../../../ui/status.tsx';

export type Incident = OperationTypes['listAlertIncidents']['result']['incidents'][number];
export type Alert = OperationTypes['listAlerts']['result']['alerts'][number];
export type AlertEvent = OperationTypes['getAlert']['result']['events'][number];
export type Severity = Alert['severity'];

export const SEVERITIES = ['critical', 'warning', 'info'] as const satisfies readonly Severity[];
export const SEVERITY_WORDS: Record<Severity, { label: string; mark: Mark }> = {
  critical: { label: 'Critical', mark: 'failed' },
  warning: { label: 'Warning', mark: 'warning' },
  info: { label: 'Info', mark: 'info' },
};

export const STATUS_WORDS: Record<Alert['status'], string> = {
  active: 'Active',
  acknowledged: 'Acknowledged',
  cleared: 'Cleared',
};
export const TYPE_WORDS: Record<Alert['alert_type'], string> = {
  threshold: 'Threshold',
  anomaly: 'Anomaly',
  connection: 'Connection',
};
export const EVENT_WORDS: Record<AlertEvent['event_type'], string> = {
  fired: 'Fired',
  severity_changed: 'Severity changed',
  acknowledged: 'Acknowledged',
  unacknowledged: 'Acknowledgement taken back',
  cleared: 'Cleared',
};

const SOURCE_WORDS: Record<NonNullable<Alert['threshold_source']>, string> = {
  built_in: 'the default',
  global: 'set for the whole estate',
  group: 'set for its group',
  cluster: 'set for its cluster',
  server: 'set for this server',
};

export const sourceWords = ({ threshold_source }: Pick<Alert, 'threshold_source'>): string | undefined =>
  threshold_source && SOURCE_WORDS[threshold_source];

const OPERATORS: Record<NonNullable<Alert['operator']>, string> = {
  '>': '>',
  '>=': '≥',
  '<': '<',
  '<=': '≤',
  '==': '=',
  '!=': '≠',
};

/** Percent with the fewest digits in which the value differs from its threshold. */
function apart(value: number, limit: number): string | undefined {
  const digits = [1, 2, 3, 4, 5, 6].find((count) => value.toFixed(count) !== limit.toFixed(count));
  return digits === undefined ? undefined : `${value.toFixed(digits)} %`;
}

/** "92 %"; undefined where nothing was measured. A value that rounds to its threshold has more digits: "90.01 %", not "90 % > 90 %". */
export function valueWords(alert: Alert): string | undefined {
  const { metric_value, metric_unit = '', threshold_value, alert_type } = alert;
  if (alert_type === 'connection' && metric_value !== undefined)
    return countOf(metric_value, 'failed attempt');
  const words = formatValue(metric_value, metric_unit);
  const isPercent = metric_unit === 'percent';
  if (!isPercent || metric_value === undefined || threshold_value === undefined) return words;
  if (metric_value === threshold_value || words !== formatValue(threshold_value, metric_unit)) return words;
  const side = metric_value > threshold_value ? 'over' : 'under';
  return apart(metric_value, threshold_value) ?? `just ${side} ${words}`;
}

/** "> 80 %". */
export function thresholdWords({ operator, threshold_value, metric_unit = '' }: Alert): string | undefined {
  const value = formatValue(threshold_value, metric_unit);
  return operator === undefined || value === undefined ? undefined : `${OPERATORS[operator]} ${value}`;
}

/** What it is about; alerts about the own work of Matriarch are recorded on some server. */
export const serverWords = ({ server_name, connection_id, is_own }: Alert): string =>
  is_own ? 'Matriarch' : (server_name ?? `Server ${connection_id}`);

/** The object and the database that it is about; empty: the server as a whole. */
export const placeWords = ({ object_name, database_name }: Alert): string =>
  [object_name, database_name].filter((part) => part !== undefined).join(' in ');

export const alertPath = (id: number): string => `/alerts/${id}`;

const STATUS_RANK: Record<Alert['status'], number> = { active: 0, acknowledged: 1, cleared: 2 };
const severityRank = ({ severity }: Alert) => SEVERITIES.indexOf(severity);

/** Those that nobody has taken on before the others, the worst first, of these the newest. */
export function worstFirst(alerts: readonly Alert[]): Alert[] {
  return alerts.toSorted(
    (a, b) =>
      STATUS_RANK[a.status] - STATUS_RANK[b.status] ||
      severityRank(a) - severityRank(b) ||
      Date.parse(b.triggered_at) - Date.parse(a.triggered_at) ||
      b.id - a.id,
  );
}

/** How the page puts alerts together: as incidents, or one by one in groups. */
export const GROUPINGS = ['severity', 'server', 'rule'] as const;
export type Grouping = (typeof GROUPINGS)[number];
export const INCIDENTS = 'incident';
export const VIEW_WORDS: Record<Grouping | typeof INCIDENTS, string> = {
  incident: 'By incident',
  severity: 'By severity',
  server: 'By server',
  rule: 'By rule',
};

/** A title says the rule first, then the object. */
const ruleTitle = ({ title }: Alert) => title.split(': ')[0] ?? title;

interface GroupName {
  key: string;
  title: string;
  /** What of the address to set so that only its alerts are shown; undefined: it leads to the rule. */
  filter?: { name: 'severity' | 'server' | 'type'; value: string };
}

const NAMING: Record<Grouping, (alert: Alert) => GroupName> = {
  severity: ({ severity }) => ({
    key: severity,
    title: SEVERITY_WORDS[severity].label,
    filter: { name: 'severity', value: severity },
  }),
  server: (alert) => {
    if (alert.is_own) return { key: 'own', title: serverWords(alert) };
    const key = String(alert.connection_id);
    return { key, title: serverWords(alert), filter: { name: 'server', value: key } };
  },
  rule: (alert) => {
    const { rule_id, alert_type } = alert;
    const title = ruleTitle(alert);
    return rule_id === undefined
      ? { key: alert_type, title, filter: { name: 'type', value: alert_type } }
      : { key: String(rule_id), title };
  },
};

export interface AlertGroup extends GroupName {
  alerts: Alert[];
}

/** The group of the worst alert first; what is in a group is the worst first too. */
export function groupsOf(alerts: readonly Alert[], by: Grouping): AlertGroup[] {
  const groups = new Map<string, AlertGroup>();
  for (const alert of worstFirst(alerts)) {
    const named = NAMING[by](alert);
    const group = groups.get(named.key) ?? { ...named, alerts: [] };
    group.alerts.push(alert);
    groups.set(named.key, group);
  }
  const found = [...groups.values()];
  const rank = ({ alerts: [first] }: AlertGroup) => (first ? severityRank(first) : 0);
  return by === 'severity' ? found.sort((a, b) => rank(a) - rank(b)) : found;
}

/** "2 active, 1 acknowledged". */
export function countWords(alerts: readonly Alert[]): string {
  const counts = Object.entries(STATUS_WORDS).flatMap(([status, words]) => {
    const count = alerts.filter((alert) => alert.status === status).length;
    return count === 0 ? [] : [`${count} ${words.toLowerCase()}`];
  });
  return counts.join(', ');
}
