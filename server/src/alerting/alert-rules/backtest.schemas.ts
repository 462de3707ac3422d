// The shapes of a backtest: what a rule would have done with other values, over what was collected.
import * as s from '../../kernel/schema.ts';
import { OPERATORS, SEVERITIES } from './alert-rules.schemas.ts';

const operator = s.oneOf(OPERATORS);
const severity = s.oneOf(SEVERITIES);
const LONGEST_DAYS = 30;
const MOST_SECONDS = 86_400;

export const BACKTEST_SCOPES = ['server', 'cluster', 'group', 'estate'] as const;
export type BacktestScope = (typeof BACKTEST_SCOPES)[number];

export const BacktestRequest = s.component('BacktestRequest', {
  scope: s.oneOf(BACKTEST_SCOPES, { description: 'estate: every server that the caller may read.' }),
  scope_id: s.optional(s.id({ description: 'Of the server, cluster or group.' })),
  operator,
  threshold: s.number({ description: 'In the unit of the metric.' }),
  severity,
  lasts_seconds: s.optional(
    s.integer({
      minimum: 0,
      maximum: MOST_SECONDS,
      description: 'How long the condition has to last; as the rule has it when absent.',
    }),
  ),
  days: s.optional(
    s.integer({ minimum: 1, maximum: LONGEST_DAYS, default: LONGEST_DAYS, description: 'Up to now.' }),
  ),
});

const Values = s.component('BacktestValues', {
  operator,
  threshold: s.number(),
  severity,
  enabled: s.boolean(),
  lasts_seconds: s.integer(),
});

const Event = s.component('BacktestEvent', {
  connection_id: s.integer(),
  connection_name: s.text(),
  database_name: s.text({ description: 'Empty: the server as a whole.' }),
  object_name: s.text({ description: 'Empty: the database or the server as a whole.' }),
  fired_at: s.timestamp(),
  cleared_at: s.nullable(s.timestamp({ description: 'Null: it would be open still.' })),
  open_seconds: s.number({
    description: 'Up to the last value that is known, where it would be open still and nothing came after.',
  }),
  peak_value: s.number({ description: 'The worst while it was open.' }),
});

const Outcome = s.component('BacktestOutcome', {
  values: s.nullable(Values),
  fired: s.integer({ description: 'How many alerts.' }),
  open_seconds: s.number({ description: 'Of all alerts together.' }),
  affected: s.integer({ description: 'How many servers, databases or objects had one.' }),
  events: s.list(Event),
  events_left_out: s.integer({ description: 'Older ones beyond those that are listed.' }),
});

const Read = s.component('BacktestRead', {
  start_time: s.timestamp({ description: 'Of the part that was looked through, measured or not.' }),
  end_time: s.timestamp(),
  tier: s.oneOf(['raw', 'm1', 'm15', 'h1'] as const, {
    description: 'raw: samples; else the rollups of 1 minute, 15 minutes or 1 hour.',
  }),
  resolution_seconds: s.number({ description: 'Between two values that were judged.' }),
});

export const Backtest = s.component('Backtest', {
  rule_id: s.longId(),
  metric_name: s.text(),
  metric_unit: s.nullable(s.text()),
  start_time: s.timestamp(),
  end_time: s.timestamp(),
  servers: s.integer({ description: 'How many were looked at.' }),
  things: s.integer({ description: 'How many servers, databases or objects were judged.' }),
  read: s.list(Read),
  measured_since: s.nullable(
    s.timestamp({
      description: 'Of when the first value is, in rollups where its span ends; null where there is none.',
    }),
  ),
  coverage: s.number({
    minimum: 0,
    maximum: 1,
    description: 'Share of the window that was measured, of all servers. The rest neither fires nor clears.',
  }),
  candidate: Outcome,
  in_force: Outcome,
  series: s.component('BacktestSeries', {
    start_time: s.timestamp(),
    step_seconds: s.number(),
    values: s.list(s.nullable(s.number()), {
      description: 'The worst of all things in each step; null where nothing was measured.',
    }),
  }),
  notes: s.list(s.text({ description: 'What to know about these figures.' })),
});
