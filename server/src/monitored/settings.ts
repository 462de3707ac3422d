// What is needed to reach a monitored server, and what one gets. Types only.
import type { Secret } from '../kernel/secret.ts';
import type { SslMode } from '../kernel/server-address/ssl-mode.ts';
import type { Way } from './own-session.ts';
import type { TargetError } from './target-error.ts';

/** A password that is fetched for each session, from a source outside. Both reject with a TargetError. */
export interface FetchedPassword {
  /** For this address of the server; undefined before one is known, which only makes it ready. */
  fetch(address: string | undefined): Promise<Secret | undefined>;
  /** The server refused this one. Answers another one when there is one now. */
  renew(refused: Secret): Promise<Secret | undefined>;
  /** Of the source, for sentences. */
  readonly source: string;
}

export interface TargetSettings {
  /** A DNS name or an IP address. TLS checks certificates against it. */
  host: string;
  /** An address to connect to instead of resolving `host`. */
  hostaddr?: string | undefined;
  port: number;
  database: string;
  username: string;
  password: Secret | undefined;
  /** Instead of `password`. */
  fetched_password?: FetchedPassword | undefined;
  ssl_mode: SslMode;
  ssl_cert_path?: string | undefined;
  ssl_key_path?: string | undefined;
  ssl_root_cert_path?: string | undefined;
  application_name: string;
  /** For everything until the session is ready: resolving, TCP, TLS, signing in. */
  connect_timeout_ms: number;
  /** Set on the server; the client gives up and closes the socket 2 s later. */
  statement_timeout_ms: number;
  /** Loopback and private addresses; the always refused ones stay refused. */
  allow_private_networks: boolean;
  /** Sends statements without waiting for the answers of earlier ones. */
  pipeline?: boolean | undefined;
  /** Said at the start, as `-c name=value`; a pooler may refuse it, so only where there is none. */
  startup_options?: string | undefined;
  /** Asked for at the start instead of UTF-8. */
  startup_encoding?: string | undefined;
  /** More settings of the session. Those the server does not know are left out. */
  session?: Readonly<Record<string, string>> | undefined;
  /** Most bytes of one reply (64 MiB when absent); a larger one closes the socket. */
  max_socket_bytes?: number | undefined;
}

/** The most that the answer to one statement may be; a server that sends more is cut off before rows are made of it. */
export interface ReplyLimits {
  /** 128 when absent. */
  readonly columns?: number;
  readonly rows?: number;
  /** As they come over the wire. */
  readonly bytes?: number;
}

/** How a statement is asked. */
export interface Asking extends ReplyLimits {
  /** It is asked again and again in this session: the server prepares it once and keeps it under a name. */
  readonly isRepeated?: boolean;
  /** Its rows are each a `WireRow`: nothing is made of them before somebody reads a value. */
  readonly isRaw?: boolean;
  /** The server's limit for it, in a session that may be somebody else's next; the session's own is told by a statement. */
  readonly timeoutMs?: number | undefined;
  /** It begins, is in or ends a transaction of its own, which carries its settings: nothing may go before it. */
  readonly isInTransaction?: boolean;
  /**
   * By the simple protocol, in which one message may carry several statements: only for a text of which the grammar has shown that it is
   * one, and that the extended protocol does not take, such as `explain (generic_plan)` with parameters.
   */
  readonly isSimple?: boolean;
}

/** An answer on its way. Its rows count as held in memory until `free` is called or the session ends. */
export interface PendingReply<T> {
  /** Rejects with a TargetError whose code is the SQLSTATE when the server refused. */
  readonly rows: Promise<T[]>;
  free(): void;
}

/** An answer as the server wrote it: nothing is made of its cells, and columns may have the same name. */
export interface TextTable {
  readonly columns: readonly {
    readonly name: string;
    readonly type_oid: number;
    readonly type_modifier: number;
  }[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** Of the rows that were read or changed, as the server counts them; null where it counts none. */
  readonly row_count: number | null;
}

export interface TargetClient {
  /** As in `180004`. */
  readonly server_version_num: number;
  /** As the server writes it: `18.4`, `15.18 (Debian 15.18-1)`. */
  readonly server_version: string;
  /** Of the server's process that readied the session. */
  readonly backend_pid: number;
  /** Unless it is `direct`, settings hold for one statement each, and nothing may be left behind in the session. */
  readonly way: Way;
  readonly tls: boolean;
  /** The IP address of the server. */
  readonly address: string;
  /**
   * The rows of one statement (extended protocol, so one message never carries two). Values as in values.ts.
   * Rejects with a TargetError whose code is the SQLSTATE when the server refused.
   */
  query<T extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    how?: Asking,
  ): Promise<T[]>;
  /** The same for whoever reads large answers one after another: says itself when it has done with the rows. */
  ask<T extends object = Record<string, unknown>>(
    text: string,
    values?: readonly unknown[],
    how?: Asking,
  ): PendingReply<T>;
  /** Called once when the connection is lost without our asking; at once when it is lost already. */
  onLost(callback: (error: TargetError) => void): void;
  /** Says goodbye; after one second the socket is destroyed anyway. Never rejects. */
  close(): Promise<void>;
  /** Destroys the socket now. Statements under way reject. */
  destroy(): void;
}

/** Where statements of people are run too. */
export interface TextClient extends TargetClient {
  /** We left while a statement ran, so that the server may go on with it. */
  readonly isAbandoned: boolean;
  /** As `query`; answers what somebody will look at, of whatever columns. */
  table(text: string, values?: readonly unknown[], how?: Asking): Promise<TextTable>;
}
