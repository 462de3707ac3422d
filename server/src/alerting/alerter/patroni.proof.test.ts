// What a person is sent of a real Patroni cluster: its primary is killed, the standby takes over, the old primary comes back by
// pg_rewind, a switchover brings it back to the front, and it is killed again within five minutes. Guards: two deaths are two
// messages of one incident, each with its end, and nothing of what follows from them is sent.
import { expect, it, onTestFinished } from 'vitest';
import { sleep } from '../../kernel/clock.ts';
import { eachInItsFolder, running, signIn } from '../../testing/app-process.ts';
import { startHttpPeer } from '../../testing/channels/http-peer.ts';
import { lacksForPatroni, type Member, startPatroni } from '../../testing/servers/patroni.ts';

eachInItsFolder();

/** Beyond what this is about: the machine that runs the tests is as busy as it is. */
const OF_MACHINE = /^(cpu_|load_|memory_|disk_)/;
const QUICK = { pg_connectivity: 5, pg_stat_replication: 10, pg_replication_slots: 10, pg_stat_wal: 10 };

interface Api {
  send(method: string, path: string, body?: object): Promise<unknown>;
}

function apiOf(url: string, token: string): Api {
  return {
    async send(method, path, body) {
      const response = await fetch(`${url}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
  };
}

const listOf = (value: unknown, name?: string): Record<string, unknown>[] => {
  const list = Array.isArray(value) ? value : Object(value)[name ?? ''];
  return Array.isArray(list) ? list.map((one) => Object(one)) : [];
};

async function watch(api: Api, { name, port, user, password }: Member): Promise<number> {
  const made = await api.send('POST', '/connections', {
    ...{ name, host: '127.0.0.1', port, database_name: 'postgres', username: user, password },
    ...{ ssl_mode: 'prefer', is_monitored: true },
  });
  return Number(Object(made).id);
}

async function prepare(api: Api, members: readonly Member[], endpoint_url: string): Promise<number[]> {
  for (const rule of listOf(await api.send('GET', '/alert-rules'), 'rules'))
    if (OF_MACHINE.test(String(rule.name)))
      await api.send('PUT', `/alert-rules/${rule.id}`, { default_enabled: false });
  await api.send('POST', '/notification-channels', {
    ...{ channel_type: 'webhook', name: 'on call', endpoint_url, is_estate_default: true },
  });
  const ids: number[] = [];
  for (const member of members) ids.push(await watch(api, member));
  return ids;
}

const lacks = lacksForPatroni();

it.skipIf(lacks !== undefined)(
  `sends what a person wants to know${lacks ? ` (not played: ${lacks})` : ''}`,
  async () => {
    const peer = await startHttpPeer();
    onTestFinished(() => peer.stop());
    const [cluster, app] = await Promise.all([
      startPatroni(),
      running(
        '--channels-allow-private-networks',
        '--channels-group-seconds',
        '2',
        '--connections-allow-private-networks',
      ),
    ]);
    const [a, b] = cluster.members;
    const api = apiOf(app.url, await signIn(app.url, app.link));
    const ids = await prepare(api, cluster.members, `${peer.url}/on-call`);
    for (const [probe, collection_interval_seconds] of Object.entries(QUICK))
      for (const id of ids)
        await api.send('PUT', `/probe-overrides/server/${id}/${probe}`, {
          ...{ is_enabled: true, collection_interval_seconds, retention_days: 1 },
        });
    await cluster.untilWell(a);
    const told = () => peer.requests.map((one) => Object(one.json()));
    const toldOf = (kind: string) => told().filter((one) => JSON.stringify(one).includes(kind)).length;
    await sleep(15_000);
    const began = Date.now();

    a.kill();
    await expect.poll(() => toldOf('alert_fire'), { timeout: 60_000 }).toBe(1);
    while (!/master|primary/.test(await b.role())) await sleep(200);
    a.start();
    await cluster.untilWell(b);
    await expect.poll(() => toldOf('alert_clear'), { timeout: 60_000 }).toBe(1);

    await cluster.switchover(b, a);
    await cluster.untilWell(a);
    a.kill();
    await expect.poll(() => toldOf('alert_fire'), { timeout: 60_000 }).toBe(2);
    expect(Date.now() - began).toBeLessThan(300_000);
    while (!/master|primary/.test(await b.role())) await sleep(200);
    a.start();
    await cluster.untilWell(b);
    await expect.poll(() => toldOf('alert_clear'), { timeout: 60_000 }).toBe(2);
    // Whatever follows late would come by now.
    await sleep(20_000);
    const list: Record<string, unknown>[] = told().map((one) => {
      const [alert] = listOf(one, 'alerts');
      return { kind: one.notification_type, alerts: listOf(one, 'alerts').length, ...alert };
    });
    const shown = list.map(({ kind, severity, server_name, title, description }) =>
      [kind, severity, server_name, title, description].join(' | '),
    );
    process.stdout.write(`\n${shown.join('\n')}\n`);
    const dead = {
      alerts: 1,
      severity: 'critical',
      title: 'Server unreachable',
      server_name: a.name,
    };
    const [first] = list;
    expect(list).toMatchObject([
      { ...dead, kind: 'alert_fire' },
      { ...dead, kind: 'alert_clear', description: 'The server is reachable again.' },
      {
        ...dead,
        kind: 'alert_fire',
        alert_id: first?.alert_id,
        description: expect.stringContaining('then the server failed again'),
      },
      { ...dead, kind: 'alert_clear', alert_id: first?.alert_id },
    ]);
  },
  400_000,
);
