// Two real API processes on one datastore, and what tests ask of them.
import { createPasswords } from '../identity/auth/passwords.ts';
import type { Db } from '../kernel/db.ts';
import { Secret } from '../kernel/secret.ts';
import { sql } from '../kernel/sql.ts';
import { makeUser } from './access/actors.ts';
import { CHEAP_COST, GOOD_PASSWORD } from './access/auth.ts';
import { type ApiProcess, newKeyFile, startApiProcess } from './api-process.ts';
import { type TestDatabase, testDatabase } from './servers/database.ts';

export interface TwoProcesses {
  test: TestDatabase;
  keyFile: string;
  first: ApiProcess;
  second: ApiProcess;
  stop(): Promise<void>;
}

export async function twoProcesses(): Promise<TwoProcesses> {
  const test = await testDatabase();
  const keyFile = newKeyFile();
  const two: TwoProcesses = {
    test,
    keyFile,
    first: await startApiProcess(test, keyFile),
    second: await startApiProcess(test, keyFile),
    stop: async () => {
      await Promise.all([two.first.child.kill('SIGKILL'), two.second.child.kill('SIGKILL')]);
      await test.close();
    },
  };
  return two;
}

interface RequestOptions {
  token?: string;
  body?: object;
}

export async function ask({ url }: ApiProcess, line: string, { token, body }: RequestOptions = {}) {
  const [method = 'GET', target = '/'] = line.split(' ');
  const response = await fetch(`${url}${target}`, {
    method,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const session = /session_token=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? '';
  return { status: response.status, text, session };
}

export const signIn = (where: ApiProcess, username: string, password: string) =>
  ask(where, 'POST /api/v1/auth/login', { body: { username, password } });
/** 200 where the token is good, 401 where it is not. */
export const known = async (where: ApiProcess, token: string) =>
  (await ask(where, 'GET /api/v1/capabilities', { token })).status;

/** Somebody who can sign in with GOOD_PASSWORD. */
export async function person(db: Db, options: { is_superuser?: boolean } = {}) {
  const made = await makeUser(db, options);
  const hash = await createPasswords({ cost: CHEAP_COST }).hash(new Secret(GOOD_PASSWORD));
  await db.run(sql`/* test.password */
    update matriarch.users set password_hash = ${hash} where id = ${made.user_id}`);
  return made;
}
