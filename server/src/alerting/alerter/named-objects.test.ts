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

it('what holds back vacuum, in whichever database, and nothing where it keeps little of the age', async () => {
  const [id, other] = [await house.leased(), await house.leased()];
  const held = {
    ...{ xid_age: 1_700_000_000, xid_percent: 79, holder_kind: 'prepared transaction', holder: 'booking' },
    holder_xmin_age: 1_600_000_000,
  };
  // Its shared catalogs are held by the transaction in the other one.
  const template = { datname: 'template1', xid_age: 1_700_000_000, xid_percent: 79 };
  await house.feed(id, 'pg_wraparound', { rows: [{ datname: 'shop', ...held }, template], ago: 200 });
  const free = { datname: 'free', ...held, holder_xmin_age: 3 };
  await house.feed(other, 'pg_wraparound', { rows: [free], ago: 200 });
  const age = (datname: string) => ({ datname, age_datfrozenxid: 1_700_000_000 });
  await house.feed(id, 'pg_database', { rows: [age('shop'), age('template1')], ago: 5 });
  await house.feed(other, 'pg_database', { rows: [age('free')], ago: 5 });
  await house.round();
  const said = new Map(
    (await house.alerts()).flatMap(({ raised_by, title, description }) =>
      raised_by === 'rule:transaction_wraparound' ? [[title.replace(/^.* in /, ''), description]] : [],
    ),
  );
  expect([...said.keys()].sort()).toEqual(['"free"', '"shop"', '"template1"']);
  expect(said.get('"shop"')).toMatch(
    /\(prepared transaction "booking" holds back vacuum by 1[,.]6.*; threshold 75/,
  );
  expect(said.get('"template1"')).toMatch(
    /\(prepared transaction "booking" in database "shop" holds back vacuum by 1[,.]6.*; threshold 75/,
  );
  expect(said.get('"free"')).not.toContain('holds back');
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
