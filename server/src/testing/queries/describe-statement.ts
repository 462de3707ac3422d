// What PostgreSQL makes of a statement that it parses and describes. Guards: nothing is run.
import type pg from 'pg';

export interface DescribedColumn {
  name: string;
  dataTypeID: number;
}

/** Its columns; undefined: it answers no rows. Rejects with what the server says against it. */
export function describeStatement(
  client: pg.ClientBase,
  text: string,
): Promise<DescribedColumn[] | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<DescribedColumn[] | undefined>();
  let columns: DescribedColumn[] | undefined;
  const question = {
    submit(connection: pg.Connection) {
      connection.parse({ name: '', text, types: [] }, true);
      connection.describe({ type: 'S', name: '' }, true);
      connection.sync();
    },
    handleRowDescription(message: { fields: DescribedColumn[] }) {
      columns = message.fields;
    },
    handleError: reject,
    handleReadyForQuery: () => resolve(columns),
  };
  client.query(question);
  return promise;
}
