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
  readonly stream: { cork(): void; uncork(): void };
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

/** The columns of each statement, by its name, in the sessions that have prepared it. */
const known = new WeakMap<object, Map<string, Columns>>();

function columnsIn(connection: object): Map<string, Columns> {
  const own = known.get(connection) ?? new Map<string, Columns>();
  known.set(connection, own);
  return own;
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
  #connection: Connection | undefined;

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
    this.#connection = connection;
    this.#columns = this.hasBeenParsed(connection) ? columnsIn(connection).get(this.name) : undefined;
    connection.stream.cork();
    try {
      driver.prepare.call(this, this.#columns ? withoutDescribe(connection) : connection);
    } finally {
      connection.stream.uncork();
    }
    return null;
  }

  handleRowDescription({ fields }: { fields: Described }): void {
    this.#columns = new Columns(fields);
    if (this.#connection) columnsIn(this.#connection).set(this.name, this.#columns);
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
    this.#connection = undefined;
    callback(error, answer);
  }
}

interface Describing {
  describe(): void;
}

const silent = new WeakMap<object, object>();

/** The same connection, on which nothing is asked to be described. */
function withoutDescribe(connection: object): object {
  const made = silent.get(connection);
  if (made) return made;
  const own: object & Partial<Describing> = Object.create(connection, { describe: { value() {} } });
  silent.set(connection, own);
  return own;
}
