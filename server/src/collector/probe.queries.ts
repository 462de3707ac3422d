// The statement that runs a probe.
import type { ReplyLimits } from '../monitored/connect.ts';
import { CUT_MARK } from '../monitored/foreign-text.ts';
import { UNWATCHED } from '../probes/most-important.ts';
import type { Capabilities, SqlProbe, StatementKey } from '../probes/types.ts';

/** A character has up to four bytes, and a small value takes more bytes on the wire than it is counted for. */
const WIRE_BYTES = 4;
const SLACK_BYTES = 64 * 1024;

/** What an honest server's answer to the probe's statement never exceeds, unless the run failed for its size anyway. */
export const probeReply = ({ columns, caps, continuity, unwatched }: SqlProbe): ReplyLimits => ({
  columns: columns.length + (continuity ? 1 : 0) + (unwatched ? 1 : 0),
  rows: caps.maxRows + 1,
  bytes: caps.maxBytes * WIRE_BYTES + SLACK_BYTES,
});

/** Beside the declared columns, the same in every row: see `SqlProbe.continuity`. */
export const CONTINUITY = 'continuity_';

/**
 * Of a statement so many bytes are sent, for texts of `maxText` characters. Functions of texts refuse what is no whole character of the
 * database's encoding, and with it the whole answer; those of bytes do not. What was cut is marked, and read by `uncut`.
 */
const cutBytes = (text: string, most: number): string =>
  `case when pg_catalog.octet_length(${text}) <= ${most} then ${text} else pg_catalog.chr(${CUT_MARK}) || pg_catalog.encode(pg_catalog."substring"(pg_catalog.textsend(${text}), 1, ${most}), 'escape') end`;

/** No text has more, and the texts of all rows together no more than the answer may. */
const mostBytes = ({ maxText, maxRows, maxBytes }: SqlProbe['caps']): number =>
  Math.max(maxText, Math.min(maxText * WIRE_BYTES, Math.floor(((WIRE_BYTES - 1) * maxBytes) / maxRows)));

/** Wraps the probe's query: declared columns only, statements cut by bytes, one row more than allowed to tell. */
export function probeStatement(probe: SqlProbe, capabilities: Capabilities, sql = probe.sql): string {
  const columns = probe.columns.map(({ name, type, scrub }) => {
    const sent =
      type === 'text' && scrub ? cutBytes(`p.${name}::pg_catalog.text`, mostBytes(probe.caps)) : undefined;
    const qualified = ['text', 'jsonb', 'text[]'].includes(type) ? `pg_catalog.${type}` : type;
    return `  ${sent ?? `p.${name}::${qualified}`} as ${name}`;
  });
  const continuity = probe.continuity?.(capabilities);
  if (continuity !== undefined) columns.push(`  ${continuity}::pg_catalog.text as ${CONTINUITY}`);
  const query = sql(capabilities);
  if (query.includes(UNWATCHED)) columns.push(`  p.${UNWATCHED}::pg_catalog.text as ${UNWATCHED}`);
  return [
    `/* probe.${probe.name} */`,
    'select',
    columns.join(',\n'),
    `from (\n${query}\n) as p`,
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
  ${cutBytes('p.query_text', maxText * WIRE_BYTES)} as query_text
from (
${query}
) as p
limit ${wanted.length}`;
}
