// A statement whose rows do not go to the driver (wire-rows.ts), in its terms. Guards: of which columns its rows are is
// what the server said of this prepared statement in this session; it refuses to run one whose columns have changed.
import pg from 'pg';
import { WireFields } from './wire-rows.ts';

type Described = ConstructorParameters<typeof WireFields>[0];

/** What of the driver's query is used beyond its types. */
interface Preparing {
  prepare(connection: object): void;
}

/** The same connection, on which nothing is asked to be described. */
const withoutDescribe = (connection: object): object =>
  Object.create(connection, { describe: { value() {} } });

export class RawQuery extends pg.Query {
  readonly #known: WireFields | undefined;
  #described: Described | undefined;

  /** `known`: the columns, when this session has prepared it and heard of them; then they are not sent again. */
  constructor(
    config: pg.QueryConfig,
    known: WireFields | undefined,
    done: (error: Error | undefined, result: pg.QueryResult) => void,
  ) {
    super(config, done as unknown as ConstructorParameters<typeof pg.Query>[1]);
    this.#known = known;
  }

  /** Of which columns its rows are, once it has been answered. */
  get fields(): WireFields {
    return this.#known ?? WireFields.of(this.#described ?? []);
  }

  prepare(connection: object): void {
    const { prepare } = pg.Query.prototype as unknown as Preparing;
    prepare.call(this, this.#known ? withoutDescribe(connection) : connection);
  }

  /** The driver would make parsers and an empty row of it, for rows that it never gets. */
  handleRowDescription({ fields }: { fields: Described }): void {
    this.#described = fields;
  }
}
