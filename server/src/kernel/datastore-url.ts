// The datastore's URL as the driver takes it: read by the same code as every other address of a server. Guards: nothing of the URL
// replaces what sessions set for themselves, and a mode of TLS does not do less than it does under the same name elsewhere.
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import type { ClientConfig } from 'pg';
import { UsageError } from './errors.ts';
import type { Secret } from './secret.ts';
import { type ConnectionParts, NO_HOST, partsOf, readWords } from './server-address/connection-words.ts';
import { tlsPlan } from './server-address/ssl-mode.ts';
import { systemCa } from './server-address/system-ca.ts';

/** Read at each connection, so that certificates may be renewed while the program runs. */
const fileAt = (name: string, file: string | undefined): PropertyDescriptorMap =>
  file === undefined
    ? {}
    : { [name]: { enumerable: true, configurable: true, get: () => readFileSync(file) } };

/**
 * The driver speaks TLS or does not, and never tries one after the other: a mode that leaves it to the server is not told from
 * `require`. Without any mode nothing is encrypted, as long as PGSSLMODE says nothing else.
 */
function tlsOf(parts: ConnectionParts): ClientConfig['ssl'] {
  const { ssl_mode, host, hostaddr, ssl_root_cert_path: root } = parts;
  if (ssl_mode === undefined && root === undefined) return undefined;
  if (ssl_mode === 'disable') return false;
  const { verify } = tlsPlan(ssl_mode ?? 'prefer', root !== undefined);
  const options: ConnectionOptions = {
    rejectUnauthorized: verify !== 'nothing',
    ...(verify === 'authority' && { checkServerIdentity: () => undefined }),
    ...(verify !== 'nothing' && root === undefined && { ca: systemCa() }),
    // The name in the certificate is that of the host, wherever it is dialled.
    ...(hostaddr !== undefined && host !== undefined && { servername: host }),
  };
  return Object.defineProperties(options, {
    ...fileAt('ca', root),
    ...fileAt('cert', parts.ssl_cert_path),
    ...fileAt('key', parts.ssl_key_path),
  });
}

/** What is not in the URL is left to the driver, which knows PGUSER, PGPASSWORD and the password file. */
export function datastoreClient(url: Secret): ClientConfig {
  const { words } = readWords(url.reveal());
  const parts = partsOf(words);
  const { host, hostaddr, port, username, database, password } = parts;
  const ssl = tlsOf(parts);
  const where = words.get('socket') ?? hostaddr ?? host;
  return {
    ...(where !== undefined && { host: where }),
    ...(port !== undefined && { port }),
    ...(username !== undefined && { user: username }),
    ...(database !== undefined && { database }),
    ...(password !== undefined && { password }),
    ...(ssl !== undefined && { ssl }),
  };
}

/** Rejects with a UsageError: one sentence that says what to write, without the URL. */
export function demandDatastoreUrl(key: string, url: Secret): void {
  try {
    const { words } = readWords(url.reveal());
    const { host } = partsOf(words);
    if (host === undefined) throw new UsageError(NO_HOST);
    if (host.startsWith('@'))
      throw new UsageError('Abstract sockets are not supported. Name a directory or a host.');
    if (words.has('passfile'))
      throw new UsageError('passfile is not read. Name the file in PGPASSFILE instead.');
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(`${key}: ${error.message}`);
  }
}
