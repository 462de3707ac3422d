// Every ssl_mode against every server that offers TLS badly, and signing in with a certificate; the servers that are met most are in
// tls.test.ts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientCertificate } from '../testing/servers/client-certificate.ts';
import { startCluster, testDirectory } from '../testing/servers/postgres.ts';
import {
  type CertificateName,
  MET_MOST,
  outcome,
  playModes,
  SERVERS,
  type ServerName,
  TlsServers,
} from '../testing/servers/tls-servers.ts';
import { connectTarget, TargetError, type TargetSettings } from './connect.ts';

const servers = new TlsServers();
beforeAll(() => servers.start(SERVERS));
afterAll(() => servers.stop());

playModes(
  servers,
  SERVERS.filter((name) => !MET_MOST.some((everyday) => everyday === name)),
);

describe('verification', () => {
  it('refuses a certificate of another authority', async () => {
    const root = servers.fileOf('expired').ca;
    const over = { ssl_mode: 'verify-ca', ssl_root_cert_path: root } as const;
    expect(await outcome(servers.settingsOf('good', over))).toMatch(
      /^tls: (UNABLE_TO_|CERT_SIGNATURE_FAILURE)/,
    );
  });

  it('says what to do in plain words', async () => {
    const words = async (server: ServerName, over: Partial<TargetSettings>) => {
      const error = await connectTarget(servers.settingsOf(server, over)).catch((reason: unknown) => reason);
      return error instanceof TargetError ? error.message : '';
    };
    const full = { ssl_mode: 'verify-full' } as const;
    const rooted = (name: CertificateName) => ({ ...full, ssl_root_cert_path: servers.fileOf(name).ca });
    expect(await words('expired', rooted('expired'))).toMatch(/has expired. Renew it/);
    expect(await words('wrong host', rooted('wrong host'))).toMatch(/not for 127.0.0.1/);
    expect(await words('self-signed', rooted('self-signed'))).toMatch(/self-signed/);
    expect(await words('good', full)).toMatch(/authority that is not trusted/);
    expect(await words('TLS only', { ssl_mode: 'disable' })).toMatch(/without TLS. Use ssl_mode require/);
  });
});

describe('a client certificate', () => {
  const client = clientCertificate(testDirectory('client'), 'postgres');

  it('signs in without a password, and its absence is explained', async () => {
    await using cluster = await startCluster({
      tls: servers.fileOf('good'),
      settings: { ssl_ca_file: client.ca },
      hba: ['hostssl all all 127.0.0.1/32 cert'],
    });
    const settings = servers.settingsOf('good', {
      port: cluster.port,
      password: undefined,
      ssl_mode: 'require',
    });
    const paths = { ssl_cert_path: client.cert, ssl_key_path: client.key };
    expect(await outcome({ ...settings, ...paths })).toBe('tls');
    const without = await connectTarget(settings).catch((reason: unknown) => reason);
    expect(without).toMatchObject({ step: 'tls' });
    expect(String(without)).toMatch(/client certificate/);
  });
});
