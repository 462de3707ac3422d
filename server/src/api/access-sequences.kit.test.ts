// S12, S13: after any sequence of changes by anybody, the access function, its lists and HTTP say what the model says,
// and nobody has been given more than the giver had. Everyday the first few of them, in the proof
// more; ACCESS_SEQUENCES=1000 tries more than the usual number.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { levelOf } from '../identity/access/access.queries.ts';
import { type Access, createAccess } from '../identity/access/access.service.ts';
import { systemClock } from '../kernel/clock.ts';
import { silentLog } from '../kernel/log.ts';
import { sql } from '../kernel/sql.ts';
import { holds, levelOn } from '../testing/access/access-model.ts';
import { emptyScene, type Scene } from '../testing/access/access-scene.ts';
import { type Play, type Played, playOne, startPlay } from '../testing/access/access-sequences.ts';
import { PERMISSIONS } from '../testing/access/callers.ts';
import type { TestApi } from '../testing/api.ts';
import { startWholeApi } from '../testing/rooms/whole.ts';
import { isProof } from '../testing/tier.ts';

const SEQUENCES = Number(process.env.ACCESS_SEQUENCES ?? (isProof() ? 20 : 5));
const STEPS = 15;
const FIRST_SEED = 20_261_120;

let test: TestApi;
let scene: Scene;
let access: Access;
beforeAll(async () => {
  test = await startWholeApi();
  scene = emptyScene(test.db);
  access = createAccess({ db: test.db, clock: systemClock, log: silentLog, sharedAccess: 'read_write' });
});
afterAll(async () => {
  await access.stop();
  await test.close();
});

/** Levels by connection, as the lists find them, and permissions. */
async function compare(play: Play, seed: number): Promise<void> {
  for (const caller of play.callers) {
    const why = `seed ${seed}, ${caller.name}\n${play.told.join('\n')}`;
    const { principal } = (await access.authenticate(caller.token)) ?? expect.fail(why);
    const rows = await test.db.rows<{ id: number; level: number }>(sql`/* test.levels */
      select c.id, ${levelOf(principal)} as level from matriarch.connections c
      where c.id = any(${play.connections}::int[]) order by c.id`);
    const expected = play.connections.map((id) => ({ id, level: levelOn(scene.world, caller, id) }));
    expect(rows, why).toEqual(expected);
    const may = PERMISSIONS.filter((name) =>
      principal.admin_permissions.some((held) => held === '*' || held === name),
    );
    expect(may, why).toEqual(PERMISSIONS.filter((name) => holds(scene.world, caller, name)));
  }
}

/** The same over HTTP: lists, single reads, and a write that changes nothing. */
async function compareHttp(play: Play, seed: number): Promise<void> {
  for (const caller of play.callers) {
    const { token } = caller;
    const why = `seed ${seed}, ${caller.name}\n${play.told.join('\n')}`;
    const listed = await test.call('GET /api/v1/connections', { token });
    const ids: unknown[] = Array.isArray(listed.body) ? listed.body.map((one: { id: number }) => one.id) : [];
    for (const id of play.connections) {
      const level = levelOn(scene.world, caller, id);
      expect(ids.includes(id), why).toBe(level > 0);
      const isGone = scene.world.connections.get(id)?.deleted === true;
      const refused = isGone ? 404 : 403;
      const read = await test.call(`GET /api/v1/connections/${id}`, { token });
      expect(read.status, why).toBe(level > 0 ? 200 : refused);
      const manages =
        (level === 2 && scene.world.connections.get(id)?.owner_id === caller.user_id) ||
        (level > 0 && holds(scene.world, caller, 'manage_connections'));
      const written = await test.call(`PUT /api/v1/connections/${id}`, { token, body: {} });
      expect(written.status, why).toBe(manages ? 200 : refused);
    }
  }
}

it('S13 any sequence of changes leaves what the model says, and gives nothing away', async () => {
  const outcomes = new Map<string, number>();
  const note = ({ status, by_superuser }: Played) => {
    const key = `${by_superuser ? 'superuser' : 'others'} ${status}`;
    outcomes.set(key, (outcomes.get(key) ?? 0) + 1);
  };
  for (let n = 0; n < SEQUENCES; n += 1) {
    const seed = FIRST_SEED + n;
    const undo = await scene.mark();
    const play = await startPlay(scene, test.call, seed);
    for (let step = 0; step < STEPS; step += 1) {
      const played = await playOne(play);
      if (!played) continue;
      note(played);
      expect(played.given_away, `seed ${seed}\n${play.told.join('\n')}`).toEqual([]);
      expect(played.status, play.told.join('\n')).toBeLessThan(500);
      await compare(play, seed);
    }
    await compareHttp(play, seed);
    await undo();
  }
  const done = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  process.stdout.write(
    `${SEQUENCES} sequences, ${done} changes: ${JSON.stringify(Object.fromEntries([...outcomes].sort()))}\n`,
  );
  // Both kinds of actor must have both succeeded and been refused, or nothing was proven.
  const have = (pattern: RegExp) => [...outcomes.keys()].some((key) => pattern.test(key));
  for (const pattern of [/^superuser 20\d$/, /^others 20\d$/, /^others 403$/])
    expect(have(pattern), String(pattern)).toBe(true);
  if (isProof()) expect(have(/^superuser 204$/)).toBe(true);
}, 600_000);
