// What rooms of a test's API share, made when the first of them asks for it, so that a test loads only the rooms that it names.
import path from 'node:path';
import type { PublicCtx } from '../../identity/access/principal.ts';
import { openVault } from '../../identity/secrets/vault.service.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Db } from '../../kernel/db.ts';
import type { Log } from '../../kernel/log.ts';
import type { Route } from '../../kernel/route.ts';
import type { Secret } from '../../kernel/secret.ts';
import { testDirectory } from '../servers/postgres.ts';

export interface TestParts {
  db: Db;
  /** Of the same database; what signs in there itself says that it is missing when absent. */
  url?: Secret;
  clock: Clock;
  log: Log;
  /** Where the secret key lies; that of the test when absent. */
  directory?: string;
  /** What close() ends, the last one first. */
  closeWith(end: () => Promise<void>): void;
  close(): Promise<void>;
}

/** The operations of one room: its `…Routes` where these take nothing, else a file beside this one. */
export type TestRoom = (
  parts: TestParts,
) => readonly Route<PublicCtx>[] | Promise<readonly Route<PublicCtx>[]>;

export function testParts(of: Pick<TestParts, 'db' | 'url' | 'clock' | 'log' | 'directory'>): TestParts {
  const ends: (() => Promise<void>)[] = [];
  return {
    ...of,
    closeWith: (end) => {
      ends.push(end);
    },
    close: async () => {
      for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end();
    },
  };
}

/** Made once for each test API. */
export function sharedPart<T>(make: (parts: TestParts) => T): (parts: TestParts) => T {
  const made = new WeakMap<TestParts, { part: T }>();
  return (parts) => {
    const { part } = made.get(parts) ?? { part: make(parts) };
    made.set(parts, { part });
    return part;
  };
}

/** With a secret key of the test's own. */
export const vaultOf = sharedPart(({ db, directory }) =>
  openVault({
    db,
    keyFile: path.join(directory ?? testDirectory('key'), 'secret.key'),
    createIfMissing: true,
  }),
);
