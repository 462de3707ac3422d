// The role by which assistants read the datastore's own tables, through the views of the schema matriarch_query alone. Guards: it signs in
// by itself, so that there is no role to go back to; it is measured before it is used; where it cannot be made it is said how.
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import type pg from 'pg';
import { errorCode } from '../kernel/errors.ts';
import type { Secret } from '../kernel/secret.ts';
import { withSession } from '../kernel/session.ts';

const SCHEMA = 'matriarch_query';
const MOST_SESSIONS = 20;
/** Arbitrary, but the same in every version: whoever makes the role holds this advisory lock. */
const LOCK_KEY = 7_264_941;
const ITERATIONS = 4096;
const INSUFFICIENT_PRIVILEGE = '42501';

export interface QueryRoleOptions {
  /** Of the datastore, by the user that owns it. */
  url: Secret;
  /** Makes a secret that all processes of the datastore can make, and nobody else. */
  vault: { derive(purpose: string): Secret };
}

export type QueryRole =
  | { kind: 'ready'; username: string; password: Secret }
  /** A sentence with the command that mends it. */
  | { kind: 'missing'; reason: string };

/** As the server stores it, so that no statement carries the password. */
function verifierOf(password: Secret): string {
  const text = password.reveal();
  const salt = createHash('sha256').update(`salt of ${text}`).digest().subarray(0, 16);
  const salted = pbkdf2Sync(text, salt, ITERATIONS, 32, 'sha256');
  const hmac = (key: Buffer, what: string) => createHmac('sha256', key).update(what).digest();
  const stored = createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64');
  const server = hmac(salted, 'Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${stored}:${server}`;
}

interface State {
  name: string;
  own_name: string;
  may_create: boolean;
  exists: boolean;
  /** It can do no more than it is for. */
  is_narrow: boolean;
  is_set: boolean;
}

/** $1: the secret's verifier where it can be compared, which takes a superuser; others sign in and see. */
const STATE = `/* datastore.query_role */
select
  r.name,
  current_user::text as own_name,
  (select u.rolsuper or u.rolcreaterole from pg_catalog.pg_roles u where u.rolname = current_user) as may_create,
  q.oid is not null as exists,
  coalesce(
    q.rolcanlogin and not (q.rolsuper or q.rolcreaterole or q.rolcreatedb or q.rolreplication or q.rolbypassrls)
      and not exists (select from pg_catalog.pg_auth_members m where m.member = q.oid)
      and not exists (
        select from pg_catalog.pg_shdepend d
        where d.refclassid = 'pg_catalog.pg_authid'::pg_catalog.regclass and d.refobjid = q.oid and d.deptype = 'o'
      )
      and not pg_catalog.has_schema_privilege(q.oid, 'matriarch', 'usage')
      and not pg_catalog.has_schema_privilege(q.oid, 'metrics', 'usage'),
    false
  ) as is_narrow,
  coalesce('search_path=${SCHEMA}' = any (q.rolconfig), false) as is_set
from (
  select '${SCHEMA}_' || d.oid as name
  from pg_catalog.pg_database d
  where d.datname = pg_catalog.current_database()
) r
left join pg_catalog.pg_roles q on q.rolname = r.name`;

async function stateOf(client: pg.Client): Promise<State> {
  const { rows } = await client.query<State>(STATE);
  const [row] = rows;
  if (!row || !/^matriarch_query_\d+$/.test(row.name))
    throw new Error('the datastore did not say which database it is');
  return row;
}

const ATTRIBUTES = `login nosuperuser nocreatedb nocreaterole noinherit noreplication nobypassrls connection limit ${MOST_SESSIONS}`;

const makeIt = (name: string, verifier: string) => [
  `create role ${name} ${ATTRIBUTES} password '${verifier}'`,
  ...setIt(name),
];
const setIt = (name: string) => [
  `alter role ${name} set search_path = ${SCHEMA}`,
  `alter role ${name} set default_transaction_read_only = on`,
];
const commandOf = (statements: readonly string[]) => `${statements.join('; ')};`;

const missing = (sentence: string, statements: readonly string[]): QueryRole => ({
  kind: 'missing',
  reason: `${sentence} A superuser of the datastore can fix it: ${commandOf(statements)}`,
});

async function run(client: pg.Client, statements: readonly string[]): Promise<boolean> {
  try {
    for (const statement of statements) await client.query(`/* datastore.query_role */ ${statement}`);
    return true;
  } catch (error) {
    if (errorCode(error) === INSUFFICIENT_PRIVILEGE) return false;
    throw error;
  }
}

async function prepare(client: pg.Client, password: Secret, isWrong: boolean): Promise<QueryRole> {
  const verifier = verifierOf(password);
  let state = await stateOf(client);
  const { name, own_name } = state;
  if (!state.exists) {
    if (state.may_create) await run(client, makeIt(name, verifier));
    state = await stateOf(client);
  }
  if (!state.exists)
    return missing(
      `Reading the datastore takes a role of its own, and ${own_name} may not create roles.`,
      makeIt(name, verifier),
    );
  const change = [`alter role ${name} password '${verifier}'`];
  if (isWrong && !(await run(client, change)))
    return missing(`The role ${name} has another password than this program's key file says.`, change);
  if (!state.is_set && !(await run(client, setIt(name))))
    return missing(`The role ${name} has not the settings that it needs.`, setIt(name));
  const narrow = [`drop owned by ${name}`, `drop role ${name}`, ...makeIt(name, verifier)];
  if (!state.is_narrow) return missing(`The role ${name} may do more than it should.`, narrow);
  await client.query(`/* datastore.query_role */ grant usage on schema ${SCHEMA} to ${name}`);
  await client.query(`/* datastore.query_role */ grant select on all tables in schema ${SCHEMA} to ${name}`);
  return { kind: 'ready', username: name, password };
}

export interface QueryRoleMaker {
  url: Secret;
  /** Makes the role where it is missing, and says who to sign in as. `isWrong`: its password was refused. */
  role(isWrong?: boolean): Promise<QueryRole>;
}

export const queryRole = ({ url, vault }: QueryRoleOptions): QueryRoleMaker => ({
  url,
  role: (isWrong = false) =>
    withSession({ url, applicationName: 'matriarch query role' }, async (client) => {
      await client.query(`/* datastore.query_role_lock */ select pg_advisory_lock(${LOCK_KEY})`);
      const { name } = await stateOf(client);
      return prepare(client, vault.derive(`password of ${name}`), isWrong);
    }),
});
