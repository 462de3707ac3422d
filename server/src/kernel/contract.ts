// What an operation is: pure data. The gate reads its access, the validator its schemas, the serialiser its reply,
// OpenAPI and access.md print it, the web calls by it. Nothing about an operation is written anywhere else.
import type { Static, TSchema } from 'typebox';
import { id, object, type Schema, text } from './schema.ts';

/** The cookie that carries a session's token. */
export const SESSION_COOKIE = 'session_token';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];
export type Need = 'read' | 'read_write' | 'manage';

/**
 * Who may call an operation.
 * - `public`: anybody. `signed-in`: any valid session or token. `session`: a session, no API tokens.
 * - `connection`: the parameter that names it (`id`, or `body.connection_id`) and the level needed on it.
 *   `unknown: 'forbidden'` hides unknown ids behind 403; the default answers 404.
 * - `connections`: query names with one id or a list of them; all must be reachable, and unknown ones answer 403 too.
 * - `object`: something else that a parameter names; its service answers 404 where the caller cannot see it, and 403
 *   where it is seen but `need` is not met.
 *   `whole`: it acts on every server of what is named, so all of them must be visible; on the whole estate where that is named.
 * - `permission`: an admin permission, asked before the body is read. `estate`: it acts on every server, so the caller must see all
 *   of them, with no token that is limited to some; `where named` asks so only for what is of the estate, in its service. `superuser`: all of them. `any`: one of several,
 *   where `self` names the parameter that holds the caller's own id.
 * - `visible`: signed in, the answer is cut to what the caller may see.
 * - `tool`: signed in; the member of the body that names an MCP tool. Whether the caller may use it is said in the reply.
 * - `signed`: another program, which proves itself by a signature over the body, in the header of that name; its service
 *   checks it, with a secret of what the path names. Sessions and tokens count for nothing.
 */
export type Access =
  | 'public'
  | 'signed-in'
  | 'session'
  | { connection: string; need: Need; unknown?: 'forbidden'; permission?: string }
  | { connections: readonly string[]; need: 'read' }
  | {
      object: string;
      need?: Need;
      permission?: string;
      /** The object is reached with a session only. */
      session?: true;
      whole?: true;
      /** A second thing that is named: `body.connection_id`, with `need` on it. */
      connection?: string;
    }
  | { permission: string; estate?: true | 'where named' }
  | { superuser: true }
  | { any: readonly Either[] }
  | { visible: string }
  | { tool: string }
  | { signed: string };

/** One of the ways in of `any`. */
export type Either = { permission: string } | { self: string };

export interface Success<R extends TSchema | undefined = TSchema | undefined> {
  status: 200 | 201 | 204;
  schema: R;
  description?: string;
  example?: unknown;
  /** Names of reply headers beyond the common ones, with their description. */
  headers?: Record<string, string>;
  /** The reply is a stream of server-sent events, whose data `schema` describes. */
  stream?: StreamKind;
  /** The reply is text of this media type, and no JSON; `schema` is a text. */
  media?: string;
}

export interface OtherReply {
  status: 202 | 400 | 404;
  description: string;
  schema?: Schema;
}

export interface StreamKind {
  /** A comment is sent after so many seconds without an event, so that nobody between takes the stream for dead. */
  keepalive_seconds: number;
}

export interface Operation<
  P extends TSchema | undefined = TSchema | undefined,
  Q extends TSchema | undefined = TSchema | undefined,
  B extends TSchema | undefined = TSchema | undefined,
  R extends TSchema | undefined = TSchema | undefined,
> {
  id: string;
  /** With `{name}` for parameters, as in OpenAPI. */
  route: `${Method} /${string}`;
  /** The two parts of the route. */
  method: Method;
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  params: P;
  query: Q;
  body: B;
  /**
   * In place of `body`: handed on as it came, unread, because a signature is over these bytes, or because what is wrong with
   * it is answered in the words of another protocol. `limitBytes` lowers the usual limit; `isJson` insists on the content type,
   * `media` on one of several.
   */
  rawBody?: { schema: Schema; limitBytes?: number; isJson?: true; media?: readonly string[] };
  /** Replies besides the success and the errors, such as 202 without a body; their body is written by the service. */
  others?: readonly OtherReply[];
  success: Success<R>;
  /** Statuses beyond those that follow from access, parameters and body. */
  faults?: readonly (400 | 401 | 403 | 404 | 409 | 501 | 502 | 503 | 504)[];
  /** Another status whose body is not the error object, e.g. a degraded health report. */
  alternative?: { status: 503; schema: Schema; description: string; example: unknown };
  /** True where a datastore that is away is reported as 500 instead of 503. */
  datastoreFaultIs500?: true;
  /** False where the operation reads no datastore, so that 503 cannot happen. */
  usesDatastore?: false;
  /** Largest body, where it is more than the setting `api.body_limit_bytes`: whole conversations take 5 MiB. */
  bodyLimitBytes?: number;
  /** Longest time for an answer, where it is more than the setting `api.request_timeout_seconds`: a model takes minutes. */
  timeLimitSeconds?: number;
  /** Opens a session: whoever is turned away has failed to sign in, and the audit log says so. */
  signsIn?: true;
  /** Stays open to who has to set up a second factor first. */
  beforeSecondFactor?: true;
  /** Public and the same for everybody: a presented token is not looked up. */
  ignoresCaller?: true;
  /** Access tokens of a sign-in provider open it too, where the settings say so. */
  takesProviderTokens?: true;
  /** The reply carries a new secret: it is never compressed, for its length would then tell of its content. */
  isSecret?: true;
  /** Asked again and again: the reply has an ETag, and who sends it back as If-None-Match is answered 304 while it is the same. */
  hasETag?: true;
  /** Whether it changes nothing, so that what it reads is given up when its client leaves; absent: as every GET does. */
  reads?: boolean;
  /** May be called without a body, which then counts as an empty object. */
  bodyOptional?: true;
  bodyExample?: unknown;
  paramsExample?: Record<string, unknown>;
  notes?: readonly string[];
  /** Ours, beyond the 133 operations of the specification. */
  extra?: true;
}

type OfRoom<P, Q, B, R> = Omit<
  Operation,
  'method' | 'path' | 'tag' | 'params' | 'query' | 'body' | 'success'
> & {
  params?: P;
  query?: Q;
  body?: B;
  success: Omit<Success, 'schema'> & { schema?: R };
};
type OperationInput<P, Q, B, R> = OfRoom<P, Q, B, R> & { tag: string };

function partsOf(route: Operation['route']): { method: Method; path: string } {
  const at = route.indexOf(' ');
  const method = METHODS.find((one) => one === route.slice(0, at));
  if (!method) throw new Error(`${route} has no method.`);
  return { method, path: route.slice(at + 1) };
}

/**
 * Declares an operation.
 * @example
 * export const getHealth = operation({ id: 'getHealth', route: 'GET /health', tag: 'utilities',
 *   summary: 'Server health', access: 'public', success: { status: 200, schema: HealthResponse, example: … } });
 */
export function operation<
  P extends TSchema | undefined = undefined,
  Q extends TSchema | undefined = undefined,
  B extends TSchema | undefined = undefined,
  R extends TSchema | undefined = undefined,
>(input: OperationInput<P, Q, B, R>): Operation<P, Q, B, R> {
  const { params, query, body, success, ...rest } = input;
  const { method, path } = partsOf(input.route);
  return {
    ...rest,
    method,
    path,
    params: params as P,
    query: query as Q,
    body: body as B,
    success: { ...success, schema: success.schema as R },
  };
}

/**
 * Declares the operations of a room that are alike in this.
 * @example
 * const operation = operationsOf({ tag: 'blackouts' });
 */
export const operationsOf =
  (shared: { tag: string; extra?: true }) =>
  <
    P extends TSchema | undefined = undefined,
    Q extends TSchema | undefined = undefined,
    B extends TSchema | undefined = undefined,
    R extends TSchema | undefined = undefined,
  >(
    input: OfRoom<P, Q, B, R>,
  ): Operation<P, Q, B, R> =>
    operation({ ...shared, ...input });

/** The parameter of a path that names one thing by its id, with an id for the example. */
export const byId = (example: number) => ({
  params: object({ id: id() }),
  paramsExample: { id: example },
});

/** The success of what answers with a body. */
export const ok = <R extends TSchema>(schema: R, example: unknown) =>
  ({ status: 200, schema, example }) as const;

/** The success of what makes something new and answers with it. */
export const created = <R extends TSchema>(schema: R, example: unknown) =>
  ({ status: 201, schema, example }) as const;

/** The success of what answers with nothing. */
export const DONE = { status: 204, description: 'Done; no body.' } as const;

type StaticOr<S> = S extends TSchema ? Static<S> : undefined;
/** What a handler is given: values already converted and checked. */
export type Input<O extends Operation> = {
  params: StaticOr<O['params']>;
  query: StaticOr<O['query']>;
  body: StaticOr<O['body']>;
};
/** What a handler has to return. */
export type Output<O extends Operation> = StaticOr<O['success']['schema']>;

export const ErrorResponse = object(
  { error: text({ description: 'One plain sentence that says what went wrong.' }) },
  { title: 'ErrorResponse' },
);

/** Whether somebody who is signed in can be turned away with 403. */
function isRefusable(access: Access): boolean {
  if (typeof access === 'string') return access === 'session';
  if ('visible' in access || 'signed' in access || 'tool' in access) return false;
  return !('object' in access) || Boolean(access.need ?? access.permission ?? access.session);
}

/** Every status an operation can answer besides its success, in ascending order. */
export function faultStatuses(operation: Operation): number[] {
  const statuses = new Set<number>([405, 429, 500, ...(operation.faults ?? [])]);
  const { access } = operation;
  if (operation.params || operation.query) statuses.add(400);
  if (operation.body) for (const status of [400, 413, 415]) statuses.add(status);
  if (operation.rawBody) for (const status of [400, 413]) statuses.add(status);
  if (operation.rawBody?.isJson || operation.rawBody?.media) statuses.add(415);
  if (access !== 'public') statuses.add(401);
  const write = operation.method !== 'GET';
  if (write || isRefusable(access)) statuses.add(403);
  if (typeof access === 'object' && 'object' in access) statuses.add(404);
  if (typeof access === 'object' && 'need' in access && 'connection' in access && !('unknown' in access))
    statuses.add(404);
  if (!operation.datastoreFaultIs500 && operation.usesDatastore !== false) statuses.add(503);
  if (operation.alternative) statuses.delete(operation.alternative.status);
  for (const { status } of operation.others ?? []) statuses.delete(status);
  return [...statuses].sort((a, b) => a - b);
}

/** The reply of what has nothing to show. */
export const StatusResponse = object({ status: text() }, { title: 'StatusResponse' });
