// When a stored password may be used: only for the destination it was entered for, as well protected as then. Pure.
import { SSL_MODES, type SslMode } from '../../kernel/server-address/ssl-mode.ts';

/** Where a password goes, as whom, and how well it is protected on the way. */
export interface Destination {
  host: string;
  hostaddr: string | null;
  port: number;
  username: string;
  ssl_mode: SslMode;
  ssl_root_cert_path: string | null;
}

/** These members alone, in one order and as a text column gives them back. */
export function destinationOf(facts: Destination): Destination {
  const text = (value: string | null) => value?.toWellFormed() ?? null;
  return {
    host: facts.host.toWellFormed(),
    hostaddr: text(facts.hostaddr),
    port: facts.port,
    username: facts.username.toWellFormed(),
    ssl_mode: facts.ssl_mode,
    ssl_root_cert_path: text(facts.ssl_root_cert_path),
  };
}

/** One text for one destination, which a sealed password is bound to. */
export function destinationText(destination: Destination): string {
  return JSON.stringify(destinationOf(destination));
}

const rank = (mode: SslMode) => SSL_MODES.indexOf(mode);

/** Whom TLS trusts is another question of the same server, unless nobody was asked so far. */
function trustsOthers(stored: Destination, wanted: Destination): boolean {
  if (stored.ssl_root_cert_path === wanted.ssl_root_cert_path) return false;
  return stored.ssl_root_cert_path !== null || rank(stored.ssl_mode) >= rank('verify-ca');
}

/** What of the new facts leads to another server or role, or to the same with less protection; in words. */
export function redirections(stored: Destination, wanted: Destination): string[] {
  return [
    stored.host.toLowerCase() !== wanted.host.toLowerCase() && 'another host',
    stored.hostaddr !== wanted.hostaddr && 'another hostaddr',
    stored.port !== wanted.port && 'another port',
    stored.username !== wanted.username && 'another username',
    rank(wanted.ssl_mode) < rank(stored.ssl_mode) && 'a weaker ssl_mode',
    trustsOthers(stored, wanted) && 'another ssl_root_cert_path',
  ].filter((found) => found !== false);
}

export function goesElsewhere(stored: Destination, wanted: Destination): boolean {
  return redirections(stored, wanted).length > 0;
}
