// A statement whose rows do not go to the driver (wire-rows.ts), in its terms. Guards: of which columns its rows are is
// what the server said of this prepared statement in this session; it refuses to run one whose columns have changed.
import { type DriverConnection, driverQuery, inheritDriverQuery, withoutDescribe } from '../kernel/driver.ts';
import type { PreparedStatement } from './prepared-names.ts';
import { WireFields } from './wire-rows.ts';

type Described = ConstructorParameters<typeof WireFields>[0];

export interface RawStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly named: PreparedStatement | undefined;
  /** The columns, when this session has prepared it and heard of them; then they are not sent again. */
  readonly known: WireFields | undefined;
  /** Of the session's database. */
  readonly encoding: string;
}

/**
 * The driver makes an emitter and a result of each query of its own, and a message of each step; nothing of that is needed
 * here, and statements that every session asks again and again are most of what a collector sends.
 */
export class RawQuery {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly name: string | undefined;
  readonly queryMode = 'extended';
  readonly portal = '';
  readonly callback: (error: Error | undefined) => void;
  readonly #run: Buffer | undefined;
  readonly #known: WireFields | undefined;
  readonly #encoding: string;
  #described: Described | undefined;

  constructor(
    { text, values, named, known, encoding }: RawStatement,
    done: (error: Error | undefined) => void,
  ) {
    this.text = text;
    this.values = values;
    this.name = named?.name;
    this.callback = done;
    this.#run = known && values.length === 0 ? named?.run : undefined;
    this.#known = known;
    this.#encoding = encoding;
  }

  /** Of which columns its rows are, once it has been answered. */
  get fields(): WireFields {
    return this.#known ?? WireFields.of(this.#described ?? [], this.#encoding);
  }

  submit(connection: DriverConnection): Error | null {
    if (!this.#run) return driverQuery.submit.call(this, connection);
    if (connection.stream.writable) connection.stream.write(this.#run);
    return null;
  }

  prepare(connection: object): void {
    driverQuery.prepare.call(this, this.#known ? withoutDescribe(connection) : connection);
  }

  handleRowDescription({ fields }: { fields: Described }): void {
    this.#described = fields;
  }
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handleError(error: Error): void {
    this.callback(error);
  }
  handleReadyForQuery(): void {
    this.callback(undefined);
  }
}

// The driver takes nothing else into a pipeline.
inheritDriverQuery(RawQuery.prototype);
