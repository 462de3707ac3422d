// What became of a probe's run, as data for the store: ran, skipped with the way to mend it, or failed. Decides
// which errors mean that the server is not what we took it for.
import type { Capabilities, Probe } from '../probes/types.ts';
import { keyColumns } from '../probes/types.ts';
import type { Outcome, Row } from '../store/layout/types.ts';
import type { Answer } from './batch.ts';
import { BadAnswer, decodeRows } from './decode.ts';
import { hiddenValues, identifier, noExtension, noRelation, tooOld } from './messages.ts';

/** undefined_column, undefined_table, undefined_function: what is known of the server is out of date. */
const UNDEFINED = new Set(['42703', '42P01', '42883']);
const NO_PRIVILEGE = '42501';
/** We ended the session ourselves. */
const OURS = new Set(['closed', 'cancelled']);

export interface Where {
  database: string;
  username: string;
}

function grantsOf({ grants = ['pg_monitor'] }: Probe, { username }: Where): string {
  return grants.map((grant) => `grant ${grant} to ${identifier(username)};`).join(' ');
}

/** Why a probe cannot run on a server with these capabilities; undefined when it can. */
export function obstacle(probe: Probe, capabilities: Capabilities, where: Where): Outcome | undefined {
  const { extension, version_num, relation } = probe.requires ?? {};
  if (version_num !== undefined && capabilities.version_num < version_num)
    return { kind: 'skipped', ...tooOld(version_num, capabilities.version_num) };
  if (extension !== undefined && !capabilities.extensions.has(extension))
    return { kind: 'skipped', ...noExtension(extension, where.database) };
  if (relation !== undefined && !capabilities.columns.has(relation)) {
    // Where its extension is installed, what has grants of its own is there, and only our role may not read it.
    const owner = /^@([^.]*)\./.exec(relation)?.[1];
    const isThere = probe.grants !== undefined && owner !== undefined && capabilities.extensions.has(owner);
    const reason = noRelation(relation, where);
    return isThere
      ? { kind: 'skipped', cause: 'missing_grant', reason, mend: grantsOf(probe, where) }
      : { kind: 'skipped', cause: 'not_applicable', reason, mend: null };
  }
  return undefined;
}

/** Rows that were read, fitted to the declaration; failed when they do not fit. */
export async function ran(
  probe: Probe,
  rows: readonly Record<string, unknown>[],
  collected_at: number,
): Promise<Outcome> {
  try {
    const decoded = await decodeRows(probe, rows);
    const history_by = probe.keeps === 'change-tracked' ? keyColumns(probe) : undefined;
    return { kind: 'ran', collected_at, history_by, ...decoded };
  } catch (error) {
    if (!(error instanceof BadAnswer)) throw error;
    return { kind: 'failed', reason: error.message };
  }
}

/** What a server writes in place of a statement of others. */
const HIDDEN_TEXT = '<insufficient privilege>';

/** Rows that were read, marked when our role does not see everything in them. */
function marked(probe: Probe, outcome: Outcome, at: Where & Partial<Seen>): Outcome {
  const { hidden } = probe;
  if (outcome.kind !== 'ran' || !hidden || !at.roles || at.roles.has(hidden.without)) return outcome;
  const { without, column } = hidden;
  const shows = (row: Row) => column !== undefined && row[column] !== null && row[column] !== HIDDEN_TEXT;
  if (column !== undefined && outcome.rows.every(shows)) return outcome;
  const { note, ...why } = hiddenValues(at.username, without);
  return { ...outcome, ...why, note: outcome.note === undefined ? note : `${outcome.note} ${note}` };
}

/** The predefined roles whose rights our role has; without them nothing is taken for hidden. */
type Seen = Pick<Capabilities, 'roles'>;

export interface Verdict {
  /** Undefined: the run was not the probe's own to lose, and stays due. */
  outcome: Outcome | undefined;
  /** What the server offers has to be read anew. */
  staleCapabilities: boolean;
}

/** Judges the answer to a probe's statement that was sent at `attempted_at` (wall clock). */
export async function judge(
  probe: Probe,
  answer: Answer,
  at: { attempted_at: number } & Where & Partial<Seen>,
): Promise<Verdict> {
  if (answer.kind === 'unreached') return { outcome: undefined, staleCapabilities: false };
  if (answer.kind === 'answered') {
    const collected_at = at.attempted_at + answer.elapsed_ms;
    const outcome = marked(probe, await ran(probe, answer.rows, collected_at), at);
    return { outcome, staleCapabilities: false };
  }
  const { code, message } = answer.error;
  if (answer.broke && OURS.has(code)) return { outcome: undefined, staleCapabilities: false };
  if (code === NO_PRIVILEGE) {
    return {
      outcome: { kind: 'skipped', cause: 'missing_grant', reason: message, mend: grantsOf(probe, at) },
      staleCapabilities: true,
    };
  }
  return { outcome: { kind: 'failed', reason: message }, staleCapabilities: UNDEFINED.has(code) };
}
