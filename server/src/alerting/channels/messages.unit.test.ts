// The same alert in the format of each channel: fired, still open, cleared, acknowledged, and several at once. Guards: whatever the
// format, the first line names cluster and server, the value is beside its threshold, and no message is larger than its service takes.
import { describe, expect, it } from 'vitest';
import { fits } from '../../testing/scenes/of-channels.gen.ts';
import { descriptionOf } from '../alerter/alert-texts.ts';
import { rule } from '../rules/connection-utilization.ts';
import { type AlertFacts, type Message, SAMPLE_ALERT, sampleAlerts } from './alert-facts.ts';
import { type ChannelType, channels } from './catalog.gen.ts';
import { channelOf } from './sender.ts';
import { mailText } from './support/mail-text.ts';
import { headline } from './support/message-text.ts';

const LOCK: AlertFacts = {
  ...SAMPLE_ALERT,
  alert_id: 7,
  title: 'Longest lock wait',
  description:
    'Longest lock wait: 1 min 28 s (PID 30444 of "payroll-import" holds the lock; threshold 30 s). A session holds a lock that others need.',
  metric_name: 'pg_stat_activity.max_lock_wait_seconds',
  metric_value: 88,
  metric_unit: 'seconds',
  threshold_value: 30,
  connection_id: 2,
  server_name: 'payroll-1',
  cluster_name: 'payroll',
};
const CPU: AlertFacts = {
  ...SAMPLE_ALERT,
  alert_id: 8,
  title: 'High CPU',
  description:
    'CPU is 99.9 % busy (threshold 80 %). Statements wait for a CPU. 2 monitored servers share host "h1": orders-db-1, billing.',
  severity: 'critical',
  metric_name: 'pg_sys_cpu_usage_info.processor_time_percent',
  metric_value: 99.9,
};
const [, , UNREACHABLE = SAMPLE_ALERT] = sampleAlerts('fire');

const base = {
  key: '00000000-0000-4000-8000-000000000001',
  timestamp: '2026-01-15T09:30:10Z',
  base_url: 'https://matriarch.example',
};
const cleared = {
  status: 'cleared',
  cleared_at: '2026-01-15T10:05:00Z',
  cleared_because: null,
  metric_value: 61.25,
} as const;
const acknowledged = { status: 'acknowledged', acknowledged_by: 'ada' } as const;

const SCENES: Readonly<Record<string, Message>> = {
  fire: { ...base, kind: 'fire', alerts: [SAMPLE_ALERT] },
  reminder: {
    ...{ ...base, kind: 'reminder', timestamp: '2026-01-15T13:30:00Z' },
    alerts: [{ ...SAMPLE_ALERT, reminder_count: 1 }],
  },
  clear: {
    ...base,
    kind: 'clear',
    timestamp: '2026-01-15T10:05:00Z',
    alerts: [{ ...SAMPLE_ALERT, ...cleared }],
  },
  acknowledge: { ...base, kind: 'acknowledge', alerts: [{ ...SAMPLE_ALERT, ...acknowledged }] },
  unreachable: { ...base, kind: 'fire', alerts: [UNREACHABLE] },
  several: { ...base, kind: 'fire', alerts: [SAMPLE_ALERT, LOCK, CPU] },
};

const readable = (body: string, type: string) =>
  type === 'html' ? body : JSON.stringify(JSON.parse(body), null, 2);

describe.each(channels.map(({ name }) => name))('%s', (type) => {
  const { body, groups, template } = channelOf(type) ?? expect.fail();

  it.each(Object.entries(SCENES).filter(([name]) => groups || name !== 'several'))(
    'says it as it always has: %s',
    async (name, message) => {
      const format = template === 'html' ? 'html' : 'json';
      await expect(`${readable(body(message), format)}\n`).toMatchFileSnapshot(
        `goldens/${type}-${name}.${format}.txt`,
      );
    },
  );
});

it.each(Object.entries(SCENES))('as the text of a mail: %s', async (name, message) => {
  await expect(mailText(message)).toMatchFileSnapshot(`goldens/email-${name}.txt`);
});

it.each([
  ['fire', 'orders / orders-db-1 [warning]: High connection usage'],
  ['reminder', 'orders / orders-db-1 [still warning after 4 h]: High connection usage'],
  ['clear', 'orders / orders-db-1 [cleared]: High connection usage'],
  ['acknowledge', 'orders / orders-db-1 [acknowledged]: High connection usage'],
  ['unreachable', 'orders-db-1 [critical]: Server unreachable'],
  ['several', 'orders / orders-db-1 and 1 more server [critical]: High CPU and 2 more alerts'],
])('names cluster and server first: %s', (scene, line) => {
  expect(headline(SCENES[scene] ?? expect.fail())).toBe(line);
});

it('leaves out the cluster of a server that is alone in it, and counts further servers', () => {
  const alone = { ...SAMPLE_ALERT, cluster_name: 'orders-db-1' };
  expect(headline({ ...base, kind: 'fire', alerts: [alone] })).toMatch(/^orders-db-1 \[/);
  const standby = { ...SAMPLE_ALERT, connection_id: 9, server_name: 'orders-db-2' };
  expect(headline({ ...base, kind: 'fire', alerts: [SAMPLE_ALERT, standby] })).toBe(
    'orders / orders-db-1 and 1 more server [warning]: High connection usage and 1 more alert',
  );
});

it('says in its samples what the rule would say', () => {
  const metric = { name: 'connection_utilization_percent', description: '', unit: 'percent' } as const;
  const reading = { rule, metric, operator: '>', threshold: 80, value: 92.5 } as const;
  expect([SAMPLE_ALERT.title, SAMPLE_ALERT.description]).toEqual([
    rule.title,
    descriptionOf({ ...reading, database_name: '', object_name: '' }),
  ]);
});

/** Long in every way, and longer once it is escaped. */
const HUGE = '<&"*_~`|é漢🐘'.repeat(600);
const huge = (alert_id: number): AlertFacts => ({
  ...SAMPLE_ALERT,
  ...{
    alert_id,
    connection_id: alert_id,
    title: HUGE,
    description: HUGE,
    server_name: HUGE,
    cluster_name: `c${HUGE}`,
  },
  ...{ database_name: HUGE, object_name: HUGE, metric_name: HUGE, server_host: HUGE },
});
const [first, ...rest] = Array.from({ length: 100 }, (_none, index) => huge(index + 1));
const LONGEST: readonly Message[] = [
  { ...base, kind: 'fire', alerts: [first ?? expect.fail()] },
  { ...base, kind: 'fire', alerts: [first ?? expect.fail(), ...rest] },
];

const sent = (type: ChannelType, message: Message): string =>
  (channelOf(type) ?? expect.fail()).body(message);

describe('limits of the services', () => {
  const limited = channels.flatMap(({ name, groups }) =>
    name in fits ? LONGEST.slice(0, groups ? 2 : 1).map((message) => [name, message] as const) : [],
  );
  it.each(limited)('of %s', (name, message) => {
    const check = new Map<string, (text: string) => void>(Object.entries(fits)).get(name);
    (check ?? expect.fail())(sent(name, message));
  });

  it('are known of five services', () => expect(Object.keys(fits).length).toBeGreaterThanOrEqual(5));
});

it('lists the gravest of many, whatever came first', () => {
  const many = Array.from({ length: 99 }, (_none, index) => ({ ...SAMPLE_ALERT, alert_id: index + 10 }));
  const message: Message = { ...base, kind: 'fire', alerts: [SAMPLE_ALERT, ...many, CPU] };
  for (const type of ['slack', 'mattermost', 'teams', 'email'] as const)
    expect([type, sent(type, message)]).toEqual([type, expect.stringContaining('High CPU')]);
});

it('keeps formatting of Slack out of texts that came from elsewhere', () => {
  const name = '*bold* <!channel> <https://evil.example|click> :fire: `x`';
  const message: Message = {
    ...base,
    kind: 'fire',
    alerts: [{ ...SAMPLE_ALERT, title: name, server_name: name }],
  };
  const { blocks } = JSON.parse(sent('slack', message));
  const marked = JSON.stringify(blocks).match(/\{"type":"mrkdwn","text":"[^"]*/g) ?? [];
  expect(marked).not.toEqual([]);
  expect(marked.join()).not.toMatch(/bold|evil|:fire:/);
  expect(JSON.stringify(blocks)).not.toMatch(/<!channel>|<https:\/\/evil/);
});
