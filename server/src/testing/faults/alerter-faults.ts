// F8, F18, F19 with real processes: two that judge and deliver on one datastore are killed or frozen at random moments,
// while disks fill up and are emptied, peers fail now and then, and the datastore is restarted in the middle. What fired
// is what arrived.
import { expect, onTestFinished } from 'vitest';
import { migrate } from '../../datastore/migrate.ts';
import { sleep, systemClock } from '../../kernel/clock.ts';
import { Database } from '../../kernel/db.ts';
import { silentLog } from '../../kernel/log.ts';
import { Secret } from '../../kernel/secret.ts';
import { sql } from '../../kernel/sql.ts';
import { openEngine } from '../../store/layout/engine/open.ts';
import { newKeyFile, startAlerterProcess } from '../api-process.ts';
import { type HttpPeer, type PeerAnswer, startHttpPeer } from '../channels/http-peer.ts';
import type { Child } from '../child.ts';
import { diceOf } from '../dice.ts';
import { startCluster, type TestCluster } from '../servers/postgres.ts';
import { type Alerting, alerting } from '../store/alerting.ts';
import { FillingDisks } from './filling-disks.ts';
import { type LedgerVerdict, takenBy, verdictOf } from './notification-ledger.ts';

const SERVERS = 3;
const STEADY = ['one', 'two', 'three'] as const;
const FLAKY = 'flaky';
const CHANNELS = [...STEADY, FLAKY];
const FEED_MS = 800;
/** A freeze may outlast both leases: that of who judges, and that of what is being sent. */
const LONG_FREEZE_MS = 40_000;

interface Scene {
  cluster: TestCluster;
  house: Alerting;
  peer: HttpPeer;
  disks: FillingDisks;
  dice(): number;
  keyFile: string;
}

async function storeOn(cluster: TestCluster): Promise<Alerting> {
  const url = new Secret(cluster.url);
  await migrate(url, silentLog);
  const db = new Database({ url, log: silentLog, applicationName: 'matriarch test', max: 4 });
  await openEngine(db);
  const close = () => db.stop();
  return alerting({ database: { url, db, name: 'postgres', close } });
}

async function addChannels({ db }: Alerting, peer: HttpPeer): Promise<void> {
  for (const name of CHANNELS)
    await db.run(sql`/* test.channel */
      insert into matriarch.notification_channels (channel_type, name, is_estate_default, config)
      values ('webhook', ${name}, true, jsonb_build_object('endpoint_url', ${`${peer.url}/${name}`}::text))`);
}

/** Every peer thinks a moment before it answers, so that deaths fall between sending and writing it down. */
function setAnswers(peer: HttpPeer, dice: () => number): void {
  const good = (): PeerAnswer => ({ status: 204, after_ms: dice() * 400 });
  const bad: readonly PeerAnswer[] = [
    { status: 500 },
    { status: 429, headers: { 'retry-after': '2' } },
    'cut',
    'hang',
  ];
  for (const name of STEADY) peer.answers.set(`/${name}`, good);
  peer.answers.set(`/${FLAKY}`, () =>
    dice() < 0.2 ? (bad[Math.floor(dice() * bad.length)] ?? 'cut') : good(),
  );
}

async function newScene(seed: number): Promise<Scene> {
  const dice = diceOf(seed);
  const cluster = await startCluster();
  onTestFinished(() => cluster.stop());
  const house = await storeOn(cluster);
  onTestFinished(() => house.close().catch(() => undefined));
  // The lease of the house is for tests without processes.
  await house.db.run(sql`/* test.free */ delete from matriarch.jobs where name = 'alerter'`);
  const peer = await startHttpPeer();
  onTestFinished(() => peer.stop());
  await addChannels(house, peer);
  setAnswers(peer, diceOf(seed + 1));
  const servers: number[] = [];
  while (servers.length < SERVERS) servers.push(await house.leased());
  return { cluster, house, peer, disks: new FillingDisks(house, servers), dice, keyFile: newKeyFile() };
}

/** A place for a process: when it dies there, the next one starts. */
class ProcessSlot {
  readonly #scene: Scene;
  #child: Child | undefined;
  #busy: Promise<unknown> = Promise.resolve();

  constructor(scene: Scene) {
    this.#scene = scene;
    this.#busy = this.#start();
  }

  /** Again and again while the datastore is away. */
  async #start(): Promise<void> {
    const { house, keyFile } = this.#scene;
    const settings = ['--channels-allow-private-networks', '--channels-group-seconds', '1'];
    for (let tries = 1; !this.#child; tries += 1) {
      try {
        this.#child = await startAlerterProcess(house.url, keyFile, settings);
      } catch (error) {
        if (tries === 30) throw error;
        await sleep(500);
      }
    }
  }

  /** Resolves when a process runs here and is awake. */
  ready(): Promise<unknown> {
    return this.#busy;
  }

  async kill(): Promise<void> {
    await this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  killAndReplace(): void {
    this.#busy = this.kill().then(() => this.#start());
  }

  freeze(ms: number): void {
    this.#child?.process.kill('SIGSTOP');
    this.#busy = sleep(ms).then(() => this.#child?.process.kill('SIGCONT'));
  }
}

export interface AlerterFigures extends LedgerVerdict {
  seed: number;
  kills: number;
  freezes: number;
  alerts: number;
  /** Half, nineteen of twenty and all waited no longer, from the commit of the sample to the alert, in milliseconds. */
  fired_ms: readonly number[];
  /** From the alert to its first arrival at a peer that is well. */
  sent_ms: readonly number[];
}

function shares(values: readonly number[]): number[] {
  const sorted = values.toSorted((a, b) => a - b);
  return [0.5, 0.95, 1].map((share) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0));
}

/** Feeds until all disks that began to fill have been told; a datastore that is away is waited for. */
async function keepFeeding({ disks }: Scene): Promise<void> {
  while (!disks.isOver) {
    await disks.feed().catch(() => undefined);
    await sleep(FEED_MS);
  }
}

async function restartDatastore({ cluster }: Scene): Promise<void> {
  await cluster.shutdown();
  await sleep(2500);
  await cluster.start();
}

async function strike(scene: Scene, places: readonly ProcessSlot[], points: number) {
  const { dice } = scene;
  const struck = { kills: 0, freezes: 0 };
  for (let point = 0; point < points; point += 1) {
    await sleep(300 + dice() * 2500);
    if (point === Math.floor(points / 2)) await restartDatastore(scene);
    const place = places[dice() < 0.5 ? 0 : 1];
    await place?.ready();
    const isLong = point % 25 === 24;
    if (!isLong && dice() < 0.6) {
      struck.kills += 1;
      place?.killAndReplace();
    } else {
      struck.freezes += 1;
      place?.freeze(isLong ? LONG_FREEZE_MS : 200 + dice() ** 2 * 14_000);
    }
  }
  await Promise.all(places.map((place) => place.ready()));
  return struck;
}

async function waitUntilTold({ house, peer, dice }: Scene): Promise<void> {
  peer.answers.set(`/${FLAKY}`, () => ({ status: 204, after_ms: dice() * 400 }));
  const states = () =>
    house.db.rows(sql`/* test.states */ select distinct state from matriarch.notifications order by state`);
  await expect.poll(states, { timeout: 900_000, interval: 500 }).toEqual([{ state: 'sent' }]);
}

async function timesOf({ disks, peer }: Scene) {
  const waits = await disks.waits();
  const sent = new Map<string, number>();
  for (const { path, kind, alert_id, at } of takenBy(peer)) {
    const name = `${path} ${alert_id}`;
    const fired_at = waits.get(alert_id)?.fired_at;
    if (kind !== 'alert_fire' || path === FLAKY || fired_at === undefined || sent.has(name)) continue;
    sent.set(name, at - fired_at);
  }
  return {
    alerts: waits.size,
    fired_ms: shares([...waits.values()].map(({ waited_ms }) => waited_ms)),
    sent_ms: shares([...sent.values()]),
  };
}

/** At so many moments one of two alerters is killed or frozen. Fails unless what fired has arrived, once and in order. */
export async function strickenAlerters(
  points: number,
  seed = systemClock.now() % 1e6,
): Promise<AlerterFigures> {
  process.stdout.write(`seed ${seed}\n`);
  const scene = await newScene(seed);
  const places = [new ProcessSlot(scene), new ProcessSlot(scene)];
  onTestFinished(async () => {
    await Promise.all(places.map((place) => place.kill()));
  });
  await Promise.all(places.map((place) => place.ready()));
  const feeding = keepFeeding(scene);
  const struck = await strike(scene, places, points);
  scene.disks.isClosing = true;
  await feeding;
  await waitUntilTold(scene);
  const verdict = await verdictOf(scene.house.db, scene.peer, CHANNELS);
  const { lost, invented, retold, out_of_order, duplicates } = verdict;
  const wrong = await scene.disks.wrong();
  expect({ lost, invented, retold, out_of_order, wrong }, `seed ${seed}`).toEqual({
    ...{ lost: [], invented: [], retold: [], out_of_order: [], wrong: [] },
  });
  // Each death may have been between a sending and its writing, on each of the channels.
  expect(duplicates, `seed ${seed}`).toBeLessThanOrEqual((struck.kills + struck.freezes) * CHANNELS.length);
  return { seed, ...struck, ...verdict, ...(await timesOf(scene)) };
}
