// Plays scenes of checks on the servers of a room: silent before, found in the state, mended by the remedy as it is shown, gone
// after. Guards: each server is read over one session of its own, as the collector does it; a restart opens it anew.
import { expect, vi } from 'vitest';
import type { Session } from '../../../collector/session.ts';
import { checks } from '../../../insight/checks/catalog.gen.ts';
import { Facts } from '../../../insight/checks/facts.ts';
import type { KeptPlans } from '../../../insight/checks/kept-plan.ts';
import { plansNow } from '../../../insight/checks/plans-kept.ts';
import type { Check, Problem } from '../../../insight/checks/types.ts';
import { columnsOf } from '../../../insight/findings/collected-facts.service.ts';
import { isEverydayMajor, isProof } from '../../tier.ts';
import { judgeReadings, probesOf, type Readings, readingsOf } from '../judging.ts';
import type { Major, TestCluster } from '../postgres.ts';
import { sessionOn } from '../probing.ts';
import { type CheckRoom, type CheckScene, statementsOf } from './scene.ts';

const SOON = { timeout: 30_000, interval: 100 };

function checkNamed(name: string): Check {
  const found = checks.find((check) => check.name === name);
  if (!found) throw new Error(`There is no check ${name}.`);
  return found;
}

const isEveryday = (major: Major, { isDear, remedy }: CheckScene) =>
  isEverydayMajor(major) && isDear !== true && remedy !== 'restart';

/** Those that this version knows and this run plays, with what they are called. */
export const scenesOn = (major: Major, scenes: readonly CheckScene[]) =>
  scenes
    .filter(({ from = 0, to = 99 }) => from <= major && major <= to)
    .filter((scene) => isEveryday(major, scene) !== isProof())
    .map((scene) => [scene.title ? `${scene.check}: ${scene.title}` : scene.check, scene] as const);

/** What the check does not declare is not read from the store either. */
function narrow(check: Check, { readings }: Readings): void {
  const declared = new Map([...columnsOf([check])].map(([{ name }, columns]) => [name, columns] as const));
  for (const [name, own] of [...readings]) {
    const columns = declared.get(name) ?? [];
    const cells = (row: Readonly<Record<string, unknown>>) =>
      Object.fromEntries(columns.map((column) => [column, row[column]]));
    if (declared.has(name))
      readings.set(
        name,
        own.map((reading) => ({ ...reading, rows: reading.rows.map(cells) })),
      );
    else readings.delete(name);
  }
}

export class ScenePlayer {
  readonly room: CheckRoom;
  /** The role that the scene reads as. */
  #reader: string | undefined;
  /** As the product keeps them from one reading to the next. */
  #plans: KeptPlans = new Map();
  readonly #sessions = new Map<TestCluster, { session: Session; pid: number }>();

  constructor(servers: Pick<CheckRoom, 'primary' | 'standby'>) {
    this.room = { ...servers, restart: (server = servers.primary) => this.#restart(server) };
  }

  get #servers(): TestCluster[] {
    const { primary, standby } = this.room;
    return standby ? [primary, standby] : [primary];
  }

  /** Standbys end first. */
  async close(): Promise<void> {
    for (const server of this.#servers.toReversed()) {
      await this.#sessions.get(server)?.session.client.close();
      await server.stop();
    }
  }

  async play(scene: CheckScene): Promise<void> {
    const as = await scene.as?.(this.room);
    this.#reader = as?.username;
    const own = as && (await sessionOn(this.#judged(scene), as));
    try {
      await this.#play(scene, own);
    } finally {
      await own?.client.close();
    }
  }

  async #play(scene: CheckScene, own?: Session): Promise<void> {
    this.#plans = new Map();
    await scene.before?.(this.room);
    expect((await this.#found(scene, { own })).it).toBeUndefined();
    const undo = await scene.make(this.room);
    const made = await vi.waitFor(async () => {
      const { it, verdict } = await this.#found(scene, { own, ...(scene.feed && { shape: scene.feed }) });
      expect(it, JSON.stringify(verdict?.unknown)).toBeDefined();
      return it;
    }, SOON);
    if (!made) throw new Error('not found');
    if (made.figure !== null) expect(checkNamed(scene.check).figureName, scene.check).toBeDefined();
    await scene.expect(made, this.room);
    await this.#mend(scene, made);
    const after = { own, ...(scene.feedStays && scene.feed && { shape: scene.feed }) };
    await vi.waitFor(async () => expect((await this.#found(scene, after)).it).toBeUndefined(), SOON);
    await undo?.();
  }

  #judged({ on }: Pick<CheckScene, 'on'>): TestCluster {
    const { primary, standby } = this.room;
    if (on !== 'standby') return primary;
    if (!standby) throw new Error('This room has no standby.');
    return standby;
  }

  async #session(server: TestCluster): Promise<Session> {
    const known = this.#sessions.get(server);
    // A scene may have started the server anew by itself.
    if (known?.pid === server.pid) return known.session;
    await known?.session.client.close();
    const session = await sessionOn(server);
    this.#sessions.set(server, { session, pid: server.pid });
    return session;
  }

  async #restart(server: TestCluster): Promise<void> {
    await this.#sessions.get(server)?.session.client.close();
    this.#sessions.delete(server);
    await server.shutdown();
    await server.start();
  }

  async #found(
    scene: CheckScene,
    { own, shape }: { own?: Session | undefined; shape?: (readings: Readings) => void },
  ) {
    const check = checkNamed(scene.check);
    const judged = this.#judged(scene);
    const session = own ?? (await this.#session(judged));
    const readings = await readingsOf(session, probesOf(check), this.#reader);
    shape?.(readings);
    narrow(check, readings);
    readings.plans = this.#plans;
    this.#plans = plansNow(this.#plans, new Facts(readings));
    const others = check.comparesMembers ? this.#servers.filter((server) => server !== judged) : [];
    const members: Readings[] = [];
    for (const other of others) members.push(await readingsOf(await this.#session(other), probesOf(check)));
    for (const member of members) narrow(check, member);
    const [verdict] = judgeReadings([check], readings, { later: scene.later ?? 0, members });
    return { verdict, it: verdict?.found.find((one: Problem) => scene.isIt(one)) };
  }

  async #mend(scene: CheckScene, it: Problem): Promise<void> {
    const { remedy } = scene;
    if (typeof remedy === 'function') {
      await remedy(it, this.room);
      return;
    }
    const judged = this.#judged(scene);
    const statements = statementsOf(it.remedy);
    expect(statements.length).toBeGreaterThan(0);
    for (const statement of statements) await judged.query(statement);
    if (remedy === 'restart') await this.#restart(judged);
  }
}
