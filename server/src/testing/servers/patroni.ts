// A real Patroni cluster of two members over a real etcd, from Debian's packages: on loopback alone, in folders of the run, as the
// user that runs servers. Guards: everything that it starts ends with the test.
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type OsUser, serverUser } from '../../datastore/os-user.ts';
import { sleep } from '../../kernel/clock.ts';
import { freePort, untilListening } from './free-port.ts';
import { testDirectory } from './postgres.ts';

const PROGRAMS = { patroni: '/usr/bin/patroni', etcd: '/usr/bin/etcd' } as const;
const PASSWORD = 'kept-by-patroni';
const LOOPBACK = '127.0.0.1';

/** A folder with pg_rewind and pg_basebackup, which the packages of npm do not bring. */
function binDir(): string | undefined {
  const root = '/usr/lib/postgresql';
  const majors = existsSync(root) ? readdirSync(root) : [];
  const folders = majors
    .toSorted((a, b) => Number(b) - Number(a))
    .map((major) => path.join(root, major, 'bin'));
  return folders.find((one) =>
    ['postgres', 'pg_rewind', 'pg_basebackup'].every((name) => existsSync(path.join(one, name))),
  );
}

/** Undefined: it can be played here. */
export function lacksForPatroni(): string | undefined {
  const missing = Object.entries(PROGRAMS).flatMap(([name, file]) => (existsSync(file) ? [] : [name]));
  if (binDir() === undefined) missing.push('postgresql with pg_rewind');
  return missing.length === 0
    ? undefined
    : `${missing.join(', ')} not installed: apt-get install patroni etcd-server postgresql`;
}

export interface Member {
  name: string;
  port: number;
  user: string;
  password: string;
  /** Kills Patroni and every process of the server at once, as a power cut would. */
  kill(): void;
  start(): void;
  role(): Promise<string>;
}

export interface PatroniCluster {
  members: readonly [Member, Member];
  /** By the manager, in an orderly way. */
  switchover(from: Member, to: Member): Promise<void>;
  /** Until one leads and the other streams from it. */
  untilWell(leader: Member): Promise<void>;
}

interface Ports {
  etcd: number;
  api: number;
  pg: number;
}

const configOf = (name: string, { etcd, api, pg }: Ports, directory: string) => ({
  scope: 'shop',
  name,
  restapi: { listen: `${LOOPBACK}:${api}`, connect_address: `${LOOPBACK}:${api}` },
  etcd3: { hosts: `${LOOPBACK}:${etcd}` },
  bootstrap: {
    dcs: {
      ...{ ttl: 20, loop_wait: 2, retry_timeout: 4, maximum_lag_on_failover: 1_048_576 },
      postgresql: {
        ...{ use_pg_rewind: true, use_slots: true },
        parameters: {
          wal_log_hints: 'on',
          wal_keep_size: '128MB',
          max_connections: 40,
          shared_buffers: '32MB',
        },
      },
    },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C' }, 'data-checksums'],
  },
  postgresql: {
    listen: `${LOOPBACK}:${pg}`,
    connect_address: `${LOOPBACK}:${pg}`,
    data_dir: path.join(directory, name),
    bin_dir: binDir(),
    pgpass: path.join(directory, `${name}.pgpass`),
    pg_hba: [
      'local all all trust',
      `host replication all ${LOOPBACK}/32 scram-sha-256`,
      `host all all ${LOOPBACK}/32 scram-sha-256`,
    ],
    authentication: {
      superuser: { username: 'postgres', password: PASSWORD },
      replication: { username: 'replicator', password: PASSWORD },
      rewind: { username: 'rewinder', password: PASSWORD },
    },
    parameters: { unix_socket_directories: directory, fsync: 'off' },
  },
});

class Started {
  readonly #directory: string;
  readonly #user: OsUser | null;
  readonly #children = new Map<string, ChildProcess>();

  constructor(directory: string, user: OsUser | null) {
    this.#directory = directory;
    this.#user = user;
  }

  start(name: string, command: string, args: readonly string[]): void {
    const log = openSync(path.join(this.#directory, `${name}.log`), 'a', 0o644);
    const user = this.#user;
    const child = spawn(command, args, {
      stdio: ['ignore', log, log],
      cwd: this.#directory,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', HOME: this.#directory },
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    this.#children.set(name, child);
  }

  kill(name: string): void {
    this.#children.get(name)?.kill('SIGKILL');
    const pidFile = path.join(this.#directory, name, 'postmaster.pid');
    if (!existsSync(pidFile)) return;
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended already.
    }
  }
}

interface State {
  role: string;
  isRunning: boolean;
  /** Of members that stream from it. */
  streams: readonly string[];
}

async function stateOf(api: number): Promise<State> {
  try {
    const response = await fetch(`http://${LOOPBACK}:${api}/patroni`, { signal: AbortSignal.timeout(2000) });
    const { role, state, replication } = Object(await response.json());
    const streams = (Array.isArray(replication) ? replication : []).map(Object);
    return {
      role: String(role),
      isRunning: state === 'running',
      streams: streams.flatMap((one) => (one.state === 'streaming' ? [String(one.application_name)] : [])),
    };
  } catch {
    return { role: 'gone', isRunning: false, streams: [] };
  }
}

const leads = (role: string) => role === 'master' || role === 'primary';

/** Answers the port on which it serves. */
async function startEtcd(started: Started, directory: string, user: OsUser | null): Promise<number> {
  const [client, peer] = [await freePort(), await freePort()];
  const [clientUrl, peerUrl] = [`http://${LOOPBACK}:${client}`, `http://${LOOPBACK}:${peer}`];
  mkdirSync(path.join(directory, 'etcd'), { mode: 0o700 });
  if (user) chownSync(path.join(directory, 'etcd'), user.uid, user.gid);
  started.start('etcd-server', PROGRAMS.etcd, [
    ...['--data-dir', path.join(directory, 'etcd'), '--listen-client-urls', clientUrl],
    ...['--advertise-client-urls', clientUrl, '--listen-peer-urls', peerUrl],
    ...['--initial-advertise-peer-urls', peerUrl, '--initial-cluster', `default=${peerUrl}`],
  ]);
  onTestFinished(() => started.kill('etcd-server'));
  await untilListening(client);
  return client;
}

export async function startPatroni(): Promise<PatroniCluster> {
  const directory = testDirectory('patroni');
  const user = process.getuid?.() === 0 ? serverUser() : null;
  if (user) chownSync(directory, user.uid, user.gid);
  const started = new Started(directory, user);
  const client = await startEtcd(started, directory, user);
  const apis = new Map<string, number>();
  const member = async (name: string): Promise<Member> => {
    const ports = { etcd: client, api: await freePort(), pg: await freePort() };
    apis.set(name, ports.api);
    // JSON is YAML.
    const file = path.join(directory, `${name}.yml`);
    writeFileSync(file, JSON.stringify(configOf(name, ports, directory)), { mode: 0o644 });
    const start = () => started.start(name, PROGRAMS.patroni, [file]);
    const kill = () => started.kill(name);
    start();
    onTestFinished(kill);
    const role = async () => (await stateOf(ports.api)).role;
    return { name, port: ports.pg, user: 'postgres', password: PASSWORD, kill, start, role };
  };
  const first = await member('shop-a');
  while (!leads(await first.role())) await sleep(200);
  const second = await member('shop-b');
  const members = [first, second] as const;
  return {
    members,
    async switchover(from, to) {
      const response = await fetch(`http://${LOOPBACK}:${apis.get(from.name)}/switchover`, {
        method: 'POST',
        body: JSON.stringify({ leader: from.name, candidate: to.name }),
      });
      if (response.status !== 200) throw new Error(`switchover: ${await response.text()}`);
    },
    async untilWell(leader) {
      for (;;) {
        const states = await Promise.all(
          members.map(async ({ name }) => ({ name, ...(await stateOf(apis.get(name) ?? 0)) })),
        );
        const ahead = states.find(({ name }) => name === leader.name);
        const isWell =
          ahead?.isRunning === true &&
          leads(ahead.role) &&
          states.every(
            ({ name, role }) => name === leader.name || (role === 'replica' && ahead.streams.includes(name)),
          );
        if (isWell) return;
        await sleep(200);
      }
    },
  };
}
