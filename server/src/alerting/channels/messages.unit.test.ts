// The same alert in the format of each channel: fired, still open, cleared, acknowledged, and several at once. Guards: whatever the
// format, the first line names cluster and server, the value is beside its threshold, and no message is larger than its service takes.
import { describe, expect, it } from 'vitest';
import { fits } from '../../testing/scenes/of-channels.gen.ts';
import { descriptionOf } from '../alerter/alert-texts.ts';
import { rule } from '../rules/connection-utilization.ts';
import { type AlertFacts, type Message, SAMPLE_ALERT, sampleAlerts } from './alert-facts.ts';
import { type ChannelType, channels } from './catalog.gen.ts';
import { mailText } from './email.ts';
import { channelOf } from './sender.ts';
import { headline } from './support/message-text.ts';

const LOCK: AlertFacts = {
  ...SAMPLE_ALERT,
  alert_id: 7,
  title: 'Longest lock wait',
  description:
    'Longest lock wait: 1 min 28 s (threshold 30 s). PID 30444 of "payroll-import" blocks 3 sessions. A session holds a lock that others need.',
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
const LAG: AlertFacts = {
  ...SAMPLE_ALERT,
  alert_id: 9,
  title: 'Replication lag: "standby-2"',
  description: 'A standby has 3 GB of WAL to replay (threshold 1 GB). A failover to it would lose this.',
  metric_name: 'pg_stat_replication.replay_lag_bytes',
  metric_value: 3 * 1024 ** 3,
  metric_unit: 'bytes',
  threshold_value: 1024 ** 3,
  object_name: 'standby-2',
};
const UNDELIVERED: AlertFacts = {
  ...SAMPLE_ALERT,
  alert_id: 10,
  is_own: true,
  title: 'Matriarch: Undelivered notifications of channel "on-call"',
  description:
    'Channel "on-call" could not deliver 3 notifications, the first at 2026-01-15 08:00:00 UTC. Each was retried for 24 h. Test the channel, fix the error of its deliveries, and resend them.',
  severity: 'critical',
  ...{ metric_name: null, metric_value: 3, metric_unit: null, threshold_value: 1, operator: '>=' },
};
const LONG: AlertFacts = {
  ...SAMPLE_ALERT,
  description: '34.2 % of the tuples are dead (threshold 20 %). Scans read dead tuples.',
  metric_value: 34.2,
  threshold_value: 20,
  title: `High share of dead tuples in "public.${'orders_by_region_'.repeat(12)}" in database "orders"`,
  database_name: 'orders',
  object_name: `public.${'orders_by_region_'.repeat(12)}`,
};
const MARKED: AlertFacts = {
  ...SAMPLE_ALERT,
  description: '"<b>*x*</b> :fire: @here" has 92.5 % of its pages in use (threshold 80 %).',
  title: 'Invalid index "<b>*x*</b> :fire: @here" in database "a|b_c"',
  server_name: 'db-*1*_<i>',
  database_name: 'a|b_c',
  object_name: '<b>*x*</b> :fire: @here',
};
const TWELVE: readonly AlertFacts[] = Array.from({ length: 11 }, (_none, index) => ({
  ...LOCK,
  alert_id: 20 + index,
  connection_id: index % 3,
  server_name: `payroll-${index % 3}`,
}));
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
  lag: { ...base, kind: 'fire', alerts: [LAG] },
  undelivered: { ...base, kind: 'fire', alerts: [UNDELIVERED] },
  host: { ...base, kind: 'fire', alerts: [CPU] },
  lock: { ...base, kind: 'fire', alerts: [LOCK] },
  long: { ...base, kind: 'fire', alerts: [LONG] },
  marked: { ...base, kind: 'clear', alerts: [{ ...MARKED, ...cleared }] },
  twelve: { ...base, kind: 'fire', alerts: [LOCK, ...TWELVE] },
};

const readable = (body: string, type: string) =>
  type === 'html' ? body : JSON.stringify(JSON.parse(body), null, 2);

describe.each(channels.map(({ name }) => name))('%s', (type) => {
  const { body, groups, template } = channelOf(type) ?? expect.fail();

  it.each(Object.entries(SCENES).filter(([name]) => groups || !['several', 'twelve'].includes(name)))(
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

describe('says everything once', () => {
  const READ = ['slack', 'teams', 'mattermost', 'email'] as const;
  const times = (text: string, part: string) => text.split(part).length - 1;
  /** Without what stands only on a phone before the message is opened. */
  const shown = (type: ChannelType, message: Message) => {
    const body = sent(type, message);
    if (type === 'email') return body.replace(/<title>.*<\/title>/, '');
    const { text, ...more } = JSON.parse(body);
    return JSON.stringify(type === 'slack' ? more : { text, ...more }, (name, value) =>
      name === 'fallback' || name === 'summary' ? undefined : value,
    );
  };

  it.each(READ)('the threshold, the cluster and the title: %s', (type) => {
    const text = shown(type, SCENES.fire ?? expect.fail());
    expect(['80 %', 'orders / ', 'High connection usage'].map((part) => times(text, part))).toEqual([
      1, 1, 1,
    ]);
    expect(text).not.toMatch(/Severity|"Server|>Server|Cluster/);
  });

  it.each(READ)('keeps a value that its explanation lacks: %s', (type) => {
    const alert = { ...SAMPLE_ALERT, description: 'Usage is unlike other days.' };
    expect(sent(type, { ...base, kind: 'fire', alerts: [alert] })).toContain('92.5 % (threshold 80 %)');
  });

  it.each(READ)('keeps an object that its title lacks: %s', (type) => {
    const alert = { ...SAMPLE_ALERT, object_name: 'slot' };
    expect(sent(type, { ...base, kind: 'fire', alerts: [alert] })).toContain('Object');
    expect(sent(type, SCENES.lag ?? expect.fail())).not.toContain('Object');
  });

  it.each(READ)('the cluster of a group, whose parts name the server alone: %s', (type) => {
    const text = shown(type, SCENES.twelve ?? expect.fail());
    expect([times(text, 'payroll / '), times(text, 'payroll-2: ')]).toEqual([1, expect.any(Number)]);
    expect(times(text, 'payroll-2: ')).toBeGreaterThan(2);
  });

  it('in Opsgenie, where the description stands below the message', () => {
    const { message, description } = JSON.parse(sent('opsgenie', SCENES.fire ?? expect.fail()));
    expect(description).not.toContain(message);
    const long = JSON.parse(sent('opsgenie', SCENES.long ?? expect.fail()));
    expect(long.description).toContain(LONG.title);
  });
});

it('has bold labels beside plain values in Slack', () => {
  const { blocks } = JSON.parse(sent('slack', SCENES.fire ?? expect.fail()));
  expect(blocks[2].fields).toEqual([
    { type: 'mrkdwn', text: '*Host*' },
    { type: 'plain_text', text: 'db1.example.com:5432', emoji: false },
  ]);
});

it('splits a headline that is too long for Slack, and repeats none of it', () => {
  const { blocks } = JSON.parse(sent('slack', SCENES.long ?? expect.fail()));
  expect(blocks.slice(0, 2).map(({ text }: { text: { text: string } }) => text.text)).toEqual([
    '⚠️ orders / orders-db-1 [warning]',
    LONG.title,
  ]);
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
