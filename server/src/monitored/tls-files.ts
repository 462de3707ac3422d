// Certificates and keys from files that a connection names. Guards: absolute paths to regular files only, a size
// cap, and a private key that nobody else can read (libpq's rule); a file that is missing is an error, never a
// connection without it.

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import tls from 'node:tls';
import { errorCode } from '../kernel/errors.ts';
import type { TlsPlan } from '../kernel/server-address/ssl-mode.ts';
import { systemCa } from '../kernel/server-address/system-ca.ts';
import { TargetError } from './target-error.ts';

export interface TlsPaths {
  ssl_cert_path?: string | undefined;
  ssl_key_path?: string | undefined;
  ssl_root_cert_path?: string | undefined;
}

const MAX_FILE_BYTES = 1024 * 1024;

function fail(message: string, code: string, cause?: unknown): never {
  throw new TargetError({ step: 'tls', message, code, cause });
}

interface TlsFile {
  file: string;
  /** As in "The client certificate". */
  what: string;
  isPrivate?: boolean;
}

async function opened({ file, what }: TlsFile): Promise<FileHandle> {
  if (!path.isAbsolute(file)) fail(`${what} must be given as an absolute path.`, 'tls_file_path');
  try {
    // O_NONBLOCK: opening a named pipe must not wait for a writer.
    return await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const missing = errorCode(cause) === 'ENOENT';
    const why = missing ? 'does not exist' : 'cannot be read by Matriarch';
    return fail(
      `${what} ${why}: check the path ${file} on the machine Matriarch runs on.`,
      'tls_file',
      cause,
    );
  }
}

async function readPem(wanted: TlsFile): Promise<Buffer> {
  const { file, what, isPrivate = false } = wanted;
  const handle = await opened(wanted);
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) fail(`${what} at ${file} is not a regular file.`, 'tls_file');
    if (facts.size > MAX_FILE_BYTES) fail(`${what} at ${file} is larger than 1 MB.`, 'tls_file');
    const forbidden = facts.uid === 0 ? 0o027 : 0o077;
    if (isPrivate && process.platform !== 'win32' && (facts.mode & forbidden) !== 0) {
      fail(`${what} at ${file} can be read by others: set its mode to 0600.`, 'tls_key_mode');
    }
    const buffer = Buffer.alloc(facts.size);
    const { bytesRead } = await handle.read(buffer, 0, facts.size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

let systemContext: tls.SecureContext | undefined;
/** For connections that trust and prove nothing by files, or speak no TLS: making one takes a millisecond. */
let bareContext: tls.SecureContext | undefined;

interface Material {
  ca?: Buffer;
  cert?: Buffer;
  key?: Buffer;
}

async function readMaterial(paths: TlsPaths): Promise<Material> {
  const { ssl_cert_path: cert, ssl_key_path: key, ssl_root_cert_path: root } = paths;
  if ((cert === undefined) !== (key === undefined)) {
    fail('A client certificate needs both its certificate path and its key path.', 'tls_pair');
  }
  const material: Material = {};
  if (root !== undefined) material.ca = await readPem({ file: root, what: 'The root certificate' });
  if (cert !== undefined) material.cert = await readPem({ file: cert, what: 'The client certificate' });
  if (key !== undefined) material.key = await readPem({ file: key, what: 'The client key', isPrivate: true });
  return material;
}

const BROKEN: Record<keyof Material, string> = {
  ca: 'The root certificate path holds no PEM certificate.',
  cert: 'The client certificate path holds no PEM certificate.',
  key: 'The client key path holds no PEM private key without a passphrase.',
};

/** Each part is tried alone first, so that the sentence can name the file that is broken. */
function checkMaterial(material: Material): void {
  for (const name of ['ca', 'cert'] as const) {
    // The library takes a file without any certificate for an empty list.
    const part = material[name];
    if (part && !/-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----/.test(part.toString('latin1'))) {
      fail(BROKEN[name], 'tls_file');
    }
  }
  for (const name of ['ca', 'cert', 'key'] as const) {
    const part = material[name];
    if (part === undefined) continue;
    try {
      tls.createSecureContext({ [name]: part });
    } catch (cause) {
      fail(BROKEN[name], 'tls_file', cause);
    }
  }
}

/** What a TLS handshake is made with. */
export async function secureContext(plan: TlsPlan, paths: TlsPaths): Promise<tls.SecureContext> {
  const material = await readMaterial(paths);
  if (plan.verify !== 'nothing' && plan.authorities === 'system' && material.cert === undefined) {
    systemContext ??= tls.createSecureContext({ ca: systemCa(), minVersion: 'TLSv1.2' });
    return systemContext;
  }
  if (Object.values(material).every((part) => part === undefined) && plan.authorities !== 'system') {
    bareContext ??= tls.createSecureContext({ ca: [], minVersion: 'TLSv1.2' });
    return bareContext;
  }
  checkMaterial(material);
  try {
    const ca = material.ca ?? (plan.authorities === 'system' ? systemCa() : []);
    return tls.createSecureContext({ ...material, ca, minVersion: 'TLSv1.2' });
  } catch (cause) {
    return fail('The client certificate and the client key do not belong together.', 'tls_pair', cause);
  }
}
