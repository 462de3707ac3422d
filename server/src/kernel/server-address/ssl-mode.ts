// libpq's sslmode as data: which attempts are made, in which order, and what is verified. Pure. Guards: a mode never
// does less than libpq does under the same name. Source: libpq-connect (sslmode, sslrootcert) and fe-connect.c.

export const SSL_MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof SSL_MODES)[number];

export interface ConnectAttempt {
  /**
   * `never`: plain. `if_offered`: TLS when the server has it, else plain on the same connection.
   * `required`: TLS or nothing.
   */
  tls: 'never' | 'if_offered' | 'required';
}

export interface TlsPlan {
  /** In this order. A later one is made only after the server or the handshake refused the one before. */
  attempts: readonly ConnectAttempt[];
  verify: 'nothing' | 'authority' | 'authority_and_host';
  /** Where trusted authorities come from when something is verified. */
  authorities: 'file' | 'system';
}

const ATTEMPTS: Record<SslMode, readonly ConnectAttempt[]> = {
  disable: [{ tls: 'never' }],
  allow: [{ tls: 'never' }, { tls: 'if_offered' }],
  prefer: [{ tls: 'if_offered' }, { tls: 'never' }],
  require: [{ tls: 'required' }],
  'verify-ca': [{ tls: 'required' }],
  'verify-full': [{ tls: 'required' }],
};

/**
 * What a mode means. With a root certificate file the authority is verified whenever TLS is spoken, as libpq does,
 * also under `require`. Without one, the verifying modes trust the system's authorities; there only the host name
 * tells one server from another, so `verify-ca` then checks it too (libpq refuses that combination).
 */
export function tlsPlan(mode: SslMode, hasRootFile: boolean): TlsPlan {
  const attempts = ATTEMPTS[mode];
  if (mode === 'verify-full' || (mode === 'verify-ca' && !hasRootFile)) {
    return { attempts, verify: 'authority_and_host', authorities: hasRootFile ? 'file' : 'system' };
  }
  return { attempts, verify: hasRootFile ? 'authority' : 'nothing', authorities: 'file' };
}
