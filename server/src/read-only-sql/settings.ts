// Secrets among the settings of a server, which some roles may read: a statement sees them masked. Guards: a statement reads
// pg_settings through a definition of ours that stands before it, so that no condition tells what the masked text was; whatever would
// read settings in another way is refused while there is a secret.
import type { ParsedStatement } from '../kernel/parser/types.ts';
import { isSecretName, maskedValue } from '../probes/masking.ts';
import type { Judged } from './judge.ts';
import { StatementRefused } from './types.ts';

const masked = (column: string) =>
  maskedValue(`s.${column}`, {
    name: 's.name',
    isSecret: `s.vartype = 'string' and ${isSecretName('s.name')}`,
  });

/**
 * Names of settings that hold a secret which this role may read. $1: names that are asked for; pg_settings leaves out those that somebody
 * invented.
 */
export const SECRET_SETTINGS = `/* sql.secret_settings */
select s.name
from (
  select g.name, g.vartype, g.setting, g.reset_val
  from pg_catalog.pg_settings g
  union all
  select a.name, 'string', v.value, v.value
  from unnest($1::text[]) as a (name)
  cross join lateral (
    select case when pg_catalog.strpos(a.name, '.') > 0 then pg_catalog.current_setting(a.name, true) end as value
  ) v
) s
where s.setting is distinct from ${masked('setting')} or s.reset_val is distinct from ${masked('reset_val')}`;

const MASKED_VIEW = `pg_settings as (
  select s.name, ${masked('setting')} as setting, s.unit, s.category, s.short_desc, s.extra_desc, s.context, s.vartype, s.source,
    s.min_val, s.max_val, s.enumvals, s.boot_val, ${masked('reset_val')} as reset_val, s.sourcefile, s.sourceline, s.pending_restart
  from pg_catalog.pg_settings s
)`;

const READS_SETTINGS = new Set(['current_setting', 'pg_show_all_settings']);
/** A call whose argument is a plain constant. */
const CONSTANT = /^(?:pg_catalog\s*\.\s*)?"?current_setting"?\s*\(\s*'([A-Za-z0-9_.]+)'\s*[,)]/;

const named = ({ parts }: { parts: readonly string[] }) => parts.at(-1) ?? '';

const IN_DEFINITION = /pg_settings|current_setting|pg_show_all_settings/i;
const ownOf = ({ relations }: ParsedStatement) =>
  relations.filter(({ name, isWith }) => name === 'pg_settings' && !isWith);

/** Whether the definition of a view or the like may read settings. */
export const definitionReadsSettings = (text: string): boolean => IN_DEFINITION.test(text);

/** Whether it may read settings at all. */
export function readsSettings({ statement, kind }: Judged, isBehind: boolean): boolean {
  return (
    kind === 'show' ||
    isBehind ||
    ownOf(statement).length > 0 ||
    statement.uses.some((use) => use.of === 'function' && READS_SETTINGS.has(named(use)))
  );
}

const refuse = (what: string): never => {
  throw new StatementRefused(
    'not_allowed',
    `Settings of this server hold secrets that its role may read, so they are shown masked: ${what}`,
  );
};

const SHOWN = /^\s*show\s+([a-z0-9_.]+)\s*;?\s*$/i;

/** Names of the settings that are asked for as constants, in small letters. Throws StatementRefused where they cannot be told. */
export function settingsNamed(text: string, { statement, kind }: Judged): string[] {
  if (kind === 'show') return [SHOWN.exec(text)?.[1]?.toLowerCase() ?? 'all'];
  const bytes = Buffer.from(text);
  return statement.uses
    .filter((use) => use.of === 'function' && named(use) === 'current_setting')
    .map(({ at }) => {
      const found = CONSTANT.exec(bytes.subarray(at).toString('utf8'))?.[1];
      if (found !== undefined) return found.toLowerCase();
      throw new StatementRefused(
        'not_allowed',
        "Give current_setting the name of a setting as a constant, such as current_setting('work_mem').",
      );
    });
}

export interface SettingsRead {
  /** Names that it asks for. */
  asked: readonly string[];
  judged: Judged;
  /** As it would be sent. */
  sent: string;
  /** Something behind what it names reads settings. */
  isBehind: boolean;
  secrets: ReadonlySet<string>;
}

/** The text as it may be sent where there are secrets. Throws StatementRefused. */
export function withoutSecrets({ asked, judged, sent, isBehind, secrets }: SettingsRead): string {
  const { statement, kind } = judged;
  const secret = asked.find((name) => name === 'all' || secrets.has(name));
  if (secret !== undefined) refuse('select name, setting from pg_settings instead.');
  if (kind === 'show') return sent;
  if (statement.uses.some((use) => use.of === 'function' && named(use) === 'pg_show_all_settings'))
    refuse('read pg_settings instead of its function.');
  const own = ownOf(statement);
  if (kind === 'explain' && own.length > 0) refuse('explain the statement by the tool for it.');
  if (own.some(({ schema }) => schema !== null)) refuse('write pg_settings without pg_catalog before it.');
  if (isBehind) refuse('read pg_settings itself rather than a view over it.');
  // What only a plan is made of is not run.
  if (own.length === 0 || statement.root !== 'SelectStmt') return sent;
  const bare = sent.replace(/[\s;]+$/, '');
  // A statement may begin with one `with` only.
  const placed = /\bwith\b/i.test(sent) ? `select * from (${bare}\n) as read` : `(${bare}\n)`;
  return `with ${MASKED_VIEW}\n${placed}`;
}
