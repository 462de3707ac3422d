// Random sequences of changes of rights over HTTP, by superusers and by delegates, told to the model of access as they
// succeed. Guards S13: whatever somebody who is no superuser brings about, nobody holds more than that one did.

import {
  addMember,
  grantConnection,
  grantPermission,
  grantScope,
  moveCluster,
  moveServer,
  removeMember,
  revokeConnection,
  revokePermission,
  revokeScope,
  setConnections,
} from './access-grants.ts';
import { actsAsSuperuser, holds, levelOn } from './access-model.ts';
import {
  clearScope,
  createToken,
  deleteConnection,
  deleteGroup,
  deleteToken,
  deleteUser,
  setScope,
  share,
} from './access-objects.ts';
import { type Call, DELEGATED, type Make, type Play, pick, type Signed } from './access-play.ts';
import type { Scene } from './access-scene.ts';
import { PERMISSIONS } from './callers.ts';

export type { Play } from './access-play.ts';

/** The same numbers for the same seed. */
function drawFrom(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

export async function startPlay(scene: Scene, call: Call, seed: number): Promise<Play> {
  const play: Play = {
    scene,
    call,
    draw: drawFrom(seed),
    callers: [],
    groups: [],
    connections: [],
    clusters: [],
    cluster_groups: [],
    told: [],
  };
  const sign = async (name: string, is_superuser = false) => {
    const { user_id, username, session } = await scene.user({ is_superuser });
    play.callers.push({ name, username, user_id, via: 'session', token: session });
    return user_id;
  };
  await sign('superuser', true);
  for (let n = 0; n < 3; n += 1) {
    const { owner, target, cluster, cluster_group } = await scene.surroundings({ is_shared: n === 2 });
    play.clusters.push(cluster);
    play.cluster_groups.push(cluster_group);
    play.callers.push({
      name: `owner ${n}`,
      username: owner.username,
      user_id: owner.user_id,
      via: 'session',
      token: owner.session,
    });
    play.connections.push(target);
  }
  const delegates = [await sign('delegate 0'), await sign('delegate 1')];
  const [first = 0, second = 0, third = 0] = play.connections;
  const some = [first, second, third, 0];
  for (const user of delegates)
    play.groups.push(
      await scene.group({
        users: [user],
        permissions: DELEGATED.filter(() => play.draw(5) > 0),
        connections: { [pick(play, some)]: pick(play, ['read', 'read_write']) },
      }),
    );
  for (let n = 0; n < 3; n += 1) play.groups.push(await scene.group({}));
  return play;
}

/** Each as often as it is listed. */
const CHANGES: readonly Make[] = [
  addMember,
  addMember,
  addMember,
  removeMember,
  grantConnection,
  grantConnection,
  setConnections,
  revokeConnection,
  grantScope,
  grantScope,
  revokeScope,
  moveServer,
  moveCluster,
  grantPermission,
  revokePermission,
  createToken,
  createToken,
  setScope,
  setScope,
  clearScope,
  deleteToken,
  share,
  deleteConnection,
  deleteGroup,
  deleteUser,
];

type Held = Map<string, number>;

/** Everything that everybody holds. */
function heldBy({ scene: { world }, callers, connections }: Play): Held {
  const held: Held = new Map();
  for (const caller of callers) {
    for (const id of connections) held.set(`${caller.token} level ${id}`, levelOn(world, caller, id));
    for (const name of PERMISSIONS)
      held.set(`${caller.token} may ${name}`, Number(holds(world, caller, name)));
  }
  return held;
}

/** What somebody holds now that the actor did not hold before; empty when nobody gave more than they had. */
function givenAway(play: Play, actor: Signed, { before, after }: { before: Held; after: Held }): string[] {
  const own = (what: string) => before.get(`${actor.token} ${what}`) ?? 0;
  return [...after].flatMap(([key, now]) => {
    const what = key.slice(key.indexOf(' ') + 1);
    // A new token is no new right of its owner; it is one of whoever asked for it.
    return now > (before.get(key) ?? 0) && now > own(what) ? [`${play.told.at(-1)}: ${what}`] : [];
  });
}

export interface Played {
  status: number;
  by_superuser: boolean;
  given_away: string[];
}

/** One change by one caller; undefined where there was nothing to change. */
export async function playOne(play: Play): Promise<Played | undefined> {
  // Delegates are the ones who may do some things and not others.
  const delegates = play.callers.filter(({ name }) => name.includes('delegate'));
  const actor = pick(play, play.draw(2) === 0 && delegates.length > 0 ? delegates : play.callers);
  const change = pick(play, CHANGES)(play, actor);
  if (!change) return undefined;
  const before = heldBy(play);
  const by_superuser = actsAsSuperuser(play.scene.world, actor);
  const { line, body } = change;
  const answer = await play.call(line, { token: actor.token, ...(body && { body }) });
  play.told.push(
    `${actor.name}: ${line} ${JSON.stringify(body ?? null)} → ${answer.status} ${answer.text.slice(0, 120)}`,
  );
  if (answer.status < 300) change.apply(play.scene.world, answer.body);
  const given_away =
    by_superuser || change.shares ? [] : givenAway(play, actor, { before, after: heldBy(play) });
  return { status: answer.status, by_superuser, given_away };
}
