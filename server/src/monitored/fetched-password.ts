// A session whose password comes from a source outside. Guards: the source takes nothing of the time to connect, a password is handed
// out for the address that was connected to alone, and a refused one is fetched again once.
import type { Secret } from '../kernel/secret.ts';
import type { FetchedPassword, TargetSettings } from './settings.ts';
import { TargetError } from './target-error.ts';

/** Passwords that a server does not take, in PostgreSQL's words and those of PAM behind it. */
const REFUSED = /^(?:28P01|28000)$/;

/** A failure is said when the server asks for a password, and not when it asks for none. */
async function makeReady(source: FetchedPassword, signal: AbortSignal | undefined): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => resolve();
  if (signal?.aborted) return;
  signal?.addEventListener('abort', done, { once: true });
  source.fetch(undefined).then(done, done);
  await promise;
  signal?.removeEventListener('abort', done);
}

function refusedPassword({ step, code, message }: TargetError, source: string): TargetError {
  const sentence = `${message} It came from the password source ${source}.`;
  return new TargetError({ step, code, message: sentence });
}

export async function withFetchedPassword<T>(
  settings: TargetSettings,
  signal: AbortSignal | undefined,
  open: (settings: TargetSettings) => Promise<T>,
): Promise<T> {
  const source = settings.fetched_password;
  if (!source) return open(settings);
  let sent: Secret | undefined;
  const fetch = async (address: string | undefined) => {
    sent = await source.fetch(address);
    return sent;
  };
  const watched = { ...settings, fetched_password: { ...source, fetch } };
  await makeReady(source, signal);
  try {
    return await open(watched);
  } catch (error) {
    if (!(error instanceof TargetError) || !REFUSED.test(error.code) || !sent) throw error;
    const other = await source.renew(sent);
    if (!other || signal?.aborted) throw refusedPassword(error, source.source);
    return await open(watched);
  }
}
