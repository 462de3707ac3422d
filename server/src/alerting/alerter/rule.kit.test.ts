// Rules on real servers: trouble is made, the probe reads it, the store keeps it, the alert fires; the trouble is mended, and
// the alert clears. And a server that is well raises nothing. What no test can bring about is fed to the store (rules.test.ts).
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Session } from '../../collector/session.ts';
import { putOverride } from '../../estate/scopes/overrides.queries.ts';
import { sql } from '../../kernel/sql.ts';
import type { Row } from '../../store/layout/types.ts';
import * as ofRules from '../../testing/scenes/of-rules.gen.ts';
import { MAJORS, type Major, type TestCluster } from '../../testing/servers/postgres.ts';
import { catalog, ofOwn, probeNamed, rowsOf, runProbe, sessionOn } from '../../testing/servers/probing.ts';
import type { Room, RoomWithStandbys, Scene } from '../../testing/servers/rule-scenes/scene.ts';
import { replicatingServer, startStandby } from '../../testing/servers/server-sets.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';
import { endMajors, isEverydayMajor, isProof } from '../../testing/tier.ts';
import { demandKnown } from '../alert-rules/known-rules.service.ts';
import { rules } from '../rules/catalog.gen.ts';
import type { Rule } from '../rules/types.ts';

const SCENES: readonly Scene[] = Object.values(ofRules.scenes).flat();
const STANDBY_SCENES: readonly Scene<RoomWithStandbys>[] = Object.values(ofRules.scenesWithStandbys).flat();
/** These take WAL away that standbys would need. */
const LAST_SCENES: readonly Scene[] = Object.values(ofRules.lastScenes).flat();

const STEP = 300;
const HOUR = 3600;

let house: Alerting;
beforeAll(async () => {
  house = await alerting({ hasTables: true });
});
afterAll(() => house.close());

const openOn = async (id: number) =>
  (await house.alerts())
    .filter(({ connection_id, status }) => connection_id === id && status !== 'cleared')
    .map(({ raised_by }) => raised_by.slice('rule:'.length));

/** As if it were so many seconds later. */
const judgedAt = (at: number) => house.round({ now: Date.now() + at * 1000 + 1000 });

const feed = (id: number, at: number, found: ReadonlyMap<string, readonly Row[]>) =>
  house.feedAll(
    id,
    [...found].map(([probe, rows]) => {
      const database_name = probeNamed(probe).level === 'D' ? 'postgres' : '';
      return [probe, { rows: [...rows], ago: -at, database_name }] as const;
    }),
  );

async function readAll(session: Session, probes: readonly string[]): Promise<Map<string, readonly Row[]>> {
  const found = new Map<string, readonly Row[]>();
  for (const name of probes)
    found.set(name, ofOwn(probeNamed(name), await rowsOf(session, name), session.database));
  return found;
}

/** Reads until what the first probe finds is as it should be. */
async function readUntil(
  session: Session,
  probes: readonly string[],
  isSo: (rows: readonly Row[]) => boolean,
) {
  for (;;) {
    const found = await readAll(session, probes);
    if (isSo(found.get(probes[0] ?? '') ?? [])) return found;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function lower(id: number, thresholds: Scene['thresholds'] = {}): Promise<void> {
  for (const [name, threshold] of Object.entries(thresholds)) {
    const { operator, severity } = demandKnown(name).rule;
    const { id: rule_id } = await house.db.one<{ id: number }>(
      sql`/* test.rule */ select id from matriarch.alert_rules where name = ${name}`,
    );
    const values = { operator, threshold, severity, is_enabled: true };
    await putOverride(house.db, { kind: 'rule', scope: 'server', scope_id: id, subject: rule_id }, values);
  }
}

/** The rules of the scene among those that are open. */
const firedOf = async (id: number, { rules: own }: Pick<Scene, 'rules'>) => {
  const open = new Set(await openOn(id));
  return own.filter((name) => open.has(name)).toSorted();
};

async function playScene<R extends Room>(room: R, session: Session, scene: Scene<R>): Promise<void> {
  const { probes, later = 0, lasts = 0, grows = false } = scene;
  const id = await house.leased();
  house.forget();
  await lower(id, scene.thresholds);
  await scene.first?.(room);
  const before = await readAll(session, probes);
  await feed(id, -STEP, before);
  await judgedAt(-STEP);
  expect(await firedOf(id, scene)).toEqual([]);

  const mend = await scene.make(room);
  const earlier = before.get(probes[0] ?? '') ?? [];
  const trouble = await readUntil(session, probes, (rows) => scene.isThere(rows, earlier));
  const times = new Set([0, later, later + lasts]);
  for (const at of times) {
    await feed(id, at, trouble);
    await judgedAt(at);
  }
  expect(await firedOf(id, scene)).toEqual(scene.rules.toSorted());

  await mend();
  // What was counted stays counted.
  const well = await readUntil(session, probes, (rows) => grows || !scene.isThere(rows, earlier));
  const after = later + lasts + (grows ? HOUR : 0);
  for (const n of [1, 2, 3]) {
    await feed(id, after + n * STEP, well);
    await judgedAt(after + n * STEP);
  }
  expect(await firedOf(id, scene)).toEqual([]);
}

const SETTINGS = {
  archive_mode: true,
  archive_command: 'true',
  deadlock_timeout: '10ms',
  max_connections: 25,
  max_prepared_transactions: 5,
} as const;

/** A reader of each server, in the order in which they were opened. */
class Sessions {
  readonly #all = new Map<TestCluster, Session>();

  async open(...servers: readonly TestCluster[]): Promise<void> {
    for (const server of servers) this.#all.set(server, await sessionOn(server));
  }

  on(server: TestCluster): Session {
    const session = this.#all.get(server);
    if (!session) throw new Error('no session');
    return session;
  }

  /** Standbys were opened last and go first. */
  async close(): Promise<void> {
    for (const [server, session] of [...this.#all].toReversed()) {
      await session.client.close();
      await server.stop();
    }
  }
}

/** All that can be read of a server that is well raises nothing, at once or within an hour. */
async function staysQuiet(session: Session): Promise<void> {
  const id = await house.leased();
  house.forget();
  for (const at of [-STEP, 0, STEP, HOUR]) {
    const found = new Map<string, readonly Row[]>();
    for (const probe of catalog) {
      const outcome = await runProbe(session, probe);
      if (outcome.kind === 'ran') found.set(probe.name, outcome.rows);
    }
    await feed(id, at, found);
    await judgedAt(at);
  }
  expect(await openOn(id)).toEqual([]);
}

async function startPrimary(major: Major): Promise<TestCluster> {
  const primary = await replicatingServer({ major, settings: SETTINGS });
  await primary.query('create extension pg_stat_statements');
  return primary;
}

/** The scene's own server where it began one ahead, with a session, else the room's. */
class Ahead {
  readonly #servers = new Map<Scene, TestCluster>();
  readonly #sessions: Sessions;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  async begin(major: Major): Promise<void> {
    for (const [, scene] of titled(LAST_SCENES, major)) {
      if (!scene.ahead) continue;
      const server = await startPrimary(major);
      await this.#sessions.open(server);
      await scene.ahead(server);
      this.#servers.set(scene, server);
    }
  }

  play(scene: Scene, room: Room): Promise<void> {
    const primary = this.#servers.get(scene) ?? room.primary;
    return playScene({ primary }, this.#sessions.on(primary), scene);
  }
}

const titled = <R extends Room>(scenes: readonly Scene<R>[], major: Major) =>
  scenes
    .filter(
      ({ from = 0, isDear }) => from <= major && isProof() !== (isEverydayMajor(major) && isDear !== true),
    )
    .map((scene) => [scene.rules.join(', '), scene] as const);

describe.each(isProof() ? endMajors : MAJORS.filter(isEverydayMajor))('on PostgreSQL %i', (major) => {
  const sessions = new Sessions();
  const ahead = new Ahead(sessions);
  let room: RoomWithStandbys;
  beforeAll(async () => {
    const primary = await startPrimary(major);
    const standby = (name: string) =>
      startStandby(primary, { settings: SETTINGS, more: `application_name=${name}` });
    const [near, far] = await Promise.all([standby('near'), standby('far')]);
    room = { primary, near, far };
    await sessions.open(primary, near, far);
    await ahead.begin(major);
  });
  afterAll(() => sessions.close());

  it('a primary that is well raises nothing', () => staysQuiet(sessions.on(room.primary)));
  if (isProof()) {
    it('a standby that is well raises nothing', () => staysQuiet(sessions.on(room.near)));

    it('evidence is shown on a standby too', async () => {
      const statements = rules.flatMap(({ evidence, requires }: Rule) =>
        requires !== 'spock' && evidence && 'sql' in evidence ? [evidence.sql] : [],
      );
      for (const one of statements) await room.near.query(one);
      expect(statements.length).toBeGreaterThan(30);
    });
  }

  it.each(titled(SCENES, major))('%s', (_name, scene) => playScene(room, sessions.on(room.primary), scene));
  it.each(titled(STANDBY_SCENES, major))('%s', (_name, scene) =>
    playScene(room, sessions.on(room[scene.on ?? 'primary']), scene),
  );
  it.each(titled(LAST_SCENES, major))('%s', (_name, scene) => ahead.play(scene, room));
});

const BETWEEN = isProof() ? MAJORS.filter((major) => !endMajors.includes(major)) : [];
describe.each(BETWEEN)('on PostgreSQL %i', (major) => {
  const sessions = new Sessions();
  const ahead = new Ahead(sessions);
  let room: Room;
  beforeAll(async () => {
    room = { primary: await startPrimary(major) };
    await sessions.open(room.primary);
    await ahead.begin(major);
  });
  afterAll(() => sessions.close());

  it('a server that is well raises nothing', () => staysQuiet(sessions.on(room.primary)));
  it.each(
    titled(
      [...SCENES, ...LAST_SCENES].filter(({ grows }) => !grows),
      major,
    ),
  )('%s', (_name, scene) => ahead.play(scene, room));
});
