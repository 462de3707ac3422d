// The face of the wing alerting: what other wings may use of rules, alerts, blackouts and the channels that messages go to.
export { getAlertRule, listAlertRules } from './alert-rules/alert-rules.service.ts';
export { backtestAlertRule } from './alert-rules/backtest.service.ts';
export { readRulesInForce } from './alert-rules/in-force.service.ts';
export { knownRules } from './alert-rules/known-rules.service.ts';
export { pastValues } from './alert-rules/past-values.service.ts';
export type { KeptRegression } from './alert-rules/plan-regressions.queries.ts';
export { type AlertEventRow, alertEvents, type ShownAlertEvent } from './alerts/alert-events.queries.ts';
export { ownAlert } from './alerts/alerts.queries.ts';
export { getAlert, listAlerts } from './alerts/alerts.service.ts';
export { alertsFired } from './alerts/fired.queries.ts';
export { notifyQueued } from './alerts/outbox.service.ts';
export { blackoutsAhead } from './blackouts/ahead.service.ts';
export { listBlackouts } from './blackouts/blackouts.service.ts';
export { type BlackoutEventRow, blackoutEvents } from './blackouts/events.queries.ts';
export { listBlackoutSchedules } from './blackouts/schedules.service.ts';
export type { ReportRequest, WrittenReport } from './notification-channels/delivery.service.ts';
export {
  type ChannelsDeps,
  demandChannel,
  getNotificationChannel,
} from './notification-channels/notification-channels.service.ts';
