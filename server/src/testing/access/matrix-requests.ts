// The requests of the access matrix: what an operation names, filled with things that exist, so that a refusal has
// something to protect and a pass something to do.
import { createHmac } from 'node:crypto';
import type { Operation } from '../../kernel/contract.ts';
import type { CallOptions } from '../api.ts';
import type { NamedIds } from './access-model.ts';
import type { Scene } from './access-scene.ts';
import { type Prepared, UNKNOWN_ID } from './callers.ts';

/** A group, a user and a token that nobody in the matrix is or belongs to. */
export interface Subjects {
  group: number;
  user: number;
  token: number;
  /** A channel whose other side signs with SIGNING_SECRET; none where nothing exists. */
  signing_channel?: number;
}

export const SIGNING_SECRET = 'what-the-other-side-signs-with';

export async function makeSubjects(scene: Scene): Promise<Subjects> {
  const { user_id: user } = await scene.user();
  const group = await scene.group({ users: [user] });
  await scene.token(user);
  const { id: token } = await scene.db.one<{ id: number }>({
    text: '/* test.token_of */ select max(id) as id from matriarch.api_tokens where user_id = $1',
    values: [user],
  });
  return { group, user, token };
}

export interface Request {
  line: string;
  options: CallOptions;
  named: NamedIds;
}

/** What one operation may be asked about; several where it takes things of several kinds. */
export type Aim = 'usual' | 'oneself' | 'signed' | 'estate' | 'server' | 'cluster' | 'group';

/** Things that are for the estate or a part of it. */
const QUIET = ['blackout', 'target'];

export function aimsOf({ access }: Operation): Aim[] {
  if (typeof access !== 'object') return ['usual'];
  if ('signed' in access) return ['usual', 'signed'];
  if ('object' in access && access.object === 'scope') return ['server', 'cluster', 'group'];
  if ('object' in access && QUIET.includes(access.object)) return ['estate', 'server', 'cluster', 'group'];
  if ('any' in access && access.any.some((way) => 'self' in way)) return ['usual', 'oneself'];
  return ['usual'];
}

type Values = Record<string, unknown>;

/** What `{id}` means, by the path it stands in. */
function subjectOf(path: string, subjects: Subjects): Values {
  if (path.includes('/rbac/groups/{id}')) return { id: subjects.group };
  if (path.includes('/rbac/users/{id}')) return { id: subjects.user };
  return path.includes('/rbac/tokens/{id}') ? { id: subjects.token } : {};
}

interface Chosen {
  values: Values;
  named: NamedIds;
  /** Members of the body that say what it is for. */
  body?: Values;
  /** The same of the query. */
  query?: Values;
}

const isMissing = ({ target }: Prepared) => target === UNKNOWN_ID;

function objectOf(kind: string, aim: Aim, prepared: Prepared): Chosen {
  const { surroundings, target } = prepared;
  const of = (id: number) => (isMissing(prepared) ? UNKNOWN_ID : id);
  if (kind === 'cluster')
    return {
      values: { id: of(surroundings.cluster), connId: target, connectionId: target },
      named: { cluster: of(surroundings.cluster) },
    };
  if (kind === 'cluster-group')
    return {
      values: { id: of(surroundings.cluster_group) },
      named: { 'cluster-group': of(surroundings.cluster_group) },
    };
  if (kind === 'alert') {
    const alert_id = of(surroundings.alert);
    return { values: { id: alert_id }, named: { alert: target }, body: { alert_id }, query: { alert_id } };
  }
  if (kind === 'finding') return { values: { id: of(surroundings.finding) }, named: { finding: target } };
  if (kind === 'chat-run')
    return {
      values: { id: isMissing(prepared) ? UNKNOWN_ID : surroundings.chat_run },
      named: { [kind]: target },
    };
  if (kind === 'conversation' || kind === 'memory' || kind === 'ai-run' || kind === 'log-search') {
    const id = isMissing(prepared) ? UNKNOWN_ID : surroundings[kind];
    return { values: { id }, named: { [kind]: target } };
  }
  if (kind !== 'scope') return { values: {}, named: {} };
  const ids = { server: target, cluster: of(surroundings.cluster), group: of(surroundings.cluster_group) };
  const scope = aim === 'cluster' || aim === 'group' ? aim : 'server';
  return { values: { scope, scopeId: ids[scope] }, named: { [scope]: ids[scope] } };
}

const QUIET_IDS = { estate: undefined, server: 'connection_id', cluster: 'cluster_id', group: 'group_id' };

/** A blackout or schedule that is for the aim, and the same as what a new one is for. */
function quietOf(path: string, aim: Aim, prepared: Prepared): Chosen {
  const { surroundings, target } = prepared;
  const { cluster, cluster_group, blackouts, schedules } = surroundings;
  const scope = aim === 'server' || aim === 'cluster' || aim === 'group' ? aim : 'estate';
  const isNone = isMissing(prepared);
  const ids = { estate: isNone ? 0 : 1, server: target, cluster, group: cluster_group };
  const about = isNone && scope !== 'estate' ? UNKNOWN_ID : ids[scope];
  const member = QUIET_IDS[scope];
  const own = path.includes('/blackout-schedules') ? schedules : blackouts;
  return {
    values: path.includes('{id}') ? { id: isNone ? UNKNOWN_ID : own[scope] } : {},
    // A new one for the estate needs nothing that could be missing.
    named: { [scope]: path.includes('{id}') || scope !== 'estate' ? about : 1 },
    body: { scope, ...(member !== undefined && { [member]: about }) },
  };
}

const NONE: Chosen = { values: { id: UNKNOWN_ID }, named: {} };

function chosenBy({ access, path }: Operation, aim: Aim, { prepared, subjects }: MatrixInput): Chosen {
  const { signing_channel: channel } = subjects;
  if (aim === 'signed') return channel ? { values: { id: channel }, named: { signed: channel } } : NONE;
  if (aim === 'oneself') {
    const self = prepared.caller?.user_id ?? prepared.surroundings.owner.user_id;
    return { values: { id: self }, named: { self } };
  }
  if (typeof access === 'object' && 'object' in access && QUIET.includes(access.object))
    return quietOf(path, aim, prepared);
  if (typeof access === 'object' && 'object' in access) return objectOf(access.object, aim, prepared);
  return { values: subjectOf(path, subjects), named: { self: subjects.user } };
}

/** What is sent where a body is taken as it comes; rightly signed only where that is the aim. */
function rawOptions({ access, rawBody, bodyExample }: Operation, aim: Aim): CallOptions {
  if (!rawBody) return {};
  const body = JSON.stringify(bodyExample);
  if (typeof access !== 'object' || !('signed' in access)) return { body };
  const hex = createHmac('sha256', aim === 'signed' ? SIGNING_SECRET : 'another')
    .update(body)
    .digest('hex');
  return { body, headers: { [access.signed.toLowerCase()]: `v1=${hex}` } };
}

function namedConnections({ access }: Operation): string[] {
  if (typeof access !== 'object') return [];
  if ('connections' in access) return access.connections.slice(0, 1);
  return 'connection' in access && access.connection !== undefined ? [access.connection] : [];
}

export interface MatrixInput {
  prepared: Prepared;
  subjects: Subjects;
}

/** Numbers are ids; whoever names what does not exist names nothing that does. */
function examples({ paramsExample = {} }: Operation, prepared: Prepared): Values {
  if (!isMissing(prepared)) return paramsExample;
  const entries = Object.entries(paramsExample);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'number' ? UNKNOWN_ID : value]),
  );
}

/** Whether requests of it name a subject. */
export const namesSubject = ({ path }: Operation) =>
  path.startsWith('/api/v1/rbac/') && path.includes('{id}');

export function requestOf(operation: Operation, aim: Aim, asked: MatrixInput): Request {
  const { target, call } = asked.prepared;
  const { values, named, body: about, query: sought } = chosenBy(operation, aim, asked);
  const connections = namedConnections(operation);
  const inUrl = connections.filter((name) => !name.startsWith('body.')).map((name) => [name, target]);
  const inBody = connections
    .filter((name) => name.startsWith('body.'))
    .map((name) => [name.slice(5), target]);
  const all: Values = { ...examples(operation, asked.prepared), ...values, ...Object.fromEntries(inUrl) };
  const used = new Set<string>();
  const path = operation.path.replace(/\{([^}]+)\}/g, (_match, parameter: string) => {
    used.add(parameter);
    return encodeURIComponent(String(all[parameter]));
  });
  const asks = Object.entries(all).filter(([name]) => !used.has(name) && !(name in values));
  const query = asks.map(([name, value]) => [name, sought?.[name] ?? value] as const);
  const search = new URLSearchParams(query.map(([name, value]) => [name, String(value)]));
  const body = operation.body
    ? { body: { ...Object(operation.bodyExample), ...Object.fromEntries(inBody), ...about } }
    : {};
  const raw = rawOptions(operation, aim);
  return {
    line: `${operation.method} ${path}${search.size > 0 ? `?${search}` : ''}`,
    options: { ...call, ...body, ...raw, headers: { ...call.headers, ...raw.headers } },
    named,
  };
}
