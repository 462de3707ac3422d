// What is wrong with a datastore that somebody named, as the end of a sentence. Guards: nothing of its URL is in it.
import { isUnreachable } from './db.ts';
import { errorCode, Fault } from './errors.ts';

const PROBLEMS: Record<string, string> = {
  '28P01': 'the password is not right.',
  '28000': 'the server does not let this user in (pg_hba.conf).',
  '3D000': 'there is no such database. Create it, or name another.',
  '42501': 'the user may not create what Matriarch needs. Grant it create on the database.',
  '53100': 'its disk is full. Free space there.',
  '25006': 'it only reads, as a standby does. Name the primary.',
  '53300': 'the server has no free connection.',
  ENOTFOUND: 'the host name is not known.',
  EAI_AGAIN: 'the host name cannot be resolved now.',
  ECONNREFUSED: 'nothing listens at that address and port.',
  ETIMEDOUT: 'the server does not answer.',
  EHOSTUNREACH: 'there is no way to that address.',
};

const NO_TRIGGERS = /"session_replication_role"/;

/** Of handshakes: which words of the driver and of TLS mean what. */
const OF_TLS: readonly (readonly [RegExp, string])[] = [
  [/does not support SSL/, 'the server does not offer TLS. Leave out sslmode, or write sslmode=disable.'],
  [
    /self-signed|unable to (?:verify|get)|certificate/i,
    'its certificate is not trusted. Name its authority in sslrootcert, or write sslmode=require to encrypt without proof.',
  ],
  [
    /no (?:pg_hba\.conf entry|encryption)/,
    'the server lets this user in over TLS alone, or not at all: write sslmode=require, or see pg_hba.conf.',
  ],
];

function tlsProblem(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  return OF_TLS.find(([words]) => words.test(cause.message))?.[1];
}

/** A sentence for the ways in which a datastore that somebody named turns out unusable; undefined for the rest. */
export function datastoreProblem(error: unknown): string | undefined {
  const isSilent = error instanceof Fault && error.code === 'unavailable' && error.cause === undefined;
  if (isSilent) return PROBLEMS.ETIMEDOUT;
  const thrown = error instanceof Fault ? error.cause : error;
  const cause = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  if (cause instanceof Error && NO_TRIGGERS.test(cause.message))
    return 'its role has session_replication_role = replica, so triggers and foreign keys would not work. As a superuser, run: alter role … reset session_replication_role.';
  const known = PROBLEMS[errorCode(cause) ?? ''];
  return known ?? tlsProblem(cause) ?? (isUnreachable(cause) ? 'the server cannot be reached.' : undefined);
}
