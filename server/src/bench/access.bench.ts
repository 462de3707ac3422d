// The access function at 1,000 connections × 200 users × 50 groups, nested five deep: who is calling and what they may
// do with one connection, the list of all they may see, and the check of a hundred ids, beside a bare `select 1` on
// the same pool. Prints figures, judges nothing.
// Run: npm run bench -- access
import { migrate } from '../datastore/migrate.ts';
import { countReadable, visible } from '../identity/access/access.queries.ts';
import { type Access, createAccess } from '../identity/access/access.service.ts';
import type { Principal } from '../identity/access/principal.ts';
import { systemClock } from '../kernel/clock.ts';
import { Database } from '../kernel/db.ts';
import { silentLog } from '../kernel/log.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { type Actor, makeConnection, makeUser } from '../testing/access/actors.ts';
import { makeGroup } from '../testing/access/groups.ts';
import { startIn } from '../testing/servers/cluster.ts';
import { makeRunDirectory, removeRunDirectory } from '../testing/servers/run-directory.ts';
import { print } from './print.ts';

const CONNECTIONS = 1000;
const USERS = 200;
const GROUPS = 50;
const DEPTH = 5;
const GRANTS_A_GROUP = 100;
const ROUNDS = 4000;

async function measure(name: string, rounds: number, once: (round: number) => Promise<unknown>) {
  const times: number[] = [];
  for (let round = -50; round < rounds; round += 1) {
    const began = systemClock.monotonic();
    await once(Math.abs(round));
    if (round >= 0) times.push(systemClock.monotonic() - began);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(2).padStart(7);
  print(`  ${name.padEnd(44)} p50 ${at(0.5)} ms  p99 ${at(0.99)} ms`);
}

interface People {
  users: Actor[];
  connections: number[];
}

/** Ten chains of five groups; each user is at the bottom of three of them and so in fifteen groups. */
async function populate(db: Database): Promise<People> {
  const owner = await makeUser(db);
  const users: Actor[] = [];
  for (let n = 0; n < USERS; n += 1) users.push(await makeUser(db));
  const connections: number[] = [];
  for (let n = 0; n < CONNECTIONS; n += 1)
    connections.push(
      await makeConnection(db, {
        owner_id: users[n % 20]?.user_id ?? owner.user_id,
        is_shared: n % 50 === 0,
      }),
    );
  const chains = GROUPS / DEPTH;
  const below = new Map<number, number>();
  for (let n = 0; n < GROUPS; n += 1) {
    const chain = n % chains;
    const granted = Array.from({ length: GRANTS_A_GROUP }, (_none, k) => [
      connections[(n * 37 + k * 7) % CONNECTIONS] ?? 0,
      k % 2 === 0 ? 'read' : 'read_write',
    ]);
    const member = below.get(chain);
    const bottom = users.filter((_user, index) =>
      [0, 1, 2].some((step) => (index + step) % chains === chain),
    );
    below.set(
      chain,
      await makeGroup(db, {
        ...(member === undefined ? { users: bottom.map(({ user_id }) => user_id) } : { groups: [member] }),
        connections: Object.fromEntries(granted),
        permissions: ['manage_blackouts'],
        mcp: ['query_database', 'count_rows'],
      }),
    );
  }
  await db.run(sql`/* bench.analyze */ analyze`);
  return { users, connections };
}

async function principalOf(access: Access, user: Actor | undefined): Promise<Principal> {
  const caller = await access.authenticate(user?.session ?? '');
  if (!caller) throw new Error('a session of the bench was not found');
  return caller.principal;
}

async function run(db: Database): Promise<void> {
  const { users, connections } = await populate(db);
  const access = createAccess({ db, clock: systemClock, log: silentLog, sharedAccess: 'read' });
  const principal = await principalOf(access, users[150]);
  const list = () =>
    db.rows(sql`/* bench.visible */
      select c.id, c.name from matriarch.connections c where ${visible(principal)} order by c.name, c.id`);
  const seen = await list();
  print(`${CONNECTIONS} connections, ${USERS} users, ${GROUPS} groups; the caller sees ${seen.length}`);
  const user = (round: number) => users[round % USERS]?.session ?? '';
  for (const _round of [1, 2]) {
    await measure('select 1', ROUNDS, () => db.rows(sql`/* bench.bare */ select 1`));
    await measure('who, and what with one connection', ROUNDS, (round) =>
      access.authenticate(user(round), connections[(round * 13) % CONNECTIONS]),
    );
    await measure('all visible connections', ROUNDS / 10, list);
    const hundred = connections.slice(0, 100);
    await measure('a hundred ids', ROUNDS / 10, () => countReadable(db, principal, hundred));
  }
  await access.stop();
}

const runDirectory = makeRunDirectory();
try {
  const cluster = await startIn(runDirectory, { major: 18, settings: { shared_buffers: '128MB' } });
  const url = new Secret(cluster.url);
  await migrate(url, silentLog);
  const db = new Database({ url, log: silentLog, applicationName: 'bench' });
  await run(db);
  await db.stop();
  await cluster.stop();
} finally {
  removeRunDirectory(runDirectory);
}
