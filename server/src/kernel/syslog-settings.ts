// The settings of logs that come by syslog. Guards: nothing listens unless an address is set; which server a message is of is decided by the
// address that it comes from, and what a message says of itself only narrows that; what is not clear stops the start.
import { isIP } from 'node:net';
import { UsageError } from './errors.ts';
import type { Setting } from './settings.ts';
import { didYouMean } from './suggest.ts';

export const syslogSettings = [
  {
    key: 'syslog.udp',
    type: 'text',
    description:
      'Address and port that take logs of servers by syslog over UDP, such as 10.0.0.9:5514; off where not set.',
  },
  {
    key: 'syslog.tcp',
    type: 'text',
    description:
      'The same over TCP, with octet counting or a line for each message; over TLS with tls_cert_file.',
  },
  {
    key: 'syslog.tls_cert_file',
    type: 'path',
    description: 'PEM file with the certificate, by which syslog.tcp speaks TLS alone.',
  },
  { key: 'syslog.tls_key_file', type: 'path', description: 'PEM file with its private key.' },
  {
    key: 'syslog.tls_client_ca_file',
    type: 'path',
    description: 'PEM file with authorities; clients without a certificate of one of them are refused.',
  },
  {
    key: 'syslog.senders',
    type: 'list',
    form: {
      pattern: /^[a-z]+=[^;]+(?:;[a-z]+=[^;]+)+$/,
      words: 'address=10.0.0.5;connection=orders-1, with host=… and app=… where needed',
    },
    description:
      'Which connection messages are of, the first that fits: `address=10.0.0.5;connection=orders-1` with an address or network and the name or ID of the connection. `host=` narrows it to messages that name this host; `app=` is syslog_ident of the server, postgres if absent.',
  },
] as const satisfies readonly Setting[];

export interface SyslogSender {
  /** An address or a network. */
  readonly address: string;
  /** Name or ID. */
  readonly connection: string;
  /** In lower case; undefined: any. */
  readonly host: string | undefined;
  readonly app: string;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface SyslogSettings {
  readonly udp: ListenAddress | undefined;
  readonly tcp: ListenAddress | undefined;
  readonly tls:
    | { readonly cert: string; readonly key: string; readonly client_ca: string | undefined }
    | undefined;
  readonly senders: readonly SyslogSender[];
}

const MEMBERS = ['address', 'connection', 'host', 'app'];
const MOST_SENDERS = 2000;
const HIGHEST_PORT = 65_535;

function isNetwork(entry: string): boolean {
  const [address = '', bits, ...rest] = entry.split('/');
  const family = isIP(address);
  const most = family === 4 ? 32 : 128;
  return (
    family !== 0 &&
    rest.length === 0 &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most))
  );
}

function senderOf(entry: string): SyslogSender {
  const fail = (sentence: string): never => {
    throw new UsageError(`syslog.senders: ${JSON.stringify(entry)} ${sentence}`);
  };
  const members = new Map<string, string>();
  for (const part of entry.split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, at).trim();
    if (!MEMBERS.includes(name))
      fail(`has the unknown member ${JSON.stringify(name)}.${didYouMean(name, MEMBERS)}`);
    if (members.has(name)) fail(`has ${name} twice.`);
    members.set(name, part.slice(at + 1).trim());
  }
  const address = members.get('address') ?? '';
  const connection = members.get('connection') ?? '';
  if (!isNetwork(address)) fail('needs an address or a network, such as address=10.0.0.0/24.');
  if (connection === '') fail('needs the name or ID of a connection, such as connection=orders-1.');
  return {
    ...{ address, connection, host: members.get('host')?.toLowerCase() },
    app: members.get('app') ?? 'postgres',
  };
}

function listenAddress(key: string, text: string | undefined): ListenAddress | undefined {
  if (text === undefined || text === '') return undefined;
  const found = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const host = found?.[1] ?? found?.[2] ?? '';
  const port = Number(found?.[3] ?? -1);
  if (isIP(host) === 0 || port < 0 || port > HIGHEST_PORT)
    throw new UsageError(
      `${key}: found ${JSON.stringify(text)}, allowed is an address with a port, such as 10.0.0.9:5514 or [::1]:5514.`,
    );
  return { host, port };
}

/** As they are written. */
interface Written {
  readonly udp: string | undefined;
  readonly tcp: string | undefined;
  readonly tls_cert_file: string | undefined;
  readonly tls_key_file: string | undefined;
  readonly tls_client_ca_file: string | undefined;
  readonly senders: readonly string[];
}

/** A UsageError for what is not clear. */
export function readSyslogSettings(tree: Written): SyslogSettings {
  const udp = listenAddress('syslog.udp', tree.udp);
  const tcp = listenAddress('syslog.tcp', tree.tcp);
  const senders = tree.senders.map(senderOf);
  const { tls_cert_file: cert, tls_key_file: key, tls_client_ca_file: client_ca } = tree;
  if ((udp ?? tcp) !== undefined && senders.length === 0)
    throw new UsageError('syslog.senders is missing: say which connection messages of which address are of.');
  if (senders.length > MOST_SENDERS)
    throw new UsageError(
      `syslog.senders has ${senders.length} entries; at most ${MOST_SENDERS} are allowed.`,
    );
  if ((cert === undefined) !== (key === undefined) || (client_ca !== undefined && cert === undefined))
    throw new UsageError('syslog.tls_cert_file and syslog.tls_key_file are needed together.');
  if (cert !== undefined && tcp === undefined)
    throw new UsageError('syslog.tls_cert_file needs syslog.tcp, the address to listen on.');
  const tls = cert !== undefined && key !== undefined ? { cert, key, client_ca } : undefined;
  return { udp, tcp, tls, senders };
}
