// What each ssl_mode comes to with the servers that are met most, and certificates that cannot be read; expired and self-signed ones,
// and servers that refuse one way, are in tls.proof.test.ts.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientCertificate } from '../testing/servers/client-certificate.ts';
import { testDirectory } from '../testing/servers/postgres.ts';
import { MET_MOST, outcome, playModes, TlsServers } from '../testing/servers/tls-servers.ts';
import { connectTarget, openTarget, type TargetSettings } from './connect.ts';

const directory = testDirectory('client');
const servers = new TlsServers();
beforeAll(() => servers.start(MET_MOST));
afterAll(() => servers.stop());

playModes(servers, MET_MOST);

it('compares the name that was typed, not the address that was found', async () => {
  const root = servers.fileOf('wrong host').ca;
  const over = { ssl_mode: 'verify-full', ssl_root_cert_path: root } as const;
  const named = servers.settingsOf('wrong host', {
    ...over,
    host: 'elsewhere.example.com',
    hostaddr: '127.0.0.1',
  });
  expect(await outcome(named)).toBe('tls');
  const lookup = async () => ['127.0.0.1'];
  const other = openTarget({ ...named, hostaddr: undefined, host: 'other.example.com' }, { lookup });
  await expect(other).rejects.toMatchObject({ step: 'tls', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

describe('files of certificates', () => {
  const client = clientCertificate(directory, 'postgres');

  it.each<[string, () => Partial<TargetSettings>, RegExp]>([
    [
      'a missing file',
      () => ({ ssl_root_cert_path: path.join(directory, 'none.crt') }),
      /root certificate does not exist/,
    ],
    ['a relative path', () => ({ ssl_root_cert_path: 'ca.crt' }), /absolute path/],
    ['a directory', () => ({ ssl_root_cert_path: directory }), /not a regular file/],
    ['no certificate in the file', () => ({ ssl_root_cert_path: client.key }), /no PEM certificate/],
    ['a certificate without key', () => ({ ssl_cert_path: client.cert }), /both/],
    [
      'a key that others can read',
      () => {
        const key = path.join(directory, 'open.key');
        writeFileSync(key, readFileSync(client.key));
        chmodSync(key, 0o644);
        return { ssl_cert_path: client.cert, ssl_key_path: key };
      },
      /read by others/,
    ],
    [
      'a key of another certificate',
      () => ({ ssl_cert_path: servers.fileOf('good').cert, ssl_key_path: client.key }),
      /do not belong together/,
    ],
    [
      'a huge file',
      () => {
        const file = path.join(directory, 'huge.crt');
        writeFileSync(file, Buffer.alloc(1024 * 1024 + 1, 'x'));
        return { ssl_root_cert_path: file };
      },
      /larger than/,
    ],
  ])('%s stops the connection, in every mode that speaks TLS', async (_, over, words) => {
    for (const ssl_mode of ['allow', 'prefer', 'verify-full'] as const) {
      const error = await connectTarget(servers.settingsOf('good', { ssl_mode, ...over() })).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ step: 'tls' });
      expect(String(error)).toMatch(words);
    }
  });
});
