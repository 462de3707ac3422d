import { describe, expect, it } from 'vitest';
import { readSummary } from './model-summary.ts';
import type { Snapshot } from './snapshot.service.ts';
import { BY_RULES, summaryOf } from './summary.ts';

const server = (id: number, status: string) => ({
  ...{ id, name: `s${id}`, status, role: 'primary', active_alert_count: 0 },
});

function snapshot(more: Partial<Snapshot>): Snapshot {
  const servers = more.servers ?? [server(1, 'online')];
  const count = (status: string) => servers.filter((one) => one.status === status).length;
  return {
    timestamp: '2026-11-22T12:00:00.000Z',
    server_total: servers.length,
    server_online: count('online'),
    server_offline: count('offline'),
    server_warning: count('warning'),
    servers,
    ...{ alert_total: 0, alert_critical: 0, alert_warning: 0, alert_info: 0, top_alerts: [] },
    ...{ active_blackouts: [], upcoming_blackouts: [], recent_events: [] },
    ...more,
  };
}

describe('by rules', () => {
  it.each([
    ['one that is well', snapshot({}), 's1 is online. No alert is active.'],
    [
      'many that are not',
      snapshot({
        servers: [
          server(1, 'online'),
          ...[2, 3, 4, 5].map((id) => server(id, 'offline')),
          server(6, 'warning'),
          server(7, 'unmonitored'),
        ],
      }),
      '1 of 7 servers is online; 4 offline (s2, s3, s4 and 1 more), 1 answering late (s6), 1 not monitored (s7). No alert is active.',
    ],
    [
      'a restart told twice of one server',
      snapshot({
        recent_events: [1, 2].map((n) => ({
          ...{ event_type: 'restart', server_name: 's1', occurred_at: `2026-11-22T1${n}:00:00.000Z` },
          ...{ severity: 'warning', title: 'x', summary: 'x' },
        })),
      }),
      's1 is online. No alert is active. Within the last 24 hours: 2 restarts (s1).',
    ],
  ])('%s', (_what, given, words) => {
    expect(summaryOf(given, BY_RULES)).toBe(`${words} ${BY_RULES}`);
  });
});

describe('what a model wrote', () => {
  it.each([
    ['JSON', '{"summary": "Fine."}', 'Fine.'],
    ['plain text', ' Fine,\nall of it. ', 'Fine, all of it.'],
    ['JSON of another shape', '{"text": "Fine."}', undefined],
    ['a list', '["Fine."]', undefined],
    ['broken JSON', '{"summary": "Fi', undefined],
    ['nothing', '   ', undefined],
    ['markup', '{"summary": "<img src=x onerror=alert(1)>Fine."}', 'Fine.'],
    [
      'who it is not by',
      '{"summary": "Fine. Written\\nby rules from what is stored, x. All."}',
      'Fine. All.',
    ],
    ['more than may be shown', `{"summary": "${'é'.repeat(5000)}"}`, 'é'.repeat(4000)],
  ])('%s', (_what, answer, shown) => {
    expect(readSummary(answer)).toBe(shown);
  });
});
