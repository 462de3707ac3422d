// People and tokens for tests, made directly in the tables, so that a test of access does not lean on the code that
// signs people in.
import { createHash, randomBytes } from 'node:crypto';
import type { TokenScope } from '../../identity/access/principal.ts';
import type { Db } from '../../kernel/db.ts';
import { sql } from '../../kernel/sql.ts';

export interface Actor {
  user_id: number;
  username: string;
  /** A valid session of 24 hours. */
  session: string;
}

const hash = (token: string) => createHash('sha256').update(token).digest();
const random = () => randomBytes(32).toString('base64url');

export interface ActorOptions {
  is_superuser?: boolean;
  enabled?: boolean;
}

let made = 0;

export async function makeUser(db: Db, options: ActorOptions = {}): Promise<Actor> {
  made += 1;
  const username = `person-${made}-${randomBytes(3).toString('hex')}`;
  const { id } = await db.one<{ id: number }>(sql`/* test.user */
    insert into matriarch.users (username, is_superuser, enabled)
    values (${username}, ${options.is_superuser ?? false}, ${options.enabled ?? true})
    returning id`);
  return { user_id: id, username, session: await makeSession(db, id) };
}

/** `lifetimeSeconds` may be negative: a session that has expired. */
export async function makeSession(db: Db, userId: number, lifetimeSeconds = 86_400): Promise<string> {
  const token = random();
  await db.run(sql`/* test.session */
    insert into matriarch.sessions (token_hash, user_id, expires_at)
    values (${hash(token)}, ${userId}, now() + ${lifetimeSeconds}::int * interval '1 second')`);
  return token;
}

export interface TokenOptions {
  scope?: TokenScope;
  /** Unlimited when absent; negative for an expired one. */
  lifetimeSeconds?: number;
}

export async function makeToken(db: Db, userId: number, options: TokenOptions = {}): Promise<string> {
  const token = `mat_${random()}`;
  const scope = options.scope === undefined ? null : JSON.stringify(options.scope);
  await db.run(sql`/* test.token */
    insert into matriarch.api_tokens (name, token_hash, user_id, scope, expires_at)
    values ('test', ${hash(token)}, ${userId}, ${scope}::jsonb,
      now() + ${options.lifetimeSeconds ?? null}::int * interval '1 second')`);
  return token;
}

export async function revokeToken(db: Db, token: string): Promise<void> {
  await db.run(sql`/* test.revoke */ delete from matriarch.api_tokens where token_hash = ${hash(token)}`);
}

export interface ConnectionOptions {
  owner_id: number;
  name?: string;
  is_shared?: boolean;
  is_monitored?: boolean;
  deleted?: boolean;
}

/** A connection to a server that does not exist. */
export async function makeConnection(db: Db, options: ConnectionOptions): Promise<number> {
  const name = options.name ?? `server-${randomBytes(4).toString('hex')}`;
  const { id } = await db.one<{ id: number }>(sql`/* test.connection */
    insert into matriarch.connections
      (owner_id, name, host, port, database_name, username, is_shared, is_monitored, deleted_at)
    values (${options.owner_id}, ${name}, '127.0.0.1', 9, 'postgres', 'nobody', ${options.is_shared ?? false},
      ${options.is_monitored ?? false}, ${options.deleted ? new Date(0).toISOString() : null}::timestamptz)
    returning id`);
  return id;
}
