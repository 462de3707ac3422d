// Rules that judge the log, on real servers: trouble is made, a collector reads the log, the alert fires; an hour later it clears. A server
// that is well raises nothing.
import { describe, expect, it, onTestFinished } from 'vitest';
import { putOverride } from '../../estate/scopes/overrides.queries.ts';
import { sql } from '../../kernel/sql.ts';
import { HOUR_MS } from '../../kernel/units.ts';
import { type Collecting, collecting } from '../../testing/collecting.ts';
import { pollMoved } from '../../testing/collecting-tests.ts';
import { loggingServer, MON, READING, started } from '../../testing/logs/logging-server.ts';
import * as ofRules from '../../testing/scenes/of-rules.gen.ts';
import { testDatabase } from '../../testing/servers/database.ts';
import { LOGGED_SETTINGS, type LoggedScene } from '../../testing/servers/rule-scenes/logged.ts';
import { type Alerting, alerting } from '../../testing/store/alerting.ts';
import { looked } from '../../testing/store/logged.ts';
import { majorsOfKits } from '../../testing/tier.ts';
import { demandKnown } from '../alert-rules/known-rules.service.ts';

const DAYS_MS = 48 * HOUR_MS;
const LOG_RULES = Object.keys(ofRules.logged);
/** What has to last is played as if it were later, and so after the rest. */
const LOGGED_SCENES: readonly LoggedScene[] = Object.values<LoggedScene>(ofRules.loggedScene).toSorted(
  (a, b) => (a.lasts ?? 0) - (b.lasts ?? 0),
);

interface Watching {
  house: Alerting;
  herd: Collecting;
  id: number;
}

async function lower({ house, id }: Watching, { rules: [name], threshold }: LoggedScene): Promise<void> {
  if (name === undefined || threshold === undefined) return;
  const { operator, severity } = demandKnown(name).rule;
  const { id: rule_id } = await house.db.one<{ id: number }>(
    sql`/* test.rule */ select id from matriarch.alert_rules where name = ${name}`,
  );
  const values = { operator, threshold, severity, is_enabled: true };
  await putOverride(house.db, { kind: 'rule', scope: 'server', scope_id: id, subject: rule_id }, values);
}

async function openOn({ house, id }: Watching): Promise<string[]> {
  const own = (await house.alerts()).filter((one) => one.connection_id === id && one.status !== 'cleared');
  return own
    .map(({ raised_by }) => raised_by.slice('rule:'.length))
    .filter((name) => LOG_RULES.includes(name))
    .toSorted();
}

const judged = async (at: Watching) => {
  await at.house.round();
  return openOn(at);
};

async function play(at: Watching, scene: LoggedScene, server: Parameters<LoggedScene['make']>[0]) {
  await lower(at, scene);
  await scene.make(server);
  if (scene.lasts !== undefined) {
    const [name = ''] = scene.rules;
    const pending = () =>
      at.house.db.rows(
        sql`select from matriarch.pending_alerts p where p.connection_id = ${at.id} and p.raised_by = ${`rule:${name}`}`,
      );
    await pollMoved(at.herd, async () => {
      await at.house.round();
      return (await pending()).length;
    }).toBe(1);
    const later = Date.now() + scene.lasts * 1000;
    await looked(at.house.db, { connection_id: at.id, at: later });
    await at.house.round({ now: later + 1000 });
    expect(await openOn(at)).toContain(name);
    return;
  }
  await pollMoved(at.herd, () => judged(at)).toEqual(expect.arrayContaining([...scene.rules]));
}

async function watching(server: Parameters<LoggedScene['make']>[0]): Promise<Watching> {
  const database = await testDatabase();
  const house = await alerting({ hasTables: true, database });
  const herd = await collecting(database.url);
  onTestFinished(async () => {
    await herd.stop();
    await house.close();
  });
  const id = await herd.connect(server, MON);
  return { house, herd, id };
}

describe.each(majorsOfKits())('the log of PostgreSQL %i', (major) => {
  it('raises an alert of each trouble, and none of a server that is well', async () => {
    const server = await loggingServer(LOGGED_SETTINGS, major);
    const at = await watching(server);
    const collector = at.herd.start(READING);
    await started(at.herd, at.id);
    // As if it had been read for days, since what is usual takes one.
    await looked(at.house.db, { connection_id: at.id, at: Date.now(), since: Date.now() - DAYS_MS });
    expect(await judged(at)).toEqual([]);
    for (const scene of LOGGED_SCENES) await play(at, scene, server);
    expect(await openOn(at)).toEqual(LOG_RULES.toSorted());
    await collector.stop();
    for (const n of [1, 2]) {
      const later = Date.now() + 2 * HOUR_MS + n * 60_000;
      await looked(at.house.db, { connection_id: at.id, at: later });
      await at.house.round({ now: later + 1000 });
    }
    expect(await openOn(at)).toEqual([]);
  }, 300_000);
});
