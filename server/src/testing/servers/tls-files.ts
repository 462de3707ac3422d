// Certificates for tests: a certificate authority of its own and a server certificate, good or bad in one chosen
// way. No openssl program is needed.
import { mkdirSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import path from 'node:path';
import forge from 'node-forge';
import { systemClock } from '../../kernel/clock.ts';
import { DAY_MS } from '../../kernel/units.ts';

export interface TlsOptions {
  /** Name or address that the certificate is for. */
  host: string;
  /** Ended yesterday. */
  expired?: boolean;
  /** Signed by itself, so that the authority says nothing about it. */
  selfSigned?: boolean;
}

/** Paths of PEM files. */
export interface TlsFiles {
  /** The authority to trust; for a self-signed certificate an authority that did not sign it. */
  ca: string;
  cert: string;
  key: string;
}

interface Signer {
  name: forge.pki.CertificateField[];
  key: forge.pki.rsa.PrivateKey;
}

function named(commonName: string): forge.pki.CertificateField[] {
  return [{ name: 'commonName', value: commonName }];
}

interface Draft {
  commonName: string;
  keys: forge.pki.rsa.KeyPair;
  signer: Signer | null;
  expired: boolean;
  extensions: object[];
}

function certificate({ commonName, keys, signer, expired, extensions }: Draft): string {
  const cert = forge.pki.createCertificate();
  const now = systemClock.now();
  cert.publicKey = keys.publicKey;
  cert.serialNumber = `01${forge.util.bytesToHex(forge.random.getBytesSync(8))}`;
  cert.validity.notBefore = new Date(now - 30 * DAY_MS);
  cert.validity.notAfter = new Date(now + (expired ? -1 : 30) * DAY_MS);
  cert.setSubject(named(commonName));
  cert.setIssuer(signer?.name ?? named(commonName));
  cert.setExtensions(extensions);
  cert.sign(signer?.key ?? keys.privateKey, forge.md.sha256.create());
  return forge.pki.certificateToPem(cert);
}

/** Makes ca.crt, server.crt and server.key in `directory`. */
export function makeTlsFiles(
  directory: string,
  { host, expired = false, selfSigned = false }: TlsOptions,
): TlsFiles {
  mkdirSync(directory, { recursive: true });
  const caName = 'Matriarch test authority';
  const caKeys = forge.pki.rsa.generateKeyPair(2048);
  const keys = forge.pki.rsa.generateKeyPair(2048);
  const authority = certificate({
    commonName: caName,
    keys: caKeys,
    signer: null,
    expired: false,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true },
    ],
  });
  const altName = isIP(host) === 0 ? { type: 2, value: host } : { type: 7, ip: host };
  const server = certificate({
    commonName: host,
    keys,
    signer: selfSigned ? null : { name: named(caName), key: caKeys.privateKey },
    expired,
    extensions: [
      { name: 'subjectAltName', altNames: [altName] },
      { name: 'extKeyUsage', serverAuth: true },
    ],
  });
  const files = { ca: 'ca.crt', cert: 'server.crt', key: 'server.key' };
  const at = (name: string) => path.join(directory, name);
  writeFileSync(at(files.ca), authority);
  writeFileSync(at(files.cert), server);
  writeFileSync(at(files.key), forge.pki.privateKeyToPem(keys.privateKey), { mode: 0o600 });
  return { ca: at(files.ca), cert: at(files.cert), key: at(files.key) };
}
