// A notification that was given up raises an alert, which other channels tell, and which clears when it has been sent again;
// in the proof, where there is no other channel, and how else it ends.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS, MINUTE_MS } from '../../kernel/units.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';
import { type Delivering, delivering } from '../../testing/store/noisy-estate.ts';
import { type SimulatedTime, simulatedTime } from '../../testing/store/simulated-time.ts';
import { isProof } from '../../testing/tier.ts';
import { requeue } from '../notification-channels/deliveries.queries.ts';

let time: SimulatedTime;
let house: Alerting;
let sending: Delivering;
beforeEach(async () => {
  time = await simulatedTime(systemClock.now() - 72 * HOUR_MS);
  house = await alerting({ database: time.database, clock: time.clock });
  sending = await delivering(house, time.clock);
});
afterEach(async () => {
  await sending.stop();
  await house.close();
});

const channel = (name: string) =>
  house.db.one<{ id: number }>(sql`/* test.channel */
    insert into matriarch.notification_channels (channel_type, name, is_estate_default, config)
    values ('webhook', ${name}, true, jsonb_build_object('endpoint_url', ${`${sending.peer.url}/${name}`}::text))
    returning id`);

async function pass(ms: number): Promise<void> {
  await time.advance(ms);
  await house.round();
  for (let started = 1; started > 0; ) {
    started = await sending.deliveries.round();
    await sending.deliveries.settled();
  }
}

/** A full disk of which a channel cannot tell for a day. */
async function giveUp(): Promise<void> {
  sending.peer.answers.set('/broken', { status: 500 });
  const id = await house.leased();
  const rows = [{ mount_point: '/', total_space: 100, used_space: 90, free_space: 10 }];
  await house.feed(id, 'pg_sys_disk_info', { rows, ago: 0 });
  await pass(0);
  for (let hour = 0; hour <= 25; hour += 1) await pass(HOUR_MS);
}

const ofChannels = async () =>
  (await house.alerts()).filter(({ raised_by }) => raised_by.startsWith('channel:'));
const toldOf = (id: number | undefined) =>
  sending.peer.requests
    .filter((request) => Object(request.json()).alerts.some(({ alert_id = 0 }) => alert_id === id))
    .map((request) => `${request.url} ${Object(request.json()).notification_type}`);

if (isProof()) {
  it('tells by the channel itself where there is no other, and clears when that has delivered for a day', async () => {
    await channel('broken');
    await giveUp();
    const [alert] = await ofChannels();
    expect(alert).toMatchObject({ status: 'active' });
    sending.peer.answers.clear();
    sending.peer.requests.length = 0;
    await pass(20 * MINUTE_MS);
    expect(toldOf(alert?.id)).toEqual(['/broken alert_fire']);
    await pass(20 * HOUR_MS);
    expect(await ofChannels()).toMatchObject([{ status: 'active' }]);
    await pass(3 * HOUR_MS);
    expect(await ofChannels()).toMatchObject([{ status: 'cleared' }]);
  });

  it('stands on the datastore’s own connection where that is watched, and ends when the channel is switched off', async () => {
    const own = await house.leased();
    await house.db.run(
      sql`/* test.own */ update matriarch.connections set is_embedded = true where id = ${own}`,
    );
    const { id: broken } = await channel('broken');
    await giveUp();
    expect(await ofChannels()).toMatchObject([{ connection_id: own, status: 'active' }]);
    await house.db.run(sql`/* test.off */
      update matriarch.notification_channels set enabled = false where id = ${broken}`);
    await pass(2 * MINUTE_MS);
    expect(await ofChannels()).toMatchObject([{ status: 'cleared' }]);
  });
} else {
  it('tells by another channel, once, and clears when what was given up is sent again', async () => {
    const { id: broken } = await channel('broken');
    await channel('good');
    await giveUp();
    const [alert, ...others] = await ofChannels();
    expect(others).toEqual([]);
    expect(alert).toMatchObject({
      raised_by: `channel:${broken}`,
      status: 'active',
      severity: 'critical',
      metric_value: 1,
      title: 'Matriarch: Undelivered notifications of channel "broken"',
      description: expect.stringMatching(
        /^Channel "broken" could not deliver 1 notification, the first at 20\S+ \S+ UTC\. Each was retried for 24 h\. /,
      ),
    });
    await pass(2 * MINUTE_MS);
    expect(toldOf(alert?.id)).toEqual(['/good alert_fire']);
    expect(await ofChannels()).toHaveLength(1);
    const dead = await house.db.one<{ id: number }>(
      sql`/* test.dead */ select id from matriarch.notifications where state = 'dead'`,
    );
    sending.peer.answers.clear();
    await requeue(house.db, dead.id, new Date(time.clock.now()).toISOString());
    await pass(2 * MINUTE_MS);
    expect(await ofChannels()).toMatchObject([{ status: 'cleared' }]);
    await pass(2 * MINUTE_MS);
    expect(toldOf(alert?.id)).toEqual(['/good alert_fire', '/good alert_clear']);
  });
}
