// When a stored password may be used: only for the destination it was entered for, as well protected as then. Pure.
import { SSL_MODES, type SslMode } from '../../kernel/target/ssl-mode.ts';

export interface Destination {
  host: string;
  hostaddr: string | null;
  port: number;
  ssl_mode: SslMode;
  ssl_root_cert_path: string | null;
}

const rank = (mode: SslMode) => SSL_MODES.indexOf(mode);

/** Whom TLS trusts is another question of the same server, unless nobody was asked so far. */
function trustsOthers(stored: Destination, wanted: Destination): boolean {
  if (stored.ssl_root_cert_path === wanted.ssl_root_cert_path) return false;
  return stored.ssl_root_cert_path !== null || rank(stored.ssl_mode) >= rank('verify-ca');
}

/** True when the new facts lead to another server, or to the same one with less protection. */
export function goesElsewhere(stored: Destination, wanted: Destination): boolean {
  return (
    stored.host.toLowerCase() !== wanted.host.toLowerCase() ||
    stored.hostaddr !== wanted.hostaddr ||
    stored.port !== wanted.port ||
    rank(wanted.ssl_mode) < rank(stored.ssl_mode) ||
    trustsOthers(stored, wanted)
  );
}
