// What is wrong with a datastore that somebody named, as the end of a sentence. Guards: nothing of its URL is in it.
import { errorCode, isUnreachable } from './db.ts';
import { Fault } from './errors.ts';

const PROBLEMS: Record<string, string> = {
  '28P01': 'the password is not right.',
  '28000': 'the server does not let this user in (pg_hba.conf).',
  '3D000': 'there is no such database. Create it, or name another.',
  '42501': 'the user may not create what Matriarch needs. Grant it create on the database.',
  '53300': 'the server has no free connection.',
  ENOTFOUND: 'the host name is not known.',
  EAI_AGAIN: 'the host name cannot be resolved now.',
  ECONNREFUSED: 'nothing listens at that address and port.',
  ETIMEDOUT: 'the server does not answer.',
  EHOSTUNREACH: 'there is no way to that address.',
};

/** A sentence for the ways in which a datastore that somebody named turns out unusable; undefined for the rest. */
export function datastoreProblem(error: unknown): string | undefined {
  const isSilent = error instanceof Fault && error.code === 'unavailable' && error.cause === undefined;
  if (isSilent) return PROBLEMS.ETIMEDOUT;
  const thrown = error instanceof Fault ? error.cause : error;
  const cause = thrown instanceof AggregateError ? thrown.errors[0] : thrown;
  const known = PROBLEMS[errorCode(cause) ?? ''];
  return known ?? (isUnreachable(cause) ? 'the server cannot be reached.' : undefined);
}
