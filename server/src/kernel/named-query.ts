// A statement that a session has prepared under a name, in the driver's terms: what is asked a thousand times a second is
// asked without what the driver does for statements of any kind. Guards: of which columns the rows are is what the server
// said of this statement in this session, which refuses to run it once they would be others; whatever it told is let go
// of as soon as it is handed over, since what the driver keeps of a query would keep its rows as well.
import { type DriverConnection, driverQuery, MessageBatch } from './driver.ts';
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

/** What is known of a session, and how messages are written for it. */
class Session {
  /** Of each statement that it has prepared, by its name. */
  readonly columns = new Map<string, Columns>();
  readonly batch: MessageBatch;

  constructor(connection: DriverConnection) {
    this.batch = new MessageBatch(connection);
  }
}

const sessions = new WeakMap<object, Session>();

function sessionOf(connection: DriverConnection): Session {
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
    return driverQuery.hasBeenParsed.call(this, connection);
  }
  _getRows(connection: object, rows: number | undefined): void {
    driverQuery._getRows.call(this, connection, rows);
  }

  submit(connection: DriverConnection): null {
    const session = sessionOf(connection);
    this.#session = session;
    this.#columns = this.hasBeenParsed(connection) ? session.columns.get(this.name) : undefined;
    session.batch.send(this.#columns === undefined, (batch) => driverQuery.prepare.call(this, batch));
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
  handleCopyInResponse(connection: DriverConnection): void {
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
