// The shapes of a backtest: what a rule would have done with other values, over what was collected.
import {
  boolean,
  component,
  id,
  integer,
  list,
  longId,
  nullable,
  number,
  oneOf,
  optional,
  text,
  timestamp,
} from '../../kernel/schema.ts';
import { OPERATORS, SEVERITIES } from './alert-rules.schemas.ts';

const operator = oneOf(OPERATORS);
const severity = oneOf(SEVERITIES);
const LONGEST_DAYS = 30;
const MOST_SECONDS = 86_400;

export const BACKTEST_SCOPES = ['server', 'cluster', 'group', 'estate'] as const;
export type BacktestScope = (typeof BACKTEST_SCOPES)[number];

export const BacktestRequest = component('BacktestRequest', {
  scope: oneOf(BACKTEST_SCOPES, { description: 'estate: every server that the caller may read.' }),
  scope_id: optional(id({ description: 'Of the server, cluster or group.' })),
  operator,
  threshold: number({ description: 'In the unit of the metric.' }),
  severity,
  lasts_seconds: optional(
    integer({
      minimum: 0,
      maximum: MOST_SECONDS,
      description: 'How long the condition has to last; as the rule has it when absent.',
    }),
  ),
  days: optional(
    integer({ minimum: 1, maximum: LONGEST_DAYS, default: LONGEST_DAYS, description: 'Up to now.' }),
  ),
});

const Values = component('BacktestValues', {
  operator,
  threshold: number(),
  severity,
  enabled: boolean(),
  lasts_seconds: integer(),
});

const Event = component('BacktestEvent', {
  connection_id: integer(),
  connection_name: text(),
  database_name: text({ description: 'Empty: the server as a whole.' }),
  object_name: text({ description: 'Empty: the database or the server as a whole.' }),
  fired_at: timestamp(),
  cleared_at: nullable(timestamp({ description: 'Null: it would be open still.' })),
  open_seconds: number({
    description: 'Up to the last value that is known, where it would be open still and nothing came after.',
  }),
  peak_value: number({ description: 'The worst while it was open.' }),
});

const Outcome = component('BacktestOutcome', {
  values: nullable(Values),
  fired: integer({ description: 'How many alerts.' }),
  open_seconds: number({ description: 'Of all alerts together.' }),
  affected: integer({ description: 'How many servers, databases or objects had one.' }),
  events: list(Event),
  events_left_out: integer({ description: 'Older ones beyond those that are listed.' }),
});

const Read = component('BacktestRead', {
  start_time: timestamp({ description: 'Of the part that was looked through, measured or not.' }),
  end_time: timestamp(),
  tier: oneOf(['raw', 'm1', 'm15', 'h1'] as const, {
    description: 'raw: samples; else the rollups of 1 minute, 15 minutes or 1 hour.',
  }),
  resolution_seconds: number({ description: 'Between two values that were judged.' }),
});

export const Backtest = component('Backtest', {
  rule_id: longId(),
  metric_name: text(),
  metric_unit: nullable(text()),
  start_time: timestamp(),
  end_time: timestamp(),
  servers: integer({ description: 'How many were looked at.' }),
  things: integer({ description: 'How many servers, databases or objects were judged.' }),
  read: list(Read),
  measured_since: nullable(
    timestamp({
      description: 'Of when the first value is, in rollups where its span ends; null where there is none.',
    }),
  ),
  coverage: number({
    minimum: 0,
    maximum: 1,
    description: 'Share of the window that was measured, of all servers. The rest neither fires nor clears.',
  }),
  candidate: Outcome,
  in_force: Outcome,
  series: component('BacktestSeries', {
    start_time: timestamp(),
    step_seconds: number(),
    values: list(nullable(number()), {
      description: 'The worst of all things in each step; null where nothing was measured.',
    }),
  }),
  notes: list(text({ description: 'What to know about these figures.' })),
});
