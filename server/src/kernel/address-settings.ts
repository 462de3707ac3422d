// Addresses in settings that no type of setting judges. Guards: what could not work stops the start with a sentence, and a secret is in none.
import { isIP } from 'node:net';
import type { SettingTree } from './config-types.ts';
import { UsageError } from './errors.ts';

/** How many bits name the network; undefined when it is neither an address nor a network. */
function networkBits(entry: string): number | undefined {
  const [base = '', bits, ...rest] = entry.split('/');
  const most = isIP(base) === 6 ? 128 : 32;
  const size = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN;
  return isIP(base) !== 0 && rest.length === 0 && size <= most ? size : undefined;
}

export function demandNetwork(key: string, entry: string): number {
  const bits = networkBits(entry);
  if (bits === undefined)
    throw new UsageError(
      `${key}: found ${JSON.stringify(entry)}, allowed is an address or a network such as 10.0.0.0/24.`,
    );
  return bits;
}

/** Each is asked for by POST while all goes well. */
function demandHeartbeat({ heartbeat }: SettingTree): void {
  for (const name of ['url', 'fail_url'] as const) {
    const url = heartbeat[name];
    if (url !== undefined && !/^https?:$/.test(URL.parse(url.reveal())?.protocol ?? ''))
      throw new UsageError(`heartbeat.${name} must be an http:// or https:// address.`);
  }
}

/** As browsers write it: anything else would equal none. */
function demandOrigin(entry: string): void {
  if (URL.parse(entry)?.origin !== entry || !/^https?:/.test(entry))
    throw new UsageError(
      `api.allowed_origins: found ${JSON.stringify(entry)}, allowed is an origin such as https://tools.example.com.`,
    );
}

export function demandAddresses(tree: SettingTree): void {
  for (const entry of tree.api.trusted_proxies) demandNetwork('api.trusted_proxies', entry);
  for (const entry of tree.api.allowed_origins) demandOrigin(entry);
  demandHeartbeat(tree);
}
