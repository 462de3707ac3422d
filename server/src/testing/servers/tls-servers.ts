// Servers that offer TLS in every way there is, good and bad, and what each ssl_mode has to come to with them.
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { SSL_MODES } from '../../kernel/server-address/ssl-mode.ts';
import { connectTarget, TargetError, type TargetSettings } from '../../monitored/connect.ts';
import { type ClusterOptions, startCluster, type TestCluster, testDirectory } from './postgres.ts';
import { testSettings } from './target.ts';
import { makeTlsFiles, type TlsFiles, type TlsOptions } from './tls-files.ts';

const BOTH = 'host all all 127.0.0.1/32 scram-sha-256';

/** What is wrong with the certificate, and whom the server lets in. */
const KINDS = {
  good: { certificate: 'good', hba: BOTH },
  expired: { certificate: 'expired', hba: BOTH },
  'wrong host': { certificate: 'wrong host', hba: BOTH },
  'self-signed': { certificate: 'self-signed', hba: BOTH },
  'no TLS': { certificate: null, hba: BOTH },
  'TLS only': { certificate: 'good', hba: BOTH.replace('host', 'hostssl') },
  'plain only': { certificate: 'good', hba: BOTH.replace('host', 'hostnossl') },
} as const;
export type ServerName = keyof typeof KINDS;
export const SERVERS = [
  ...(['good', 'expired', 'wrong host', 'self-signed', 'no TLS', 'TLS only', 'plain only'] as const),
] satisfies ServerName[];
/** With these, modes are tried everyday. */
export const MET_MOST = ['good', 'wrong host', 'no TLS'] as const satisfies ServerName[];

const CERTIFICATES = {
  good: { host: '127.0.0.1' },
  expired: { host: '127.0.0.1', expired: true },
  'wrong host': { host: 'elsewhere.example.com' },
  'self-signed': { host: '127.0.0.1', selfSigned: true },
} as const satisfies Record<string, TlsOptions>;
export type CertificateName = keyof typeof CERTIFICATES;

export class TlsServers {
  readonly #directory = testDirectory('target-tls');
  readonly #files = new Map<CertificateName, TlsFiles>();
  readonly #clusters = new Map<ServerName, TestCluster>();

  /** Starts those; one after the other, since each takes all of a processor. */
  async start(names: readonly ServerName[]): Promise<void> {
    for (const name of names) {
      const { certificate, hba } = KINDS[name];
      const options: ClusterOptions = certificate ? { tls: this.fileOf(certificate) } : {};
      this.#clusters.set(name, await startCluster({ ...options, hba: [hba] }));
    }
  }

  async stop(): Promise<void> {
    for (const cluster of this.#clusters.values()) await cluster.stop();
  }

  /** The files of a certificate, made when they are first asked for. */
  fileOf(name: CertificateName): TlsFiles {
    const directory = path.join(this.#directory, name.replaceAll(' ', '-'));
    const files = this.#files.get(name) ?? makeTlsFiles(directory, CERTIFICATES[name]);
    this.#files.set(name, files);
    return files;
  }

  /** The root certificate with which a server of that kind is asked; of one without TLS any good one. */
  rootOf(name: ServerName): string {
    return this.fileOf(KINDS[name].certificate ?? 'good').ca;
  }

  settingsOf(name: ServerName, over: Partial<TargetSettings>): TargetSettings {
    const found = this.#clusters.get(name);
    if (!found) throw new Error(`no server named ${name}`);
    return testSettings(found, over);
  }
}

/** `tls`, `plain`, or the code of the failure; what the server says of the session is checked along. */
export async function outcome(settings: TargetSettings): Promise<string> {
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

/** Every ssl_mode against those servers, with the root certificate and without it. */
export function playModes(servers: TlsServers, names: readonly ServerName[]): void {
  const cases = (table: Record<ServerName, readonly string[]>) =>
    names.flatMap((server) =>
      SSL_MODES.map((mode, index) => ({ server, mode, expected: table[server][index] })),
    );

  describe('S18: six modes', () => {
    it.each(cases(WITH_ROOT))(
      'root given: $mode, $server → $expected',
      async ({ server, mode: ssl_mode, expected }) => {
        const over = { ssl_mode, ssl_root_cert_path: servers.rootOf(server) };
        expect(await outcome(servers.settingsOf(server, over))).toBe(expected);
      },
    );

    it.each(cases(WITHOUT_ROOT))(
      'no root: $mode, $server → $expected',
      async ({ server, mode: ssl_mode, expected }) => {
        expect(await outcome(servers.settingsOf(server, { ssl_mode }))).toBe(expected);
      },
    );
  });
}
