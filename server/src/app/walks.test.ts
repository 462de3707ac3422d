// How many files a developer reads to follow one answer from the request to the stored rows, one sample from the collector's outcome
// to its table, one answer of the chat from the question to its last event, with a call of a tool that reads the catalog alone, and
// one alert from the sample that fires it to the mail.
// Counted are files of which a function is called, without the kernel, the HTTP server, access and what every request passes.
import { expect, it } from 'vitest';
import { iso } from '../kernel/times.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../kernel/units.ts';
import { probes } from '../probes/catalog.gen.ts';
import { runCompaction } from '../store/compact/compact.ts';
import { layoutOf } from '../store/layout/table-layout.ts';
import { startMailPeer } from '../testing/channels/mail-peer.ts';
import { outboxScene } from '../testing/channels/outbox-scene.ts';
import { filesPassed } from '../testing/files-passed.ts';
import { chatTests, dataOf, toolCall } from '../testing/llm/chat-tests.ts';
import { alerting } from '../testing/store/alerting.ts';
import { startWriter } from '../testing/store/collected.ts';

/** They may only become fewer. */
const MOST = { metrics: 30, sample: 30, chat: 36, alert: 47 };

const ownOf = (files: readonly string[]) =>
  files.filter((path) => !/^(?:kernel|api|identity\/access)\//.test(path));

const chat = chatTests();

/** What every request passes. */
const passedByAll = () => filesPassed(() => chat.request('GET /api/v1/metrics/latest?connection_id=0'));

const PROBE = 'pg_stat_all_tables';
const table = (n: number) => ({
  ...{ relid: 1, schemaname: 'public', relname: 'orders', seq_scan: n, table_size: 8192 * n },
});

it('a sample passes few files on its way to the table, and an answer about metrics few on its way back', async () => {
  const { test } = chat;
  const id = test.actors.own_connection;
  // All of it in packed hours, whatever the time of day is.
  const midnight = Math.floor(Date.now() / DAY_MS) * DAY_MS - DAY_MS;
  const [from, to] = [midnight - 3 * HOUR_MS, midnight + 3 * HOUR_MS];
  const runs = Array.from({ length: 72 }, (_none, n) => ({
    ...{ connection_id: id, probe: PROBE, database_name: 'shop' },
    ...{ at: from + n * 5 * MINUTE_MS, rows: [table(n)] },
  }));
  const writer = startWriter(test.db);
  // The first one makes the tables.
  await writer.add(runs.slice(0, 1));
  const written = await filesPassed(() => writer.add(runs.slice(1)));
  await writer.stop();
  const layouts = probes.flatMap((probe) => layoutOf(probe) ?? []);
  await runCompaction({ db: test.db, layouts, now: to + 3 * HOUR_MS });
  const call = (path: string) =>
    test.call(`GET /api/v1/metrics/${path}`, { token: test.actors.owner.session });
  const about = `connection_id=${id}&probe_name=${PROBE}`;
  const every = await passedByAll();
  const read = await filesPassed(() =>
    call(`query?${about}&metrics=seq_scan&start_time=${iso(from)}&end_time=${iso(to)}&buckets=20`),
  );
  const own = ownOf(read).filter((path) => !every.includes(path));
  // The API beside it writes down refusals when it is time.
  const ofSample = ownOf(written).filter((path) => !path.startsWith('identity/'));
  expect(own).toContain('store/read/stored.ts');
  expect(own.length, own.join('\n')).toBeLessThanOrEqual(MOST.metrics);
  expect(ofSample).toContain('store/write/writer.ts');
  expect(ofSample.length, ofSample.join('\n')).toBeLessThanOrEqual(MOST.sample);
});

it('an answer of the chat passes few files from the question to its last event', async () => {
  const look = { texts: ['I look.'], calls: [toolCall('describe_probe', { probe_name: PROBE })] };
  const answer = { texts: ['It is read every ', '300 s.'] };
  const ask = async () => {
    chat.script(look, answer);
    return chat.ask({
      message: 'How often are tables read?',
      scope: { kind: 'server', id: chat.connection_id },
    });
  };
  // The first one loads the SDK.
  const frames = await ask();
  expect(dataOf(frames, 'step').at(-1)).toMatchObject({ state: 'done', tool: 'describe_probe' });
  const every = await passedByAll();
  const own = ownOf(await filesPassed(ask)).filter((path) => !every.includes(path));
  expect(own).toContain('assistant/tools/describe-probe.ts');
  expect(own.length, own.join('\n')).toBeLessThanOrEqual(MOST.chat);
});

it('an alert passes few files from the round that fires it to the mail that tells of it', async () => {
  const house = await alerting();
  const id = await house.leased();
  await house.channel();
  const disk = (used_space: number) => [
    { mount_point: '/data', total_space: 100, used_space, free_space: 100 - used_space },
  ];
  await house.feed(id, 'pg_sys_disk_info', { rows: disk(50), ago: 60 });
  await house.round();
  await house.feed(id, 'pg_sys_disk_info', { rows: disk(95), ago: 50 });
  const judged = await filesPassed(() => house.round());
  expect(await house.alerts()).toHaveLength(1);
  await house.close();
  const [scene, peer] = await Promise.all([outboxScene(), startMailPeer()]);
  const mail = { channel_type: 'email', endpoint_url: undefined, smtp_host: '127.0.0.1' };
  const more = { smtp_port: peer.port, smtp_use_tls: false, from_address: 'matriarch@example.com' };
  const channel = await scene.channel('mail', { ...mail, ...more });
  await scene.api.call(`POST /api/v1/notification-channels/${channel}/recipients`, {
    ...{ token: scene.token, body: { email_address: 'ada@example.com' } },
  });
  await scene.queue([scene.fire(await scene.alert((await scene.server()).target))]);
  scene.clock.advance(60_000);
  const sent = await filesPassed(() => scene.run());
  expect(peer.mails).toHaveLength(1);
  await Promise.all([scene.stop(), peer.stop()]);
  // What was fed is written in the background.
  const own = ownOf([...new Set([...judged, ...sent])]).filter(
    (path) => !/^(?:store\/(?:write|spool)|testing)\//.test(path),
  );
  expect(own).toContain('alerting/channels/email.ts');
  expect(own.length, own.join('\n')).toBeLessThanOrEqual(MOST.alert);
});
