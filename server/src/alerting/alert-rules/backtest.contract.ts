// What a rule would have done with other values: judged over what was collected of servers that the caller may read.
import { byId, ok, operation } from '../../kernel/contract.ts';
import { Backtest, BacktestRequest } from './backtest.schemas.ts';

const values = { operator: '>', threshold: 60, severity: 'critical', enabled: true, lasts_seconds: 0 };
const event = {
  connection_id: 1,
  connection_name: 'orders-primary',
  database_name: '',
  object_name: '',
  fired_at: '2026-11-19T03:10:00.000Z',
  cleared_at: '2026-11-19T03:40:00.000Z',
  open_seconds: 1800,
  peak_value: 74,
};
const fired = { fired: 1, open_seconds: 1800, affected: 1, events: [event], events_left_out: 0 };
const quiet = { fired: 0, open_seconds: 0, affected: 0, events: [], events_left_out: 0 };

export const backtestAlertRule = operation({
  id: 'backtestAlertRule',
  reads: true,
  route: 'POST /api/v1/alert-rules/{id}/backtest',
  tag: 'alert-rules',
  summary: 'Say what a rule would have done with other values',
  access: { visible: 'connections' },
  extra: true,
  ...byId(7),
  body: BacktestRequest,
  bodyExample: { scope: 'estate', operator: '>', threshold: 60, severity: 'critical' },
  faults: [404],
  success: ok(Backtest, {
    rule_id: 7,
    metric_name: 'connection_utilization_percent',
    metric_unit: 'percent',
    start_time: '2026-10-23T10:00:00.000Z',
    end_time: '2026-11-22T10:00:00.000Z',
    servers: 1,
    things: 1,
    read: [
      {
        start_time: '2026-11-15T10:00:00.000Z',
        end_time: '2026-11-22T10:00:00.000Z',
        tier: 'raw',
        resolution_seconds: 60,
      },
    ],
    measured_since: '2026-11-14T10:00:00.000Z',
    coverage: 0.23,
    candidate: { values, ...fired },
    in_force: { values: { ...values, threshold: 80, severity: 'warning' }, ...quiet },
    series: { start_time: '2026-10-23T10:00:00.000Z', step_seconds: 1_296_000, values: [null, 74] },
    notes: ['max_connections is taken as it is known now.'],
  }),
  notes: [
    'Nothing is changed and no messages are sent. Samples are judged while they are kept, and before them the worst value of each span of rollups; read says which. A time that was not measured neither fires nor clears.',
    'Blackouts, mutes and the alert of a server that cannot be reached are not counted in.',
    '404 for an unknown rule, and where the scope has no server that the caller may read. 400 for more servers, objects or values than are judged at once, and for metrics that are known as of now only.',
  ],
});
