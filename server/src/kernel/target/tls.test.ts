import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import forge from 'node-forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  makeTlsFiles,
  startCluster,
  type TestCluster,
  type TlsFiles,
  testDirectory,
} from '../../testing/servers/postgres.ts';
import { connectTarget, openTarget, TargetError, type TargetSettings } from './connect.ts';
import { SSL_MODES, type SslMode } from './ssl-mode.ts';
import { testSettings } from './target-testing.ts';

const SERVERS = ['good', 'expired', 'wrong host', 'self-signed', 'no TLS', 'TLS only', 'plain only'] as const;
type ServerName = (typeof SERVERS)[number];

const directory = testDirectory('target-tls');
const clusters = new Map<ServerName, TestCluster>();
const files = new Map<string, TlsFiles>();
const BOTH = 'host all all 127.0.0.1/32 scram-sha-256';

function fileOf(name: string): TlsFiles {
  const found = files.get(name);
  if (!found) throw new Error(`no certificates named ${name}`);
  return found;
}

beforeAll(async () => {
  const make = (name: string, options: Parameters<typeof makeTlsFiles>[1]) =>
    files.set(name, makeTlsFiles(path.join(directory, name.replaceAll(' ', '-')), options));
  make('good', { host: '127.0.0.1' });
  make('expired', { host: '127.0.0.1', expired: true });
  make('wrong host', { host: 'elsewhere.example.com' });
  make('self-signed', { host: '127.0.0.1', selfSigned: true });
  const good = fileOf('good');
  const wanted: [ServerName, Parameters<typeof startCluster>[0]][] = [
    ['good', { tls: good, hba: [BOTH] }],
    ['expired', { tls: fileOf('expired'), hba: [BOTH] }],
    ['wrong host', { tls: fileOf('wrong host'), hba: [BOTH] }],
    ['self-signed', { tls: fileOf('self-signed'), hba: [BOTH] }],
    ['no TLS', { hba: [BOTH] }],
    ['TLS only', { tls: good, hba: [BOTH.replace('host', 'hostssl')] }],
    ['plain only', { tls: good, hba: [BOTH.replace('host', 'hostnossl')] }],
  ];
  for (const [name, options] of wanted) clusters.set(name, await startCluster(options));
}, 60_000);
afterAll(async () => {
  for (const cluster of clusters.values()) await cluster.stop();
});

function clusterOf(name: ServerName): TestCluster {
  const found = clusters.get(name);
  if (!found) throw new Error(`no server named ${name}`);
  return found;
}

const settingsOf = (name: ServerName, over: Partial<TargetSettings>) => testSettings(clusterOf(name), over);

/** `tls`, `plain`, or the code of the failure; what the server says of the session is checked along. */
async function outcome(settings: TargetSettings): Promise<string> {
  try {
    const client = await connectTarget(settings);
    const [row] = await client.query<{ ssl: boolean }>(
      'select ssl from pg_stat_ssl where pid = pg_backend_pid()',
    );
    expect(row?.ssl).toBe(client.tls);
    await client.close();
    return client.tls ? 'tls' : 'plain';
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    return `${error.step}: ${error.code}`;
  }
}

const EXPIRED = 'tls: CERT_HAS_EXPIRED';
const WRONG_HOST = 'tls: ERR_TLS_CERT_ALTNAME_INVALID';
const SELF_SIGNED = 'tls: DEPTH_ZERO_SELF_SIGNED_CERT';
const UNKNOWN = 'tls: UNABLE_TO_VERIFY_LEAF_SIGNATURE';
const NO_TLS = 'tls: tls_not_offered';
const NEEDS_TLS = 'sign_in: no_encryption';
const NO_LINE = 'sign_in: no_hba_entry';

/** In the order of SSL_MODES: disable, allow, prefer, require, verify-ca, verify-full. */
const WITH_ROOT: Record<ServerName, readonly string[]> = {
  good: ['plain', 'plain', 'tls', 'tls', 'tls', 'tls'],
  expired: ['plain', 'plain', 'plain', EXPIRED, EXPIRED, EXPIRED],
  'wrong host': ['plain', 'plain', 'tls', 'tls', 'tls', WRONG_HOST],
  'self-signed': ['plain', 'plain', 'plain', SELF_SIGNED, SELF_SIGNED, SELF_SIGNED],
  'no TLS': ['plain', 'plain', 'plain', NO_TLS, NO_TLS, NO_TLS],
  'TLS only': [NEEDS_TLS, 'tls', 'tls', 'tls', 'tls', 'tls'],
  'plain only': ['plain', 'plain', 'plain', NO_LINE, NO_LINE, NO_LINE],
};
const WITHOUT_ROOT: Record<ServerName, readonly string[]> = {
  good: ['plain', 'plain', 'tls', 'tls', UNKNOWN, UNKNOWN],
  expired: ['plain', 'plain', 'tls', 'tls', EXPIRED, EXPIRED],
  'wrong host': ['plain', 'plain', 'tls', 'tls', UNKNOWN, UNKNOWN],
  'self-signed': ['plain', 'plain', 'tls', 'tls', SELF_SIGNED, SELF_SIGNED],
  'no TLS': ['plain', 'plain', 'plain', NO_TLS, NO_TLS, NO_TLS],
  'TLS only': [NEEDS_TLS, 'tls', 'tls', 'tls', UNKNOWN, UNKNOWN],
  'plain only': ['plain', 'plain', 'plain', NO_LINE, UNKNOWN, UNKNOWN],
};

interface Case {
  server: ServerName;
  mode: SslMode;
  expected: string | undefined;
}

const casesOf = (table: Record<ServerName, readonly string[]>): Case[] =>
  SERVERS.flatMap((server) =>
    SSL_MODES.map((mode, index) => ({ server, mode, expected: table[server][index] })),
  );

describe('S18: six modes against seven servers', () => {
  it.each(casesOf(WITH_ROOT))(
    'root given: $mode, $server → $expected',
    async ({ server, mode, expected }) => {
      const source = server in { good: 1, 'TLS only': 1, 'plain only': 1, 'no TLS': 1 } ? 'good' : server;
      const root = fileOf(source).ca;
      expect(await outcome(settingsOf(server, { ssl_mode: mode, ssl_root_cert_path: root }))).toBe(expected);
    },
  );

  it.each(casesOf(WITHOUT_ROOT))(
    'no root: $mode, $server → $expected',
    async ({ server, mode, expected }) => {
      expect(await outcome(settingsOf(server, { ssl_mode: mode }))).toBe(expected);
    },
  );
});

describe('verification', () => {
  it('refuses a certificate of another authority', async () => {
    const root = fileOf('expired').ca;
    const over = { ssl_mode: 'verify-ca', ssl_root_cert_path: root } as const;
    expect(await outcome(settingsOf('good', over))).toMatch(/^tls: (UNABLE_TO_|CERT_SIGNATURE_FAILURE)/);
  });

  it('compares the name that was typed, not the address that was found', async () => {
    const root = fileOf('wrong host').ca;
    const over = { ssl_mode: 'verify-full', ssl_root_cert_path: root } as const;
    const named = settingsOf('wrong host', { ...over, host: 'elsewhere.example.com', hostaddr: '127.0.0.1' });
    expect(await outcome(named)).toBe('tls');
    const lookup = async () => ['127.0.0.1'];
    const other = openTarget({ ...named, hostaddr: undefined, host: 'other.example.com' }, { lookup });
    await expect(other).rejects.toMatchObject({ step: 'tls', code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  });

  it('says what to do in plain words', async () => {
    const words = async (server: ServerName, over: Partial<TargetSettings>) => {
      const error = await connectTarget(settingsOf(server, over)).catch((reason: unknown) => reason);
      return error instanceof TargetError ? error.message : '';
    };
    const full = { ssl_mode: 'verify-full' } as const;
    const rooted = (name: ServerName) => ({ ...full, ssl_root_cert_path: fileOf(name).ca });
    expect(await words('expired', rooted('expired'))).toMatch(/has expired. Renew it/);
    expect(await words('wrong host', rooted('wrong host'))).toMatch(/not for 127.0.0.1/);
    expect(await words('self-signed', rooted('self-signed'))).toMatch(/self-signed/);
    expect(await words('good', full)).toMatch(/authority that is not trusted/);
    expect(await words('TLS only', { ssl_mode: 'disable' })).toMatch(/without TLS. Use ssl_mode require/);
  });
});

/** A certificate that says who the client is, signed by the authority of `files`. */
function clientCertificate(commonName: string): { cert: string; key: string; ca: string } {
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

describe('a client certificate', () => {
  const client = clientCertificate('postgres');

  it('signs in without a password, and its absence is explained', async () => {
    await using cluster = await startCluster({
      tls: fileOf('good'),
      settings: { ssl_ca_file: client.ca },
      hba: ['hostssl all all 127.0.0.1/32 cert'],
    });
    const settings = settingsOf('good', { port: cluster.port, password: undefined, ssl_mode: 'require' });
    const paths = { ssl_cert_path: client.cert, ssl_key_path: client.key };
    expect(await outcome({ ...settings, ...paths })).toBe('tls');
    const without = await connectTarget(settings).catch((reason: unknown) => reason);
    expect(without).toMatchObject({ step: 'tls' });
    expect(String(without)).toMatch(/client certificate/);
  });

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
      () => ({ ssl_cert_path: fileOf('good').cert, ssl_key_path: client.key }),
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
      const error = await connectTarget(settingsOf('good', { ssl_mode, ...over() })).catch(
        (reason: unknown) => reason,
      );
      expect(error).toMatchObject({ step: 'tls' });
      expect(String(error)).toMatch(words);
    }
  });
});
