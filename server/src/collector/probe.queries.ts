// The statement that runs a probe.
import type { ReplyLimits } from '../kernel/target/connect.ts';
import type { Capabilities, SqlProbe, StatementKey } from '../probes/types.ts';

/** A character has up to four bytes, and a small value takes more bytes on the wire than it is counted for. */
const WIRE_BYTES = 4;
const SLACK_BYTES = 64 * 1024;

/** What an honest server's answer to the probe's statement never exceeds, unless the run failed for its size anyway. */
export const probeReply = ({ columns, caps, continuity }: SqlProbe): ReplyLimits => ({
  columns: columns.length + (continuity ? 1 : 0),
  rows: caps.maxRows + 1,
  bytes: caps.maxBytes * WIRE_BYTES + SLACK_BYTES,
});

/** Beside the declared columns, the same in every row: see `SqlProbe.continuity`. */
export const CONTINUITY = 'continuity_';

/** Wraps the probe's query: declared columns only, texts cut on the server, one row more than allowed to tell. */
export function probeStatement(probe: SqlProbe, capabilities: Capabilities): string {
  const columns = probe.columns.map(({ name, type }) => {
    if (type === 'text')
      return `  pg_catalog."left"(p.${name}::pg_catalog.text, ${probe.caps.maxText}) as ${name}`;
    const qualified = type === 'jsonb' || type === 'text[]' ? `pg_catalog.${type}` : type;
    return `  p.${name}::${qualified} as ${name}`;
  });
  const continuity = probe.continuity?.(capabilities);
  if (continuity !== undefined) columns.push(`  ${continuity}::pg_catalog.text as ${CONTINUITY}`);
  return [
    `/* probe.${probe.name} */`,
    'select',
    columns.join(',\n'),
    `from (\n${probe.sql(capabilities)}\n) as p`,
    `limit ${probe.caps.maxRows + 1}`,
  ].join('\n');
}

/** The statement that reads the texts of `wanted`; undefined for a probe without texts. */
export function textsStatement(
  probe: SqlProbe,
  capabilities: Capabilities,
  { wanted, maxText }: { wanted: readonly StatementKey[]; maxText: number },
): string | undefined {
  const query = probe.texts?.(capabilities, wanted);
  if (query === undefined) return undefined;
  return `/* probe.${probe.name}.texts */
select
  p.dbid::pg_catalog.text as dbid,
  p.userid::pg_catalog.text as userid,
  p.queryid::pg_catalog.text as queryid,
  p.toplevel,
  pg_catalog."left"(p.query_text, ${maxText}) as query_text
from (
${query}
) as p
limit ${wanted.length}`;
}
