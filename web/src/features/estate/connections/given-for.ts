// Where the password in the form, or the stored one behind it, may be sent: where it was given for and nowhere else. The
// server refuses the same; here it is said in words before anything is sent. Pure.
import type { FormValues, SslMode } from './form-values.ts';

export type Whereabouts = Pick<FormValues, 'host' | 'port' | 'username' | 'ssl_mode' | 'ssl_root_cert_path'>;

const BY_PROTECTION: readonly SslMode[] = [
  'disable',
  'allow',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
];
const rank = (mode: SslMode) => BY_PROTECTION.indexOf(mode);

/** A blank field was not known yet when the password was given. */
function differs(given: string, wanted: string): boolean {
  return given.trim() !== '' && given.trim() !== wanted.trim();
}

function isAnotherAddress(given: Whereabouts, wanted: Whereabouts): boolean {
  return (
    differs(given.host.toLowerCase(), wanted.host.toLowerCase()) ||
    differs(given.port, wanted.port) ||
    differs(given.username, wanted.username)
  );
}

function trustsOthers(given: Whereabouts, wanted: Whereabouts): boolean {
  const [before, after] = [given.ssl_root_cert_path.trim(), wanted.ssl_root_cert_path.trim()];
  return before !== after && (before !== '' || rank(given.ssl_mode) >= rank('verify-ca'));
}

const addressText = ({ host, port, username }: Whereabouts) => {
  const at = host.trim() === '' ? 'another server' : `${host.trim()}:${port.trim()}`;
  return username.trim() === '' ? at : `${at} as ${username.trim()}`;
};

/** Why the password has to be typed again; undefined when it may go where the fields lead. */
export function whyAgain(given: Whereabouts, wanted: Whereabouts): string | undefined {
  if (isAnotherAddress(given, wanted)) return `it was given for ${addressText(given)}`;
  if (rank(wanted.ssl_mode) < rank(given.ssl_mode))
    return `it was given for the encryption ${given.ssl_mode}, and ${wanted.ssl_mode} protects it less`;
  if (trustsOthers(given, wanted)) return 'it was given for another root certificate';
  return undefined;
}
