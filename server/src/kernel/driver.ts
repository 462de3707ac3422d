// The only place that reaches into private members of pg, the driver. Each is here because the public interface has no way to do it:
// several messages in one packet, rows that do not become the driver's objects, sessions without the process's environment, and keys of
// SCRAM that are kept. Guards: driver.contract.test.ts holds the installed version against what is used here, so an update that moves
// one of them fails there and not in production; the house test refuses these names in any other file.
/// <reference path="./pg-crypto.d.ts" />
import { type EventEmitter, once } from 'node:events';
import pg from 'pg';
import crypto from 'pg/lib/crypto/utils.js';

/** A connection of the driver, as far as it is used. */
export interface DriverConnection {
  readonly stream: { readonly writable: boolean; write(message: Buffer): boolean };
  _send(bytes: Uint8Array): unknown;
  parse(statement: { name: string; text: string }): void;
  bind(portal: { values: readonly unknown[] }): void;
  execute(portal: object): void;
  sync(): void;
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
  sendCopyFail(why: string): void;
}

/** What the driver's own query does for one that is like it; each is called on that. */
interface QueryInside {
  submit(connection: object): Error | null;
  prepare(connection: object): void;
  hasBeenParsed(connection: object): boolean;
  _getRows(connection: object, rows: number | undefined): void;
}

export const driverQuery = pg.Query.prototype as unknown as QueryInside;

/** A pipeline of the driver takes nothing but its own queries. */
export const inheritDriverQuery = (prototype: object): void => {
  Object.setPrototypeOf(prototype, pg.Query.prototype);
};

/** The same connection, on which nothing is asked to be described. */
export const withoutDescribe = (connection: object): object =>
  Object.create(connection, { describe: { value() {} } });

/** Sends all messages of a statement at once, where the driver sends each by itself. */
export class MessageBatch {
  readonly #connection: DriverConnection;
  readonly #described: DriverConnection;
  readonly #undescribed: DriverConnection;
  #messages: Uint8Array[] = [];

  constructor(connection: DriverConnection) {
    this.#connection = connection;
    const _send = (message: Uint8Array) => this.#messages.push(message);
    this.#described = Object.assign(Object.create(connection), { _send });
    this.#undescribed = Object.assign(Object.create(connection), { _send, describe: () => undefined });
  }

  /** `write` is given the connection; without `describe`, one on which nothing is described. */
  send(describe: boolean, write: (connection: DriverConnection) => void): void {
    write(describe ? this.#described : this.#undescribed);
    const messages = this.#messages;
    this.#messages = [];
    this.#connection._send(Buffer.concat(messages));
  }
}

/** The server's process behind a session, as the server said at its start; 0: it has not said. */
export const processIdOf = (client: object): number =>
  'processID' in client && typeof client.processID === 'number' ? client.processID : 0;

interface ClientInside {
  readyForQuery?: boolean;
  connectionParameters: {
    options?: unknown;
    replication?: unknown;
    application_name?: unknown;
    fallback_application_name?: unknown;
    password: string | null;
  };
  connection: EventEmitter & StartupInside;
  password: string | null;
}

interface StartupInside {
  readonly stream: DriverConnection['stream'];
  startup(parameters: Readonly<Record<string, string>>): void;
}

const PROTOCOL_3 = 3 << 16;

/** The driver's own startup message asks for UTF-8, whatever it is told. */
function startWith(connection: StartupInside, encoding: string): void {
  connection.startup = (parameters) => {
    const pairs = Object.entries({ ...parameters, client_encoding: encoding }).flat();
    const body = Buffer.from(`${pairs.join('\0')}\0\0`);
    const head = Buffer.alloc(8);
    head.writeInt32BE(head.length + body.length, 0);
    head.writeInt32BE(PROTOCOL_3, 4);
    connection.stream.write(Buffer.concat([head, body]));
  };
}

export interface StartupControl {
  /** Emits what the server says, such as `parameterStatus`. */
  connection: EventEmitter;
  forgetPassword(): void;
}

/** Leaves `options` in the startup message, and nothing that the driver takes from the environment of this process. */
export function controlStartup(
  client: pg.Client,
  options: string | undefined,
  encoding?: string,
): StartupControl {
  const inside = client as unknown as ClientInside;
  const { connectionParameters } = inside;
  connectionParameters.options = options;
  connectionParameters.replication = undefined;
  // A pooler may pass what is said at the start to a session that others get: the name is a setting as others are.
  connectionParameters.application_name = undefined;
  connectionParameters.fallback_application_name = undefined;
  if (encoding !== undefined) startWith(inside.connection, encoding);
  const forgetPassword = () => {
    inside.password = null;
    connectionParameters.password = null;
  };
  return { connection: inside.connection, forgetPassword };
}

/** The functions of SCRAM; replacing one replaces it for all sessions of this process. */
export const scram: Pick<typeof crypto, 'deriveKey' | 'hmacSha256' | 'sha256'> = crypto;

/** Resolves when the server is ready for another statement, which it says a moment after the error of the last one. */
export async function readyAgain(client: object): Promise<void> {
  const { readyForQuery, connection } = client as ClientInside;
  if (readyForQuery === false) await once(connection, 'readyForQuery');
}
