// What a server answers to the question of a connection test for limits, read as what it has to be. Guards: whoever the server is,
// an answer of other types is a failed step and no fault of ours, and names from it are short and visible.
import { nameFromServer } from '../../kernel/clean-name.ts';
import { TargetError } from '../../monitored/connect.ts';
import type { Rights } from './test-words.ts';

type Row = Readonly<Record<string, unknown>>;

const MOST_NAMES = 10_000;
/** A name that somebody has to copy is not changed; it is only not shown when it is no name at all. */
const LONGEST_NAME = 63;

function bad(): never {
  const message = 'The server answered a question about itself with something else than was asked for.';
  throw new TargetError({ step: 'protocol', message, code: 'bad_value' });
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && Buffer.byteLength(value) <= LONGEST_NAME;

export function readRights(row: Row | undefined): Rights | undefined {
  if (!row) return undefined;
  const { connection_limit, closed_databases } = row;
  if (typeof connection_limit !== 'number' || !Array.isArray(closed_databases)) bad();
  return {
    connection_limit,
    closed_databases: closed_databases.slice(0, MOST_NAMES).filter(isName),
  };
}

/** As the server calls itself; shown as a suggestion, so nothing invisible is in it. */
export function readClusterName(row: Row | undefined): string | null {
  const name = row?.cluster_name;
  return typeof name === 'string' ? nameFromServer(name) : null;
}
