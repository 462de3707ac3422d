// Running SQL on a connection, as somebody types it into a page. What only reads is run at once; what may write is asked about first.
import { byId, ok, operation } from '../../kernel/contract.ts';
import * as s from '../../kernel/schema.ts';

const QueryRequest = s.component('QueryRequest', {
  query: s.text({ maxLength: 1_000_000 }),
  database_name: s.optional(s.text({ maxLength: 255 })),
  confirmed: s.optional(s.boolean({ default: false })),
});

const QueryResult = s.component('QueryResult', {
  columns: s.list(s.text()),
  rows: s.list(s.list(s.nullable(s.text()))),
  row_count: s.integer(),
  truncated: s.boolean(),
  query: s.text(),
  error: s.optional(s.text()),
});

const QueryResponse = s.component('QueryResponse', {
  results: s.optional(s.list(QueryResult)),
  total_statements: s.optional(s.integer()),
  requires_confirmation: s.optional(s.boolean()),
  write_statements: s.optional(s.list(s.text())),
  confirmation_message: s.optional(s.text()),
});

export const runConnectionQuery = operation({
  id: 'runConnectionQuery',
  route: 'POST /api/v1/connections/{id}/query',
  tag: 'connections',
  summary: 'Run SQL on a connection',
  access: { connection: 'id', need: 'read' },
  ...byId(1),
  body: QueryRequest,
  bodyExample: { query: 'select datname, numbackends from pg_stat_database order by 2 desc limit 5' },
  extra: true,
  faults: [502, 504],
  success: ok(QueryResponse, {
    results: [
      {
        columns: ['datname', 'numbackends'],
        rows: [['orders', '12']],
        row_count: 1,
        truncated: false,
        query: 'select datname, numbackends from pg_stat_database order by 2 desc limit 5',
      },
    ],
    total_statements: 1,
  }),
  notes: [
    'At most 20 statements, 500 rows a statement (truncated tells), 30 s a statement; cells are text, SQL NULL is null.',
    'Every statement first runs in a READ ONLY transaction. When the server refuses one as a write, nothing is kept and the reply is requires_confirmation with write_statements and confirmation_message.',
    'What a read-only transaction does not hold back, such as a function that ends sessions, is asked about in the same way and not run before.',
    'confirmed:true with access read_write runs the statements writable, one by one, stopping at the first error. With access read a write is a result with error text, never a confirmation request, and so is a statement that is not proven to be harmless.',
    'A failing statement is a 200 with results[].error; 502/504 only when the server cannot be reached or does not answer.',
    'Transaction control, LISTEN and COPY are refused with 400. 60 runs a minute for a user, then 429.',
  ],
});
