// The real API on a database of its own, called without a socket, with people of every kind to call as. It serves the rooms that a
// test names, and loads no others, so that a change in one room concerns few tests; all of them: rooms/whole.ts.

import { readFileSync } from 'node:fs';
import type { ApiConfig } from '../api/config.ts';
import { type Api, createApi } from '../api/server.ts';
import { allConstraints } from '../app/routes.ts';
import { createRefusals, type Refusals } from '../identity/audit/refusals.service.ts';
import type { ProviderTokens } from '../identity/oidc/provider-tokens.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Db } from '../kernel/db.ts';
import { type Log, silentLog } from '../kernel/log.ts';
import { type Actor, makeConnection, makeUser } from './access/actors.ts';
import { type TestParts, type TestRoom, testParts } from './rooms/parts.ts';
import { type TestDatabase, testDatabase } from './servers/database.ts';
import { type CountedDb, countedDb } from './store/counted-db.ts';

export interface CallOptions {
  /** Sent as Bearer token. */
  token?: string;
  /** Sent as session cookie. */
  cookie?: string;
  headers?: Record<string, string>;
  /** An object is sent as JSON, a text as it is with the type of `headers`. */
  body?: unknown;
}

export interface Answer {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string | undefined>;
  text: string;
  /** Parsed where it is JSON, else undefined. */
  body: unknown;
  /** The sentence of an error, else undefined. */
  error: string | undefined;
}

/** People that every test of access needs. `other` has been granted nothing. */
export interface Actors {
  superuser: Actor;
  owner: Actor;
  other: Actor;
  /** `owner`'s connection, private. */
  own_connection: number;
  /** `owner`'s connection, shared. */
  shared_connection: number;
}

export interface TestApi {
  api: Api;
  database: TestDatabase;
  db: TestDatabase['db'];
  /** What its rooms share: `connectionsOf(api.parts)`. */
  parts: TestParts;
  actors: Actors;
  /** What the API sent to the datastore: `statements.reset()`, call, look at `statements.sent`. */
  statements: CountedDb;
  /** Refusals that the API has answered; `flush()` writes them. */
  refusals: Refusals;
  /** `call('GET /api/v1/connections', { token: actors.owner.session })` */
  call(request: string, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
}

export interface TestApiOptions {
  /** What it serves. */
  rooms: readonly TestRoom[];
  config?: Partial<ApiConfig>;
  clock?: Clock;
  log?: Log;
  /** In place of a fresh one, such as one on a server of the test's own; closed with the API. */
  database?: TestDatabase;
  /** Another datastore for the API than the fresh database, such as one that is away. */
  db?: Db;
  /** Where the secret key lies, for a test that has others open what is stored; one of its own when absent. */
  directory?: string;
  /** What opens /mcp/v1 with tokens of a provider; asked when the rooms are made. */
  providerTokens?: () => ProviderTokens | undefined;
  /** What notes refusals, in place of the usual. */
  refusals?: (db: Db) => Refusals;
}

const CONFIG: ApiConfig = {
  host: '127.0.0.1',
  port: 0,
  trustedProxies: [],
  allowedOrigins: [],
  webRoot: undefined,
  logRequests: true,
  requestTimeoutMs: 60_000,
  bodyLimitBytes: 1024 * 1024,
  sharedAccess: 'read_write',
};

function headersOf({ token, cookie, headers, body }: CallOptions): Record<string, string> {
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(cookie !== undefined && { cookie: `session_token=${cookie}` }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** All of a reply; of a stream of events what comes first, after which the client leaves. */
async function textOf(response: Awaited<ReturnType<Api['inject']>>): Promise<string> {
  const isStream = String(response.headers['content-type']).startsWith('text/event-stream');
  const chunks: Buffer[] = [];
  for await (const chunk of response.stream()) {
    chunks.push(Buffer.from(chunk));
    if (isStream) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Calls an API without a socket. */
export async function callApi(api: Api, request: string, options: CallOptions = {}): Promise<Answer> {
  const [name, url = '/'] = request.split(' ');
  const method = METHODS.find((one) => one === name);
  if (!method) throw new Error(`a request starts with its method: ${request}`);
  const { body } = options;
  const payload = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await api.inject({
    method,
    url,
    headers: headersOf(options),
    ...(payload !== undefined && { payload }),
    payloadAsStream: true,
  });
  const text = await textOf(response);
  const answer = readJson(text);
  const error =
    typeof answer === 'object' && answer !== null && 'error' in answer ? String(answer.error) : undefined;
  return {
    status: response.statusCode,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([key, value]) => [
        key,
        value === undefined ? undefined : String(value),
      ]),
    ),
    text,
    body: answer,
    error,
  };
}

/** All paths of the API, from the golden: to load the contracts would make every test depend on all of them. */
const pathsOfApi = (): string[] =>
  Object.keys(JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')).paths);

/** A room that a test forgot would answer 404 to everything, which may be just what the test expects. */
function demandRoom(request: string, served: readonly string[]): void {
  const [, url = ''] = request.split(' ');
  const [path = ''] = url.split('?');
  const matches = (template: string) => new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path);
  const found = pathsOfApi().filter(matches);
  if (found.length > 0 && !found.some((template) => served.includes(template)))
    throw new Error(`The rooms of this test do not serve ${path}: add the one that does to \`rooms\`.`);
}

async function makeActors({ db }: TestDatabase): Promise<Actors> {
  const superuser = await makeUser(db, { is_superuser: true });
  const owner = await makeUser(db);
  const other = await makeUser(db);
  const own_connection = await makeConnection(db, { owner_id: owner.user_id });
  const shared_connection = await makeConnection(db, { owner_id: owner.user_id, is_shared: true });
  return { superuser, owner, other, own_connection, shared_connection };
}

/** These rooms on a fresh database; close() leaves nothing behind. */
export async function startTestApi(options: TestApiOptions): Promise<TestApi> {
  const { clock = systemClock, log = silentLog } = options;
  const database = options.database ?? (await testDatabase());
  const statements = countedDb(options.db ?? database.db);
  const { directory } = options;
  const parts = testParts({
    ...{ db: database.db, url: database.url, clock, log },
    ...(directory !== undefined && { directory }),
  });
  const routes = await Promise.all(options.rooms.map((room) => room(parts)));
  const served = routes.flat().map(({ operation }) => operation.path);
  const refusals = options.refusals?.(database.db) ?? createRefusals({ db: database.db, clock, log });
  const api = await createApi({
    db: statements,
    routes: routes.flat(),
    constraints: allConstraints,
    log,
    clock,
    config: { ...CONFIG, ...options.config },
    refusals,
    providerTokens: options.providerTokens?.(),
  });
  return {
    api,
    database,
    db: database.db,
    parts,
    statements,
    refusals,
    actors: await makeActors(database),
    call: async (request, call) => {
      const answer = await callApi(api, request, call);
      if (answer.status === 404) demandRoom(request, served);
      return answer;
    },
    close: async () => {
      await api.stop();
      await parts.close();
      await database.close();
    },
  };
}
