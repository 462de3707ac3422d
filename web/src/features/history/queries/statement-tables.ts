// What is known of the tables that a statement names: their indexes that came and went, and findings about them. Pure. Guards: only of
// the databases in which the statement ran; a name without a schema is of any schema, so each is shown with its own.

import type { OperationTypes } from '../../../api/operations.gen.ts';
import type { Timeline } from '../activity/answers.ts';
import { statementTitle } from './statement-title.ts';

type Event = Timeline['events'][number];
type Finding = OperationTypes['listFindings']['result']['findings'][number];

export interface OfStatement {
  query: string | null;
  places: readonly { database_name: string }[];
}

/** As the server spells it: `Public."Orders"` is `public.Orders`. */
export const plainName = (written: string): string =>
  written.replaceAll(/"((?:[^"]|"")+)"|[^".]+/g, (part, quoted: string | undefined) =>
    quoted === undefined ? part.toLowerCase() : quoted.replaceAll('""', '"'),
  );

/** Whether it runs in that database and names that table, `schema.table`. */
function tableTest({ query, places }: OfStatement): (database: string | null, table: string) => boolean {
  const names = (query === null ? undefined : statementTitle(query))?.tables.map(plainName) ?? [];
  const databases = new Set(places.map(({ database_name }) => database_name));
  return (database, table) =>
    database !== null &&
    databases.has(database) &&
    names.some((name) => table === name || (!name.includes('.') && table.endsWith(`.${name}`)));
}

export interface TableChange {
  key: string;
  /** "Index orders_customer_idx of public.orders was dropped". */
  words: string;
  /** When it was first seen to be so. */
  at: string;
}

type Row = Readonly<Record<string, unknown>>;

const VERBS: Readonly<Record<string, string>> = {
  index_made: 'created',
  index_dropped: 'dropped',
  table_dropped: 'dropped',
};

function rowsOf({ details }: Event): Row[] {
  const changes: unknown = details?.changes;
  return Array.isArray(changes) ? changes.filter((row) => typeof row === 'object' && row !== null) : [];
}

/** The newest first, as the events. */
export function tableChanges(events: readonly Event[], statement: OfStatement): TableChange[] {
  const isOf = tableTest(statement);
  return events.flatMap((event) => {
    const verb = VERBS[event.event_type];
    if (verb === undefined) return [];
    return rowsOf(event).flatMap(({ database, schema, table, index }) => {
      const name = `${schema}.${table}`;
      if (!isOf(typeof database === 'string' ? database : null, name)) return [];
      const what = typeof index === 'string' ? `Index ${index} of ${name}` : `Table ${name}`;
      return [{ key: `${event.id} ${what}`, words: `${what} was ${verb}`, at: event.occurred_at }];
    });
  });
}

export const tableFindings = (findings: readonly Finding[], statement: OfStatement): Finding[] => {
  const isOf = tableTest(statement);
  return findings.filter(({ database_name, object_name }) => isOf(database_name, object_name ?? ''));
};
