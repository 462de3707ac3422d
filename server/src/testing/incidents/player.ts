// Plays incidents on a real server, and asks what is wrong: the server is read before and in the trouble as the collector reads it, rules
// and checks judge what was stored, and the question is answered from that. Guards: whoever answers knows nothing of the incident.

import type { RuleName } from '../../alerting/rules/catalog.gen.ts';
import { answerQuestion } from '../../assistant/answers/answers.service.ts';
import type { Point } from '../../assistant/answers/answers.types.ts';
import type { LlmConfig } from '../../assistant/providers/types.ts';
import type { Session } from '../../collector/session.ts';
import { systemPrincipal } from '../../identity/audit/audit.service.ts';
import { checks } from '../../insight/checks/catalog.gen.ts';
import { evaluateFindings } from '../../insight/findings/evaluate.service.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import { silentLog } from '../../kernel/log.ts';
import { scenes } from '../scenes/of-rules.gen.ts';
import { EVERY_SCENE } from '../servers/check-scenes/play.ts';
import { type CheckRoom, type CheckScene, statementsOf } from '../servers/check-scenes/scene.ts';
import { judgeReadings, type Readings, readingsOf } from '../servers/judging.ts';
import type { TestCluster } from '../servers/postgres.ts';
import { catalog, sessionOn } from '../servers/probing.ts';
import type { Scene } from '../servers/rule-scenes/scene.ts';
import { replicatingServer } from '../servers/server-sets.ts';
import { type Alerting, alerting } from '../store/alerting.ts';
import { type Asking, causesIn, placeOf, startAsking } from './asking.ts';
import type { Incident } from './incidents.ts';

const STEP_SECONDS = 300;
const SOON_MS = 60_000;
const NAMES = catalog.map(({ name }) => name);

export interface Played {
  incident: Incident;
  /** The first points of the answer, as they were told. */
  points: readonly Point[];
  /** Where the cause stands among them, from 1; undefined: it was not named. */
  place: number | undefined;
  /** What a model answered, where one is asked. */
  asked?: { text: string; place: number | undefined };
}

/** The machine's clock, so much ahead. */
class AheadClock implements Clock {
  ahead = 0;
  now = () => systemClock.now() + this.ahead;
  monotonic = () => systemClock.monotonic();
  sleep = systemClock.sleep;
}

interface Trouble {
  undo: () => Promise<unknown>;
  readings: Readings;
  /** The trouble is read again so many seconds later, each. */
  again: readonly number[];
}

function sceneOf(rule: RuleName): Scene {
  const all: readonly Scene[] = Object.values(scenes).flat();
  const found = all.find(({ rules }) => rules.includes(rule));
  if (!found) throw new Error(`There is no scene of ${rule}.`);
  return found;
}

function checkSceneOf({ check, title }: { check: string; title?: string }): CheckScene {
  const found = EVERY_SCENE.find(
    (scene) => scene.check === check && (title === undefined || scene.title === title),
  );
  if (!found) throw new Error(`There is no scene of ${check}.`);
  return found;
}

export class IncidentPlayer {
  readonly #server: TestCluster;
  readonly #house: Alerting;
  readonly #clock: AheadClock;
  #asking: Asking | undefined;
  #session: Session | undefined;
  #pid = 0;

  private constructor(server: TestCluster, house: Alerting, clock: AheadClock) {
    this.#server = server;
    this.#house = house;
    this.#clock = clock;
  }

  /** With a model, that is asked too. */
  static async start(llm?: LlmConfig): Promise<IncidentPlayer> {
    const clock = new AheadClock();
    const house = await alerting({ hasTables: true, clock });
    const server = await replicatingServer({
      major: 18,
      settings: {
        fsync: true,
        full_page_writes: true,
        synchronous_commit: true,
        max_prepared_transactions: 5,
        track_io_timing: true,
        log_lock_waits: true,
        max_connections: 25,
        archive_mode: true,
        archive_command: 'true',
        deadlock_timeout: '10ms',
      },
    });
    await server.query('create extension pg_stat_statements');
    const player = new IncidentPlayer(server, house, clock);
    if (llm) player.#asking = await startAsking(house, { llm, clock });
    return player;
  }

  async close(): Promise<void> {
    await this.#asking?.close();
    await this.#session?.client.close();
    await this.#server.stop();
    await this.#house.close();
  }

  async #read(): Promise<Readings> {
    if (!this.#session || this.#pid !== this.#server.pid) {
      await this.#session?.client.close();
      this.#session = await sessionOn(this.#server);
      this.#pid = this.#server.pid;
    }
    return readingsOf(this.#session, NAMES);
  }

  async #store(id: number, { readings }: Readings): Promise<void> {
    for (const [probe, own] of readings)
      for (const { database_name, rows } of own)
        await this.#house.feed(id, probe, { rows: [...rows], ago: 0, database_name });
  }

  get #ctx() {
    return {
      db: this.#house.db,
      clock: this.#clock,
      log: silentLog,
      signal: new AbortController().signal,
      principal: systemPrincipal('server'),
    };
  }

  async #judge(id: number): Promise<void> {
    await this.#house.round({ now: this.#clock.now() + 1000 });
    await evaluateFindings(this.#ctx, { servers: [{ connection_id: id, cluster_id: null }] });
  }

  /** Reads until it is so. */
  async #readUntil(isSo: (found: Readings) => Promise<boolean> | boolean): Promise<Readings> {
    for (const until = systemClock.monotonic() + SOON_MS; ; ) {
      const found = await this.#read();
      if (await isSo(found)) return found;
      if (systemClock.monotonic() > until) throw new Error('The trouble did not come about.');
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async #make({ by }: Incident, before: Readings): Promise<Trouble> {
    const room = { primary: this.#server, restart: () => this.#restart() };
    if ('make' in by) {
      const undo = await by.make(this.#server);
      return { undo, readings: await this.#readUntil(() => by.isThere(this.#server)), again: [] };
    }
    if ('rule' in by) {
      const scene = sceneOf(by.rule);
      const undo = await scene.make(room);
      const [probe = ''] = scene.probes;
      const rowsIn = ({ readings }: Readings) => [...(readings.get(probe)?.[0]?.rows ?? [])];
      const readings = await this.#readUntil((found) => scene.isThere(rowsIn(found), rowsIn(before)));
      const { later = 0, lasts = 0 } = scene;
      return { undo, readings, again: [later, lasts].filter((seconds) => seconds > 0) };
    }
    return this.#makeChecked(checkSceneOf(by), room);
  }

  /** Mended by the remedy that the check shows, as its scene has it. */
  async #makeChecked(scene: CheckScene, room: CheckRoom): Promise<Trouble> {
    const { later = 0, remedy } = scene;
    const own = checks.filter(({ name }) => name === scene.check);
    const undo = await scene.make(room);
    const it = (found: Readings) =>
      judgeReadings(own, found, { later })
        .flatMap((verdict) => verdict.found)
        .find((one) => scene.isIt(one));
    const readings = await this.#readUntil((found) => it(found) !== undefined);
    const found = it(readings);
    const mend = async () => {
      if (typeof remedy === 'function' && found) await remedy(found, room);
      else if (found) for (const one of statementsOf(found.remedy)) await this.#server.query(one);
      if (remedy === 'restart') await room.restart();
      await undo?.();
    };
    return { undo: mend, readings, again: later > 0 ? [later / 1000] : [] };
  }

  async #restart(): Promise<void> {
    await this.#session?.client.close();
    this.#session = undefined;
    await this.#server.shutdown();
    await this.#server.start();
  }

  async play(incident: Incident): Promise<Played> {
    const id = await this.#house.leased();
    this.#house.forget();
    this.#clock.ahead = -STEP_SECONDS * 1000;
    if ('rule' in incident.by) await sceneOf(incident.by.rule).first?.({ primary: this.#server });
    const before = await this.#read();
    await this.#store(id, before);
    await this.#judge(id);
    this.#clock.ahead = 0;
    const { undo, readings, again } = await this.#make(incident, before);
    try {
      for (const seconds of [0, ...again]) {
        this.#clock.ahead += seconds * 1000;
        await this.#store(id, readings);
        await this.#judge(id);
      }
      const { points } = await answerQuestion(this.#ctx, { id, question: 'what_is_wrong' }, { limit: 10 });
      const named = points.map(({ kind, name }) => (kind === 'lock' ? 'lock' : name));
      const text = await this.#asking?.ask(id);
      const asked = text === undefined ? {} : { asked: { text, place: placeOf(causesIn(text), incident) } };
      return { incident, points, place: placeOf(named, incident), ...asked };
    } finally {
      await undo();
      this.#clock.ahead = 0;
    }
  }
}
