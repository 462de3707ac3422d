// What a statement on our own datastore may name: the views that are made for it, and functions that compute from their arguments or tell
// the time. Guards: no catalogue, no function that reads one, and no type that looks one up, whatever the role behind might see.

import type { ParsedText } from '../../kernel/parser/types.ts';
import { functionReason, isBuiltIn } from './functions.ts';
import { type JudgedStatement, judge } from './judge.ts';
import { StatementRefused } from './types.ts';

/** Stable, and they read nothing but the clock and their arguments. */
const STABLE = new Set(
  `age array_to_json array_to_string concat concat_ws clock_timestamp count date date_bin date_part date_trunc extract format
  generate_series json_agg json_build_array json_build_object json_object_agg jsonb_agg jsonb_build_array jsonb_build_object
  jsonb_object_agg make_timestamptz now row_to_json statement_timestamp time timestamp timestamptz timezone to_char to_date to_json
  to_jsonb to_number to_timestamp transaction_timestamp`.split(/\s+/),
);
/** Immutable by their mark, and about the server all the same. */
const ABOUT_SERVER = /^(?:pg_|has_|to_reg|txid_|lo_|inet_(?:client|server)|current_|session_|version$)/;
const LOOKS_UP = /^(?:reg|pg_|refcursor$|xid|cid$|tid$|oidvector$)/;

const refuse = (message: string): never => {
  throw new StatementRefused('not_allowed', message);
};

export interface StoredViews {
  readonly schema: string;
  readonly names: ReadonlySet<string>;
}

function demandRelations({ statement }: JudgedStatement, { schema, names }: StoredViews): void {
  for (const relation of statement.relations) {
    if (relation.isWith) continue;
    if ((relation.schema === null || relation.schema === schema) && names.has(relation.name)) continue;
    refuse(`There is no ${relation.name} to read here. There are: ${[...names].join(', ')}.`);
  }
}

const isPure = (name: string) => functionReason(name) === 'immutable' && !ABOUT_SERVER.test(name);

/** `(e).f`, and `x.f` where x is a function in from, may call a function: its name is judged like one where PostgreSQL has it. */
function demandAttributes({ statement }: JudgedStatement): void {
  const isOfAnything = statement.nodes.includes('RangeFunction');
  for (const { of, parts } of statement.uses) {
    const name = parts.at(-1) ?? '';
    if (of !== 'field' && !(of === 'column' && isOfAnything && parts.length > 1)) continue;
    if (LOOKS_UP.test(name) || (isBuiltIn(name) && !isPure(name) && !STABLE.has(name)))
      refuse(`${name} may call a function or a type of the server that is not used on the datastore.`);
  }
}

/** One select of these views. Throws StatementRefused. */
export function judgeStored(parsed: ParsedText, views: StoredViews): JudgedStatement {
  const judged = judge(parsed, 'read');
  if (judged.kind !== 'select') refuse('Only a select is run on the datastore.');
  demandRelations(judged, views);
  for (const { of, parts } of judged.statement.uses) {
    const name = parts.at(-1) ?? '';
    if (of === 'column' || of === 'field') continue;
    if (parts.length > 1 && parts[0] !== 'pg_catalog') refuse(`${parts.join('.')} is not known here.`);
    if (of === 'type' && LOOKS_UP.test(name))
      refuse(`The type ${name} looks things up in the server, and is not used here.`);
    if (of !== 'function') continue;
    if (!isPure(name) && !STABLE.has(name)) refuse(`The function ${name} is not run on the datastore.`);
  }
  demandAttributes(judged);
  return judged;
}
