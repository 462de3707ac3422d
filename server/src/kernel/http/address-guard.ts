// Which addresses a connection may go to. Pure. Guards: an address is judged by the bytes it stands for, so no
// spelling (mapped, NAT64, 6to4, …) leads somewhere that its plain form may not; whoever connects uses exactly the
// address that was judged.
import { isIPv4, isIPv6 } from 'node:net';

export type AddressKind =
  | 'public'
  | 'private'
  | 'loopback'
  | 'unspecified'
  | 'multicast'
  | 'link_local'
  | 'metadata'
  | 'broadcast'
  | 'reserved'
  | 'invalid';

const METADATA = [
  '169.254.169.254', // AWS, Azure, GCP, DigitalOcean, OpenStack
  '169.254.170.2', // AWS ECS credentials
  '169.254.170.23', // AWS EKS pod identity
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  '168.63.129.16', // Azure wire server
  'fd00:ec2::254', // AWS
  'fd00:ec2::23', // AWS EKS pod identity
  'fd20:ce::254', // GCP
];

type Range = readonly [base: string, bits: number, kind: AddressKind];

// The first match counts.
const V4_RANGES: readonly Range[] = [
  ['0.0.0.0', 8, 'unspecified'],
  ['127.0.0.0', 8, 'loopback'],
  ['169.254.0.0', 16, 'link_local'],
  ['10.0.0.0', 8, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.168.0.0', 16, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['198.18.0.0', 15, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['224.0.0.0', 4, 'multicast'],
  ['255.255.255.255', 32, 'broadcast'],
  ['240.0.0.0', 4, 'reserved'],
];

const V6_RANGES: readonly Range[] = [
  ['::', 128, 'unspecified'],
  ['::1', 128, 'loopback'],
  ['fe80::', 10, 'link_local'],
  ['fec0::', 10, 'private'],
  ['fc00::', 7, 'private'],
  ['ff00::', 8, 'multicast'],
  ['100::', 64, 'reserved'],
  // These carry an IPv4 address too, at a place one cannot know (local NAT64), or a scrambled one (Teredo).
  ['64:ff9b:1::', 48, 'reserved'],
  ['2001::', 32, 'reserved'],
];

/** IPv6 forms that carry an IPv4 address, and the positions of its four bytes. */
const EMBEDDINGS: readonly [base: string, bits: number, positions: readonly number[]][] = [
  ['::ffff:0:0', 96, [12, 13, 14, 15]], // mapped
  ['::ffff:0:0:0', 96, [12, 13, 14, 15]], // translated
  ['::', 96, [12, 13, 14, 15]], // compatible
  ['64:ff9b::', 96, [12, 13, 14, 15]], // NAT64
  ['2002::', 16, [2, 3, 4, 5]], // 6to4
];

function bytesOfV4(text: string): number[] {
  return text.split('.').map(Number);
}

function groupsOf(text: string): number[] {
  return text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
}

function bytesOfV6(text: string): number[] {
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  let plain = text;
  if (dotted?.[1] !== undefined && dotted[2] !== undefined) {
    const [a = 0, b = 0, c = 0, d = 0] = bytesOfV4(dotted[2]);
    plain = `${dotted[1]}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  }
  const [head = '', tail] = plain.split('::');
  const left = groupsOf(head);
  const right = tail === undefined ? [] : groupsOf(tail);
  const groups = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

/** The 4 or 16 bytes of an address literal without zone id; undefined when it is none. */
function addressBytes(address: string): number[] | undefined {
  if (isIPv4(address)) return bytesOfV4(address);
  if (isIPv6(address) && !address.includes('%')) return bytesOfV6(address.toLowerCase());
  return undefined;
}

function within(bytes: readonly number[], base: string, bits: number): boolean {
  const start = addressBytes(base) ?? [];
  if (start.length !== bytes.length) return false;
  for (let bit = 0; bit < bits; bit += 8) {
    const mask = bits - bit >= 8 ? 0xff : (0xff << (8 - (bits - bit))) & 0xff;
    if (((bytes[bit / 8] ?? 0) & mask) !== ((start[bit / 8] ?? 0) & mask)) return false;
  }
  return true;
}

function kindOfV4(bytes: readonly number[]): AddressKind {
  if (METADATA.includes(bytes.join('.'))) return 'metadata';
  return V4_RANGES.find(([base, bits]) => within(bytes, base, bits))?.[2] ?? 'public';
}

const REFUSED: readonly AddressKind[] = [
  'unspecified',
  'multicast',
  'link_local',
  'metadata',
  'broadcast',
  'reserved',
  'invalid',
];

function kindOfV6(bytes: readonly number[]): AddressKind {
  if (METADATA.some((address) => within(bytes, address, 128))) return 'metadata';
  const plain = V6_RANGES.find(([base, bits]) => within(bytes, base, bits));
  if (plain) return plain[2];
  const carrier = EMBEDDINGS.find(([base, bits]) => within(bytes, base, bits));
  return carrier ? kindOfV4(carrier[2].map((position) => bytes[position] ?? 0)) : 'public';
}

/** What an address literal is. A zone id makes it link-local, which is the only use of one. */
export function classifyAddress(address: string): AddressKind {
  if (isIPv6(address) && address.includes('%')) return 'link_local';
  const bytes = addressBytes(address);
  if (bytes === undefined) return 'invalid';
  return bytes.length === 4 ? kindOfV4(bytes) : kindOfV6(bytes);
}

const WORDS: Record<AddressKind, string> = {
  public: 'a public address',
  private: 'a private address',
  loopback: 'a loopback address',
  unspecified: 'an unspecified address',
  multicast: 'a multicast address',
  link_local: 'a link-local address',
  metadata: 'a cloud metadata address',
  broadcast: 'a broadcast address',
  reserved: 'a reserved address',
  invalid: 'no IP address',
};

/** Why an address may not be connected to, as the end of a sentence ("is a multicast address"), or undefined. */
export function refusedAddress(address: string, allowPrivateNetworks: boolean): string | undefined {
  const kind = classifyAddress(address);
  if (REFUSED.includes(kind)) return `is ${WORDS[kind]}`;
  if (!allowPrivateNetworks && (kind === 'private' || kind === 'loopback')) {
    return `is ${WORDS[kind]}, and connections to private networks are switched off`;
  }
  return undefined;
}
