// A certificate of a client, for tests of signing in with one.
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import forge from 'node-forge';

/** A certificate that says who the client is, with the authority that signed it. */
export function clientCertificate(
  directory: string,
  commonName: string,
): { cert: string; key: string; ca: string } {
  const authority = forge.pki.rsa.generateKeyPair(2048);
  const keys = forge.pki.rsa.generateKeyPair(2048);
  const make = (subject: string, of: forge.pki.rsa.KeyPair, isAuthority: boolean) => {
    const certificate = forge.pki.createCertificate();
    certificate.publicKey = of.publicKey;
    certificate.serialNumber = isAuthority ? '01' : '02';
    certificate.validity.notBefore = new Date('2020-01-01T00:00:00Z');
    certificate.validity.notAfter = new Date('2048-01-01T00:00:00Z');
    certificate.setSubject([{ name: 'commonName', value: subject }]);
    certificate.setIssuer([{ name: 'commonName', value: 'Client authority' }]);
    certificate.setExtensions([{ name: 'basicConstraints', cA: isAuthority, critical: true }]);
    certificate.sign(authority.privateKey, forge.md.sha256.create());
    return forge.pki.certificateToPem(certificate);
  };
  const write = (name: string, text: string, mode: number) => {
    const file = path.join(directory, name);
    writeFileSync(file, text, { mode });
    chmodSync(file, mode);
    return file;
  };
  return {
    ca: write('client-ca.crt', make('Client authority', authority, true), 0o644),
    cert: write('client.crt', make(commonName, keys, false), 0o644),
    key: write('client.key', forge.pki.privateKeyToPem(keys.privateKey), 0o600),
  };
}
