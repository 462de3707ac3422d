// Alerts name the object that they are about where their metric only counts it, and what holds back vacuum.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { HOUR_MS } from '../../kernel/units.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';

let house: Alerting;
beforeEach(async () => {
  house = await alerting({ hasTables: true });
});
afterEach(() => house.close());

const titles = async () => (await house.alerts()).map(({ title }) => title);

it('a prepared transaction by its gid, in its database', async () => {
  const id = await house.leased();
  const row = { xid_age: 10, prepared_transactions: 2, prepared_seconds: 900, prepared_gid: 'bus "7"\n42' };
  const rows = [
    { datname: 'shop', ...row },
    { datname: 'other', prepared_seconds: 0 },
  ];
  await house.feed(id, 'pg_wraparound', { rows, ago: 5 });
  await house.round();
  expect(await titles()).toEqual(['Orphaned prepared transaction "bus "7" 42" in "shop"']);
});

it('settings by their names', async () => {
  const id = await house.leased();
  const rows = ['max_connections', 'shared_buffers', 'wal_level', 'work_mem'].map((name) => ({
    ...{ name, setting: '1', pending_restart: name !== 'work_mem' },
  }));
  const now = Date.now();
  for (let hours = 25; hours >= 0; hours -= 1) {
    const at = now - hours * HOUR_MS;
    await house.feed(id, 'pg_settings', { rows, at });
    await house.round({ now: at + 1000 });
  }
  expect(await titles()).toEqual([
    'Settings pending restart: "max_connections", "shared_buffers", "wal_level"',
  ]);
});

it('what holds back vacuum where it keeps most of the age, and nothing where it does not', async () => {
  const id = await house.leased();
  const held = {
    ...{ xid_age: 1_700_000_000, xid_percent: 79, holder_kind: 'replication slot', holder: 'old_logical' },
    holder_xmin_age: 1_600_000_000,
  };
  const rows = [
    { datname: 'shop', ...held },
    { datname: 'free', ...held, holder_xmin_age: 3 },
  ];
  await house.feed(id, 'pg_wraparound', { rows, ago: 200 });
  const ages = rows.map(({ datname, xid_age }) => ({ datname, age_datfrozenxid: xid_age }));
  await house.feed(id, 'pg_database', { rows: ages, ago: 5 });
  await house.round();
  const alerts = (await house.alerts()).filter(
    ({ raised_by }) => raised_by === 'rule:transaction_wraparound',
  );
  expect(alerts.map(({ title }) => title).sort()).toEqual([
    'Transaction ID wraparound in "free"',
    'Transaction ID wraparound in "shop"',
  ]);
  const says = alerts.flatMap(({ title, description }) => (title.includes('shop') ? [description] : []));
  expect(says[0]).toMatch(/\(replication slot "old_logical" holds back vacuum by 1[,.]6.*; threshold 75/);
  expect(alerts.filter(({ description }) => description.includes('holds back'))).toHaveLength(1);
});

it('that replay is paused, where that makes a standby late', async () => {
  const [paused, slow] = [await house.leased(), await house.leased()];
  const states = [
    [paused, 'paused'],
    [slow, 'not paused'],
  ] as const;
  for (const ago of [80, 40, 5]) {
    for (const [id, replay_pause_state] of states) {
      const row = { role: 'standby', pid: 9, replay_lag: 400, replay_pause_state };
      await house.feed(id, 'pg_stat_replication', { rows: [row], ago });
    }
    await house.round({ now: Date.now() - (ago - 1) * 1000 });
  }
  const alerts = (await house.alerts()).filter(({ raised_by }) => raised_by === 'rule:standby_replay_age');
  const saidOf = (id: number) => alerts.find(({ connection_id }) => connection_id === id)?.description;
  expect(saidOf(paused)).toMatch(/\(WAL replay is paused; threshold 5 min\)/);
  expect(saidOf(slow)).toMatch(/\(threshold 5 min\)/);
});
