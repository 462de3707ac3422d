// When a stored password may be used: only for the destination it was entered for, as well protected as then. Pure.
import { SSL_MODES, type SslMode } from '../../kernel/target/ssl-mode.ts';

export interface Destination {
  host: string;
  hostaddr: string | null;
  port: number;
  ssl_mode: SslMode;
  ssl_root_cert_path: string | null;
}

/** True when the new facts lead to another server, or to the same one with less protection. */
export function goesElsewhere(stored: Destination, wanted: Destination): boolean {
  return (
    stored.host.toLowerCase() !== wanted.host.toLowerCase() ||
    stored.hostaddr !== wanted.hostaddr ||
    stored.port !== wanted.port ||
    SSL_MODES.indexOf(wanted.ssl_mode) < SSL_MODES.indexOf(stored.ssl_mode) ||
    (stored.ssl_root_cert_path !== null && stored.ssl_root_cert_path !== wanted.ssl_root_cert_path)
  );
}
