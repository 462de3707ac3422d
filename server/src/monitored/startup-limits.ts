// Limits of time of a role or a database that strike before our first message has taken them away, as a millisecond is over while a busy
// server reads it, or between statements where that message holds for itself alone. Guards: they are lifted as the session starts only where one has struck, since a pooler refuses settings there, and what a
// pooler refuses is asked without them again.
import type { TargetClient, TargetSettings } from './settings.ts';
import { TargetError } from './target-error.ts';

/** By the SQLSTATE of the limit. Older versions refuse settings that they do not know, so each is named only once it has struck. */
const LIFTING = new Map([
  ['57014', '-c statement_timeout=0'],
  ['57P05', '-c idle_session_timeout=0'],
  ['25P04', '-c transaction_timeout=0'],
]);
/** Of poolers and proxies that take no settings at the start. */
const REFUSING = new Set(['08P01', '0A000', '42704']);
const MOST_REMEMBERED = 1000;

const remembered = new Map<string, ReadonlySet<string>>();

const keyOf = ({ host, hostaddr = '', port, database, username }: TargetSettings) =>
  JSON.stringify([host, hostaddr, port, database, username]);

function remember(key: string, lifted: ReadonlySet<string>): void {
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  remembered.set(key, lifted);
}

/** Opens without the limits that are known to strike this role in this database. */
export async function withStartupLimits<T extends Pick<TargetClient, 'onLost'>>(
  settings: TargetSettings,
  open: (settings: TargetSettings) => Promise<T>,
): Promise<T> {
  const key = keyOf(settings);
  const { startup_options = '' } = settings;
  const lifted = new Set(remembered.get(key));
  let first: unknown;
  for (;;) {
    const options = [startup_options, ...lifted].join(' ').trim();
    try {
      const session = await open({ ...settings, startup_options: options === '' ? undefined : options });
      if (lifted.size > 0) remember(key, lifted);
      session.onLost(({ code }) => {
        const lifting = LIFTING.get(code);
        if (lifting !== undefined) remember(key, new Set([...lifted, lifting]));
      });
      return session;
    } catch (error) {
      const { code = '' } = error instanceof TargetError ? error : {};
      const lifting = LIFTING.get(code);
      if (lifting !== undefined && !lifted.has(lifting)) {
        lifted.add(lifting);
        first ??= error;
        continue;
      }
      // What it was refused with is clearer than what came of trying otherwise.
      if (first !== undefined || lifted.size === 0 || !REFUSING.has(code)) throw first ?? error;
      remembered.delete(key);
      lifted.clear();
      first = error;
    }
  }
}
