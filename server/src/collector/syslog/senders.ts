// Which connection a message is of: by the address that it came from, narrowed by the host and program that it names. Guards: no claim of a
// message widens what the settings allow; a name that fits no connection, or several, is of none.
import { BlockList, isIPv4 } from 'node:net';
import type { SyslogSender } from '../../kernel/syslog-settings.ts';
import type { SyslogMessage } from './message.ts';

/** Addresses of IPv4 may come as those of IPv6. */
export const plainAddress = (address: string): string =>
  address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '');

interface Compiled {
  readonly sender: SyslogSender;
  covers(address: string): boolean;
}

function compiled(sender: SyslogSender): Compiled {
  const [address = '', bits] = sender.address.split('/');
  const family = isIPv4(address) ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  if (bits === undefined) list.addAddress(address, family);
  else list.addSubnet(address, Number(bits), family);
  return { sender, covers: (of) => list.check(of, isIPv4(of) ? 'ipv4' : 'ipv6') };
}

/** Those that may send from there, which are few. */
export type SendersAt = readonly SyslogSender[];

export class Senders {
  readonly #all: readonly Compiled[];

  constructor(senders: readonly SyslogSender[]) {
    this.#all = senders.map(compiled);
  }

  at(address: string): SendersAt {
    return this.#all.filter(({ covers }) => covers(address)).map(({ sender }) => sender);
  }
}

/** `other`: it is of another program or host of a server that may send. */
export function senderOf(senders: SendersAt, { host, app }: SyslogMessage): SyslogSender | undefined {
  return senders.find((one) => one.app === app && (one.host === undefined || one.host === host));
}

export interface NamedConnection {
  readonly id: number;
  readonly name: string;
}

/** By what senders call it: a name that is of one connection alone, or an ID that is no name. */
export function connectionsByName(
  wanted: readonly string[],
  all: readonly NamedConnection[],
): ReadonlyMap<string, number> {
  const named = Map.groupBy(all, ({ name }) => name);
  const ids = new Map(all.map(({ id }) => [String(id), id]));
  return new Map(
    wanted.flatMap((connection) => {
      const own = named.get(connection);
      const id = own ? (own.length === 1 ? own[0]?.id : undefined) : ids.get(connection);
      return id === undefined ? [] : [[connection, id] as const];
    }),
  );
}
