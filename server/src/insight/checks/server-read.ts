// What one look at a server brings, for a verdict without a datastore: what every probe read, what could not be read and why, and
// what went on while it was watched.
import type { UrlSettings } from '../../monitored/connection-url.ts';
import type { CollectedFacts } from './facts.ts';
import type { Trouble } from './judge.ts';

export interface WaitShare {
  /** Kind of what sessions wait for; `CPU` for those that wait for nothing. */
  readonly name: string;
  /** Mean number of active sessions. */
  readonly sessions: number;
}

/** What went on in the seconds that the server was watched. */
export interface Watched {
  readonly seconds: number;
  /** Null: it could not be read. */
  readonly transactions_per_second: number | null;
  /** Mean number of active sessions; null: it could not be read. */
  readonly load: number | null;
  readonly waits: readonly WaitShare[];
}

export interface ServerRead {
  readonly server_version: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly username: string;
  readonly is_encrypted: boolean;
  readonly known: CollectedFacts;
  /** By probe. */
  readonly troubles: ReadonlyMap<string, readonly Trouble[]>;
  readonly watched: Watched;
  /** Databases that were read; of more than a hundred the rest is not. */
  readonly databases: { readonly read: number; readonly all: number };
}

export interface ReadOptions {
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Told one line at each step. */
  readonly progress: (line: string) => void;
}

/** Rejects with TargetError. */
export type ReadServer = (settings: UrlSettings, options: ReadOptions) => Promise<ServerRead>;
