// A statement that a session has prepared under a name, in the driver's terms: what is asked a thousand times a second is
// asked without what the driver does for statements of any kind. Guards: of which columns the rows are is what the server
// said of this statement in this session, which refuses to run it once they would be others; whatever it told is let go
// of as soon as it is handed over, since what the driver keeps of a query would keep its rows as well.
import pg from 'pg';
import { types } from './row-values.ts';

export interface NamedStatement {
  text: string;
  name: string;
  values: unknown[];
}

export interface Answer {
  rows: object[];
  row_count: number;
}

type Done = (error: Error | null | undefined, answer: Answer | undefined) => void;
type Row = Record<string, unknown>;
type Described = readonly { name: string; dataTypeID: number }[];

/** What of the driver's connection is used. */
interface Connection {
  _send(bytes: Uint8Array): unknown;
  sendCopyFail(why: string): void;
}

/** What of the driver's query is used: it writes the messages of one that is as this one. */
interface Preparing {
  prepare(connection: object): void;
  hasBeenParsed(connection: object): boolean;
  _getRows(connection: object, rows: number | undefined): void;
}

const driver = pg.Query.prototype as unknown as Preparing;

class Columns {
  readonly #columns: readonly { name: string; parse(text: string): unknown }[];
  /** To copy, so that all rows are of one form from the beginning. */
  readonly #empty: Row;

  constructor(fields: Described) {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: types.getTypeParser(dataTypeID, 'text'),
    }));
    this.#empty = Object.fromEntries(fields.map(({ name }) => [name, null]));
  }

  rowOf(texts: readonly (string | null)[]): Row {
    const row = { ...this.#empty };
    let index = 0;
    for (const { name, parse } of this.#columns) {
      const text = texts[index] ?? null;
      if (text !== null) row[name] = parse(text);
      index += 1;
    }
    return row;
  }
}

/** What is known of a session, and how messages are written for it: all of a statement at once. */
class Session {
  /** Of each statement that it has prepared, by its name. */
  readonly columns = new Map<string, Columns>();
  readonly #connection: Connection;
  readonly #all: object;
  readonly #undescribed: object;
  #messages: Uint8Array[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
    const _send = (message: Uint8Array) => this.#messages.push(message);
    this.#all = Object.assign(Object.create(connection), { _send });
    this.#undescribed = Object.assign(Object.create(connection), { _send, describe: () => undefined });
  }

  /** `write` is given the connection; for a statement whose columns are known, one on which nothing is described. */
  send(isKnown: boolean, write: (connection: object) => void): void {
    write(isKnown ? this.#undescribed : this.#all);
    const messages = this.#messages;
    this.#messages = [];
    this.#connection._send(Buffer.concat(messages));
  }
}

const sessions = new WeakMap<object, Session>();

function sessionOf(connection: Connection): Session {
  const known = sessions.get(connection) ?? new Session(connection);
  sessions.set(connection, known);
  return known;
}

const COUNT = / (\d+)$/;

export class NamedQuery {
  readonly name: string;
  readonly text: string;
  readonly values: unknown[];
  readonly portal = '';
  readonly binary = false;
  readonly types = undefined;
  /** The driver means by it how many rows to read at a time; all of them. */
  readonly rows = undefined;
  /** The driver sets another one around it. */
  callback: Done;
  #columns: Columns | undefined;
  #read: Row[] = [];
  #count = 0;
  #failure: unknown;
  #session: Session | undefined;

  constructor({ name, text, values }: NamedStatement, callback: Done) {
    this.name = name;
    this.text = text;
    this.values = values;
    this.callback = callback;
  }

  hasBeenParsed(connection: object): boolean {
    return driver.hasBeenParsed.call(this, connection);
  }
  _getRows(connection: object, rows: number | undefined): void {
    driver._getRows.call(this, connection, rows);
  }

  submit(connection: Connection): null {
    const session = sessionOf(connection);
    this.#session = session;
    this.#columns = this.hasBeenParsed(connection) ? session.columns.get(this.name) : undefined;
    session.send(this.#columns !== undefined, (batch) => driver.prepare.call(this, batch));
    return null;
  }

  handleRowDescription({ fields }: { fields: Described }): void {
    this.#columns = new Columns(fields);
    this.#session?.columns.set(this.name, this.#columns);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    try {
      if (this.#columns && this.#failure === undefined) this.#read.push(this.#columns.rowOf(fields));
    } catch (error) {
      this.#failure = error;
    }
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#count = Number(COUNT.exec(text)?.[1] ?? 0);
  }
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyData(): void {}
  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail('No source stream defined');
  }

  handleError(error: Error): void {
    this.#end(error, undefined);
  }

  handleReadyForQuery(): void {
    if (this.#failure === undefined) this.#end(null, { rows: this.#read, row_count: this.#count });
    else
      this.#end(this.#failure instanceof Error ? this.#failure : new Error(String(this.#failure)), undefined);
  }

  #end(error: Error | null, answer: Answer | undefined): void {
    const { callback } = this;
    this.callback = () => undefined;
    this.#read = [];
    this.#columns = undefined;
    this.#session = undefined;
    callback(error, answer);
  }
}
