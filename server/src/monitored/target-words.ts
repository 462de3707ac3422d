// The sentences for what goes wrong between us and a monitored server. Pure data: each says what failed and what to
// do about it, in words for whoever typed in the connection.
import type { TargetFacts, TargetStep } from './target-error.ts';

/** A step and a sentence; the code and the cause come from the failure itself. */
export type FailureMessage = (facts: TargetFacts) => { step: TargetStep; message: string };

const noSuchHost: FailureMessage = ({ host }) => ({
  step: 'resolve',
  message: `The name ${host} is not known to DNS here. Check its spelling.`,
});
const dnsAway: FailureMessage = ({ host }) => ({
  step: 'resolve',
  message: `DNS did not answer for ${host}. Check this machine's name servers.`,
});
const refused: FailureMessage = ({ host, port }) => ({
  step: 'connect',
  message: `Nothing listens on ${host} port ${port}. Check the port, that PostgreSQL runs, and its listen_addresses.`,
});
const noRoute: FailureMessage = ({ host }) => ({
  step: 'connect',
  message: `There is no route to ${host}. Check the network and firewalls between here and there.`,
});
const dropped: FailureMessage = ({ host, port }) => ({
  step: 'connect',
  message: `${host} port ${port} closed the connection. Check that a PostgreSQL server answers there.`,
});
/** Of a session that was open. */
export const sessionDropped: FailureMessage = ({ host, port }) => ({
  step: 'connect',
  message: `The session on ${host} port ${port} broke off: the server crashed, was stopped at once or failed over, or a proxy or firewall ended it.`,
});
const noDescriptors: FailureMessage = () => ({
  step: 'connect',
  message: 'This machine has no free sockets or file descriptors left for another connection.',
});

export const SOCKET_WORDS = new Map<string, FailureMessage>([
  ['ENOTFOUND', noSuchHost],
  ['ENODATA', noSuchHost],
  ['EAI_NONAME', noSuchHost],
  ['EAI_NODATA', noSuchHost],
  ['EAI_AGAIN', dnsAway],
  ['EAI_FAIL', dnsAway],
  ['ETIMEOUT', dnsAway],
  ['ECONNREFUSED', refused],
  ['EHOSTUNREACH', noRoute],
  ['ENETUNREACH', noRoute],
  ['EHOSTDOWN', noRoute],
  ['EADDRNOTAVAIL', noRoute],
  ['EACCES', noRoute],
  ['EPERM', noRoute],
  ['ETIMEDOUT', noRoute],
  ['ECONNRESET', dropped],
  ['EPIPE', dropped],
  ['ECONNABORTED', dropped],
  ['EMFILE', noDescriptors],
  ['ENFILE', noDescriptors],
]);

const tlsWords =
  (sentence: (facts: TargetFacts) => string): FailureMessage =>
  (facts) => ({ step: 'tls', message: sentence(facts) });

const expired = tlsWords(({ host }) => `The TLS certificate of ${host} has expired. Renew it on the server.`);
const unknownAuthority = tlsWords(
  ({ host }) =>
    `The TLS certificate of ${host} is signed by an authority that is not trusted here. Set the root certificate path to that authority's certificate.`,
);
const wrongHost = tlsWords(
  ({ host }) =>
    `The TLS certificate is not for ${host}. Use a host name of the certificate, or ssl_mode verify-ca.`,
);
const wantsCertificate = tlsWords(
  () =>
    'The server wants a client certificate it trusts. Set the certificate and key paths of this connection.',
);
const oldTls = tlsWords(
  () => 'The server speaks no TLS version that is allowed here (1.2 or newer is needed).',
);
export const tlsBroken = tlsWords(({ host }) => `The TLS handshake with ${host} failed.`);

export const TLS_WORDS: readonly (readonly [RegExp, FailureMessage])[] = [
  [/^CERT_HAS_EXPIRED$/, expired],
  [
    /^CERT_NOT_YET_VALID$/,
    tlsWords(({ host }) => `The TLS certificate of ${host} is not valid yet. Compare the clocks.`),
  ],
  [/^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH|IP_ADDRESS_MISMATCH)$/, wrongHost],
  [
    /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    tlsWords(
      ({ host }) =>
        `The TLS certificate of ${host} is self-signed. Set the root certificate path to that certificate.`,
    ),
  ],
  [
    /^(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_UNTRUSTED|INVALID_CA|CERT_SIGNATURE_FAILURE)/,
    unknownAuthority,
  ],
  [/^CERT_REVOKED$/, tlsWords(({ host }) => `The TLS certificate of ${host} has been revoked.`)],
  [/ALERT_(CERTIFICATE_REQUIRED|UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_|UNSUPPORTED_CERT)/, wantsCertificate],
  [/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|VERSION_TOO_LOW/, oldTls],
  [/^(ERR_SSL_|ERR_TLS_|EPROTO$|ERR_OSSL_|CERT_|CRL_)/, tlsBroken],
];

export const signIn =
  (sentence: (facts: TargetFacts) => string): FailureMessage =>
  (facts) => ({ step: 'sign_in', message: sentence(facts) });
const wait = signIn(() => 'The server is not accepting connections now (starting, stopping or recovering).');

const whileRunning =
  (sentence: (facts: TargetFacts) => string): FailureMessage =>
  (facts) => ({ step: 'statement', message: sentence(facts) });
const corrupted = whileRunning(
  () =>
    'The server reports corrupted data while it reads. Look for the file in its log, and check disks, memory and backups before anything is written.',
);

export const STATES = new Map<string, FailureMessage>([
  [
    '28P01',
    signIn(
      ({ username }) => `The password for ${username} is wrong, or there is no such role on the server.`,
    ),
  ],
  [
    '28000',
    signIn(
      ({ username, database }) =>
        `The server does not let ${username} sign in to ${database} from here. Check that pg_hba.conf has a line for it that comes before any reject, and whether that line asks for TLS or a client certificate.`,
    ),
  ],
  [
    '3D000',
    ({ database }) => ({
      step: 'database',
      message: `The database ${database} does not exist on the server.`,
    }),
  ],
  [
    '42501',
    ({ username }) => ({
      step: 'permission',
      message: `${username} lacks a permission for this. Grant it with the monitoring script.`,
    }),
  ],
  [
    '53300',
    signIn(
      ({ username }) =>
        `The server has no free connection for ${username}. Raise max_connections, or end sessions that idle.`,
    ),
  ],
  ['57P03', wait],
  ['57P01', signIn(() => 'The server closed the session: it is stopping, or an administrator ended it.')],
  ['57P02', signIn(() => 'The server closed the session after another of its processes crashed.')],
  ['57P05', signIn(() => 'The server closed the session because it was idle for too long.')],
  ['57014', () => ({ step: 'timeout', message: 'The statement ran longer than allowed and was cancelled.' })],
  ['55P03', () => ({ step: 'timeout', message: 'Another session held a lock on the server for too long.' })],
  [
    '25P04',
    whileRunning(
      ({ username }) =>
        `transaction_timeout ended the session of ${username}. Run: alter role ${username} set transaction_timeout = 0.`,
    ),
  ],
  [
    '53100',
    whileRunning(
      () => 'The server has no free space on a disk: it could not write a file for the statement.',
    ),
  ],
  ['53200', whileRunning(() => 'The server has no free memory for the statement (out of memory).')],
  [
    '53400',
    whileRunning(
      ({ username }) =>
        `The statement needs more than a limit of ${username} on the server allows, such as temp_file_limit. Run: alter role ${username} reset temp_file_limit, and reset work_mem.`,
    ),
  ],
  [
    '54001',
    whileRunning(
      ({ username }) =>
        `max_stack_depth of the server or of ${username} is too low for the statement. Run: alter role ${username} reset max_stack_depth.`,
    ),
  ],
  ['57P04', signIn(({ database }) => `The database ${database} was dropped while the session was open.`)],
  [
    '58030',
    whileRunning(() => 'The server cannot read or write a file (I/O error). Look at its log and disks.'),
  ],
  ['XX001', corrupted],
  ['XX002', corrupted],
]);

/** Sentences for what the server calls 28000 ("invalid authorization"), told apart by its words where they are English. */
export const AUTHORIZATION: readonly (readonly [RegExp, string, FailureMessage])[] = [
  [
    /no pg_hba\.conf entry.*(no encryption|SSL off)/s,
    'no_encryption',
    signIn(
      ({ username, database }) =>
        `The server's pg_hba.conf has no line that lets ${username} reach ${database} from here without TLS. Use ssl_mode require or stricter, or add a line.`,
    ),
  ],
  [
    /pg_hba\.conf rejects.*(no encryption|SSL off)/s,
    'no_encryption',
    signIn(
      ({ username, database }) =>
        `A reject line in the server's pg_hba.conf keeps ${username} out of ${database} from here, at least without TLS. Try ssl_mode require.`,
    ),
  ],
  [
    /no pg_hba\.conf entry/,
    'no_hba_entry',
    signIn(
      ({ username, database }) =>
        `The server's pg_hba.conf has no line that lets ${username} reach ${database} from here. Add one and reload.`,
    ),
  ],
  [
    /pg_hba\.conf rejects/,
    'hba_reject',
    signIn(
      ({ username, database }) =>
        `A reject line in the server's pg_hba.conf keeps ${username} out of ${database} from here.`,
    ),
  ],
  [
    /not permitted to log in/,
    '28000',
    signIn(({ username }) => `The role ${username} is not allowed to log in. Run: alter role … login.`),
  ],
  [
    /role ".*" does not exist/s,
    '28000',
    signIn(({ username }) => `The role ${username} does not exist on the server.`),
  ],
  [/client certificate|certificate authentication/, '28000', wantsCertificate],
];
