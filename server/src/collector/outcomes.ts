// What became of a probe's run, as data for the store: ran, skipped with the way to mend it, or failed. Decides
// which errors mean that the server is not what we took it for.

import { NAME_LOST } from '../monitored/prepared-names.ts';
import type { RanCause } from '../probes/causes.ts';
import {
  type Judgement,
  judgeExtension,
  judgeExtensionVersion,
  judgeRole,
  judgeSetting,
  judgeSilent,
  judgeUnread,
  tell,
  type Where,
} from '../probes/requirements/judge.ts';
import { remedyText } from '../probes/requirements/remedy.ts';
import { type Capabilities, keyColumns, type Probe } from '../probes/types.ts';
import { type Outcome, type ReadRow, valueIn } from '../store/layout/types.ts';
import { BadAnswer, type DecodeOptions, decodeRows } from './decode.ts';
import type { Answer } from './pipeline.ts';

/** undefined_column, undefined_table, undefined_function: what is known of the server is out of date. */
const UNDEFINED = new Set(['42703', '42P01', '42883']);
const NO_PRIVILEGE = '42501';
/** object_not_in_prerequisite_state: an extension that has to be preloaded says so with this. */
const NOT_LOADED = '55000';
/** We ended the session ourselves. */
const OURS = new Set(['closed', 'cancelled']);

const mendOf = ({ remedy }: Judgement) => (remedy === null ? null : remedyText(remedy));

function skipped(judgement: Judgement): Outcome {
  const { status, reason } = judgement;
  const cause = status === 'masked' || status === 'incomplete' ? undefined : status;
  return { kind: 'skipped', ...(cause && { cause }), reason, mend: mendOf(judgement) };
}

const grantsOf = ({ grants }: Probe, where: Where) =>
  grants
    ? tell('grant_missing', grants.join(', '), where)
    : { ...tell('role_missing', 'pg_monitor', where), status: 'missing_grant' as const };

/** Of `@extension.view`. */
const ownerOf = (relation: string) => /^@([^.]*)\./.exec(relation)?.[1];

/** The extension without which nothing can be read. */
const extensionOf = ({ requires: { extension, relation = '' } = {} }: Probe) =>
  extension ?? ownerOf(relation);

/** `@extension.view` in words. */
const relationName = (relation: string) => relation.replace(/^@([^.]*)\.(.*)$/, '$2 of the extension $1');

function relationObstacle(
  probe: Probe,
  relation: string,
  at: Where & Pick<Capabilities, 'extensions'>,
): Outcome {
  // Where its extension is installed, what has grants of its own is there, and only our role may not read it.
  const owner = ownerOf(relation);
  const hasOwner = owner === undefined ? relation.startsWith('pg_catalog.') : at.extensions.has(owner);
  const isThere = probe.grants !== undefined && hasOwner;
  return skipped(isThere ? grantsOf(probe, at) : tell('relation_missing', relationName(relation), at));
}

/** Why a probe cannot run on a server with these capabilities; undefined when it can. */
export function obstacle(probe: Probe, capabilities: Capabilities, where: Where): Outcome | undefined {
  const { extension, version_num, relation, column, functions = [] } = probe.requires ?? {};
  if (version_num !== undefined && capabilities.version_num < version_num)
    return skipped(tell('too_old', String(version_num), { ...where, version_num: capabilities.version_num }));
  if (extension !== undefined) {
    const judged = judgeExtension(extension, capabilities.extensions.get(extension), where);
    if (judged) return skipped(judged);
  }
  const closed = probe.grants ? undefined : capabilities.closedSchemas.get(extensionOf(probe) ?? '');
  if (closed !== undefined) return skipped(tell('extension_schema_closed', closed, where));
  const columns = relation === undefined ? undefined : capabilities.columns.get(relation);
  if (relation !== undefined && !columns)
    return relationObstacle(probe, relation, { ...capabilities, ...where });
  if (relation !== undefined && column !== undefined && !columns?.has(column))
    return skipped(tell('relation_missing', `The column ${column} of ${relationName(relation)}`, where));
  const refused = functions.filter((name) => !capabilities.functions.has(name));
  if (refused.length === 0) return undefined;
  const { reason } = tell('grant_missing', `execute on ${refused.join(' and ')}`, where);
  return skipped({ ...grantsOf(probe, where), reason });
}

/** Rows that were read, fitted to the declaration; failed when they do not fit. */
export async function ran(
  probe: Probe,
  rows: readonly Record<string, unknown>[],
  { collected_at, ...options }: { collected_at: number } & DecodeOptions,
): Promise<Outcome> {
  try {
    const decoded = await decodeRows(probe, rows, options);
    const history_by = probe.keeps === 'change-tracked' ? keyColumns(probe) : undefined;
    return { kind: 'ran', collected_at, history_by, ...decoded };
  } catch (error) {
    if (!(error instanceof BadAnswer)) throw error;
    return { kind: 'failed', reason: error.message };
  }
}

/** What a server writes in place of a statement of others. */
const HIDDEN_TEXT = '<insufficient privilege>';

/** Whether the server hid values of others in these rows from us. */
function isHidden(
  { hidden }: Probe,
  rows: readonly ReadRow[],
  roles: ReadonlySet<string> | undefined,
): boolean {
  if (!hidden || !roles || roles.has(hidden.without)) return false;
  const { column } = hidden;
  if (column === undefined) return true;
  const shown = rows.map((row) => valueIn(row, column));
  return shown.some((value) => value === null || value === HIDDEN_TEXT);
}

/** Objects in these rows whose values our role may not read; of each schema where there are some. */
function unreadIn(rows: readonly ReadRow[], { objects, column, schema }: NonNullable<Probe['unreadable']>) {
  const unread = rows.filter((row) => valueIn(row, column) === false);
  const schemas = [...new Set(unread.map((row) => String(valueIn(row, schema))))];
  return { objects, count: unread.length, of: rows.length, schemas };
}

/** Sessions in these rows that hide what they do, by role and database. */
function silentIn(rows: readonly ReadRow[], { column, value, role, database }: NonNullable<Probe['silent']>) {
  const text = (cell: unknown) => (typeof cell === 'string' ? cell : null);
  const silent = rows
    .filter((row) => valueIn(row, column) === value)
    .map((row) => ({ role: valueIn(row, role), database: valueIn(row, database) }))
    .filter((own) => own.role !== null && own.database !== null);
  const groups = Map.groupBy(silent, (own) => JSON.stringify([own.role, own.database]));
  return [...groups.values()].map((own) => {
    const [first] = own;
    return { role: text(first?.role), database: text(first?.database), count: own.length };
  });
}

/** Why rows tell less than they could. */
function shortfalls(probe: Probe, rows: readonly ReadRow[], at: Where & Partial<Seen>): Judgement[] {
  const { hidden, unreadable, silent, settings = [], requires } = probe;
  const found: (Judgement | undefined)[] = settings.map((name) => judgeSetting(name, at));
  if (requires?.extension !== undefined) found.unshift(judgeExtensionVersion(requires.extension, at));
  if (hidden && isHidden(probe, rows, at.roles))
    found.unshift(judgeRole(hidden.without, at) ?? tell('role_missing', hidden.without, at));
  if (silent) found.push(judgeSilent(silentIn(rows, silent), at));
  if (unreadable) found.unshift(judgeUnread(unreadIn(rows, unreadable), at));
  return found.filter((one) => one !== undefined);
}

/** What rows that were read all the same can suffer from, the gravest first. */
const RAN_CAUSES = ['missing_grant', 'masked', 'incomplete'] as const satisfies RanCause[];

/** Rows that were read, marked when they tell less than they could; a line of the note for each remedy. */
function marked(probe: Probe, outcome: Outcome, at: Where & Partial<Seen>): Outcome {
  if (outcome.kind !== 'ran') return outcome;
  const found = shortfalls(probe, outcome.rows, at);
  if (found.length === 0) return outcome;
  const cause = RAN_CAUSES.find((one) => found.some(({ status }) => status === one)) ?? 'incomplete';
  const lines = [...(outcome.note === undefined ? [] : [outcome.note]), ...found.map(({ reason }) => reason)];
  return { ...outcome, cause, note: lines.join('\n'), mend: found.map(mendOf).join('\n\n') };
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
  at: { attempted_at: number } & DecodeOptions & Where & Partial<Seen>,
): Promise<Verdict> {
  if (answer.kind === 'unreached') return { outcome: undefined, staleCapabilities: false };
  if (answer.kind === 'answered') {
    const { scrubber, known, ahead_ms = 0 } = at;
    const collected_at = at.attempted_at + answer.elapsed_ms;
    const outcome = marked(
      probe,
      await ran(probe, answer.rows, { collected_at, scrubber, known, ahead_ms }),
      at,
    );
    return { outcome, staleCapabilities: false };
  }
  const { code, message } = answer.error;
  const isOurs = (answer.broke && OURS.has(code)) || NAME_LOST.includes(code);
  if (isOurs) return { outcome: undefined, staleCapabilities: false };
  if (code === NO_PRIVILEGE) {
    return { outcome: skipped({ ...grantsOf(probe, at), reason: message }), staleCapabilities: true };
  }
  const extension = extensionOf(probe);
  if (code === NOT_LOADED && extension !== undefined)
    return { outcome: skipped(tell('extension_not_loaded', extension, at)), staleCapabilities: true };
  return { outcome: { kind: 'failed', reason: message }, staleCapabilities: UNDEFINED.has(code) };
}
