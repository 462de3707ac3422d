// Disks that fill up and are emptied again, as samples in a store: each full until its alert has fired, and then empty until
// that has cleared, so that exactly one alert of each is right, whoever judges and however often that one dies.
import { systemClock } from '../../kernel/clock.ts';
import { sql } from '../../kernel/sql.ts';
import type { Alerting } from '../store/alerting.ts';

const MOST_AT_ONCE = 3;

interface Disk {
  server: number;
  mount_point: string;
  phase: 'full' | 'emptied' | 'over';
  /** When its first sample was committed; milliseconds since the epoch. */
  fed_at: number | undefined;
}

interface AlertOfDisk {
  id: number;
  object_name: string;
  status: string;
  fired_at: number;
}

const rowOf = ({ mount_point, phase }: Pick<Disk, 'mount_point' | 'phase'>) => ({
  mount_point,
  total_space: 100,
  used_space: phase === 'full' ? 90 : 10,
  free_space: phase === 'full' ? 10 : 90,
});

export class FillingDisks {
  readonly #house: Alerting;
  readonly #servers: readonly number[];
  readonly #disks: Disk[] = [];
  /** No further disk begins to fill. */
  isClosing = false;

  constructor(house: Alerting, servers: readonly number[]) {
    this.#house = house;
    this.#servers = servers;
  }

  get isOver(): boolean {
    return this.isClosing && this.#disks.every(({ phase }) => phase === 'over');
  }

  alerts(): Promise<AlertOfDisk[]> {
    return this.#house.db.rows<AlertOfDisk>(sql`/* test.disk_alerts */
      select id, object_name, status, (extract(epoch from triggered_at) * 1000)::float8 as fired_at
      from matriarch.alerts
      where raised_by = 'rule:disk_usage_percent'
      order by id`);
  }

  async #follow(): Promise<void> {
    const status = new Map((await this.alerts()).map((one) => [one.object_name, one.status]));
    for (const disk of this.#disks) {
      const now = status.get(disk.mount_point);
      if (disk.phase === 'full' && now !== undefined) disk.phase = 'emptied';
      if (disk.phase === 'emptied' && now === 'cleared') disk.phase = 'over';
    }
  }

  #begin(server: number): void {
    if (this.isClosing) return;
    const mount_point = `/disk${this.#disks.length}`;
    this.#disks.push({ server, mount_point, phase: 'full', fed_at: undefined });
  }

  /** One sample of each server. */
  async feed(): Promise<void> {
    await this.#follow();
    for (const server of this.#servers) {
      const isOn = (disk: Disk) => disk.server === server && disk.phase !== 'over';
      if (this.#disks.filter(isOn).length < MOST_AT_ONCE) this.#begin(server);
      const here = this.#disks.filter(isOn);
      const rows = [rowOf({ mount_point: '/', phase: 'emptied' }), ...here.map(rowOf)];
      await this.#house.feed(server, 'pg_sys_disk_info', { rows, ago: 0 });
      for (const disk of here) disk.fed_at ??= systemClock.now();
    }
  }

  /** Disks of which there is not exactly one alert. */
  async wrong(): Promise<string[]> {
    const counts = Map.groupBy(await this.alerts(), ({ object_name }) => object_name);
    return this.#disks.map(({ mount_point }) => mount_point).filter((one) => counts.get(one)?.length !== 1);
  }

  /** Milliseconds from the commit of the first full sample to the alert, of each disk, by the alert's id. */
  async waits(): Promise<Map<number, { fired_at: number; waited_ms: number }>> {
    const fed = new Map(this.#disks.map(({ mount_point, fed_at }) => [mount_point, fed_at ?? 0]));
    return new Map(
      (await this.alerts()).map(({ id, object_name, fired_at }) => [
        id,
        { fired_at, waited_ms: fired_at - (fed.get(object_name) ?? 0) },
      ]),
    );
  }
}
