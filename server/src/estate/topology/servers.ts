// Physical servers behind connections. Pure. Guards: several connections to one server are that one server (same
// system identifier and same start, or the same address and port), and addresses are compared, never resolved.
import { first, Groups, groupBy } from './groups.ts';
import type { NodeFacts, RoleFacts } from './types.ts';

export interface Server {
  /** The smallest of its connections: stands for the server. */
  readonly id: number;
  readonly connections: readonly NodeFacts[];
  /** The connection that was read last, reachable ones first. */
  readonly facts: NodeFacts;
  readonly role: RoleFacts | null;
  readonly is_reachable: boolean;
  readonly system_identifier: string | null;
  /** Names the machine as far as anything tells it. */
  readonly machine: string;
  /** Everything under which others may know its port. */
  readonly endpoints: readonly string[];
}

const LOOPBACK = /^(?:localhost(?:\.localdomain)?|ip6-localhost|127(?:\.\d+){3}|::1|0:0:0:0:0:0:0:1)$/;
const ADDRESS = /^(?:\d+(?:\.\d+){3}|[0-9a-f]*:[0-9a-f:.]*)$/;

/** One spelling for each name or address; every way to say "this machine" is 'localhost'. */
function plainHost(host: string): string {
  const plain = host
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^::ffff:(?=\d+\.)/, '');
  return LOOPBACK.test(plain) ? 'localhost' : plain;
}

/** True of nothing, of a socket's directory and of loopback: whoever says so means the machine they are on. */
export const isLocal = (host: string | null): boolean =>
  host === null || host === '' || /^[/@]/.test(host) || plainHost(host) === 'localhost';

const ownAddress = ({ role }: NodeFacts): string | null =>
  role?.own_address && !isLocal(role.own_address) ? plainHost(role.own_address) : null;

/** Names the machine of a server as far as anything tells it: the address it sees itself at, else the host. */
const machineOf = (facts: NodeFacts): string => ownAddress(facts) ?? `host ${plainHost(facts.host)}`;

function endpointsOf(connections: readonly NodeFacts[]): string[] {
  const found = connections.flatMap((facts) => {
    const own = ownAddress(facts);
    const port = facts.role?.own_port ?? facts.port;
    const hosts = [facts.host, ...(facts.hostaddr ? [facts.hostaddr] : [])].filter((host) => !isLocal(host));
    return [
      ...hosts.map((host) => `${plainHost(host)} ${facts.port}`),
      ...(own ? [`${own} ${port}`] : []),
      `on ${machineOf(facts)} ${port}`,
    ];
  });
  return [...new Set(found)];
}

/** The same for what a server says of another one: host and port as in its connection string. */
export const endpointSaid = (by: Server, host: string | null, port: number | null): string =>
  isLocal(host) ? `on ${by.machine} ${port ?? 5432}` : `${plainHost(host ?? '')} ${port ?? 5432}`;

/** Whether a walsender on `at` can be a process of `server`, by the address it comes from. */
export function comesFrom(clientAddress: string | null, at: Server, server: Server): boolean {
  if (isLocal(clientAddress)) return at.machine === server.machine;
  const address = plainHost(clientAddress ?? '');
  return server.connections.some((facts) =>
    [ownAddress(facts), facts.hostaddr, ADDRESS.test(facts.host) ? facts.host : null].some(
      (known) => known !== null && plainHost(known) === address,
    ),
  );
}

const newestFirst = (a: NodeFacts, b: NodeFacts) =>
  Number(b.is_reachable) - Number(a.is_reachable) ||
  (b.collected_at ?? '').localeCompare(a.collected_at ?? '') ||
  a.connection_id - b.connection_id;

function serverOf(connections: NodeFacts[]): Server | undefined {
  connections.sort((a, b) => a.connection_id - b.connection_id);
  const facts = first(connections, newestFirst);
  if (!facts) return undefined;
  return {
    id: connections[0]?.connection_id ?? facts.connection_id,
    connections,
    facts,
    role: facts.role,
    is_reachable: facts.is_reachable,
    system_identifier: facts.system_identifier,
    machine: machineOf(facts),
    endpoints: endpointsOf(connections),
  };
}

const started = ({ system_identifier, role }: NodeFacts) =>
  system_identifier && role?.started_at ? `${system_identifier} ${role.started_at}` : null;

const address = ({ host, hostaddr, port, role, system_identifier }: NodeFacts) =>
  role ? `${plainHost(hostaddr ?? host)} ${port} ${system_identifier}` : null;

/** The servers, in the order of their ids. */
export function serversOf(facts: readonly NodeFacts[]): Server[] {
  const groups = new Groups();
  for (const key of [started, address])
    for (const same of groupBy(facts, key).values())
      for (const one of same) groups.join(one.connection_id, same[0]?.connection_id ?? one.connection_id);
  const servers = [...groupBy(facts, ({ connection_id }) => groups.of(connection_id)).values()];
  return servers.flatMap((same) => serverOf(same) ?? []).sort((a, b) => a.id - b.id);
}
