// What a role may read of a server's own secrets, beside what is never read here: settings, those of roles, databases and functions,
// options of foreign servers, and texts of statements. Guards: a statement reads each of these relations through a definition of ours that
// stands before it, so that no condition tells what the masked text was.
import { isSecretName, literal, MASKED_VALUE, maskedValue } from '../masking.ts';

export interface Mask {
  readonly relation: string;
  /** `extension`: in the schema of its extension. */
  readonly in: 'pg_catalog' | 'information_schema' | 'extension';
  /** What is shown of a column of `s`, by its name. */
  readonly columns: ReadonlyMap<string, string>;
  /** Functions that show the same. */
  readonly functions: readonly string[];
  /** It is masked without a look whether there is a secret, since that would take as long. */
  readonly isAlways: boolean;
}

const ofSetting = (column: string) =>
  maskedValue(`s.${column}`, {
    name: 's.name',
    isSecret: `s.vartype = 'string' and ${isSecretName('s.name')}`,
  });

/** A setting that takes a number or one of a few words is shown, whatever it is called. */
const isText = `not exists (
      select from pg_catalog.pg_settings g where g.name = pg_catalog.lower(e.name) and g.vartype <> 'string'
    )`;

/** A list of texts such as `name=value`. */
const ofList = (column: string) => `(
    select pg_catalog.array_agg(e.name || '=' || ${maskedValue('e.value', {
      name: 'e.name',
      isSecret: `${isSecretName('e.name')} and ${isText}`,
    })} order by e.place)
    from (
      select
        pg_catalog.split_part(o.option, '=', 1) as name,
        pg_catalog.substr(o.option, pg_catalog.strpos(o.option, '=') + 1) as value,
        o.place
      from pg_catalog.unnest(s.${column}) with ordinality as o (option, place)
    ) e
  )`;

const ofOption = maskedValue('s.option_value', {
  name: 's.option_name',
  isSecret: isSecretName('s.option_name'),
});

const SECRET_WORDS = `passw|passphrase|secret|token|credential|conninfo|connection\\s+'|dblink|api_?key|access_?key|private_?key|${MASKED_VALUE}`;
const QUERIES =
  '^(\\s|[(]|/[*]([^*]|[*]+[^*/])*[*]+/)*(select|insert|update|delete|merge|with|values|table|explain|declare|fetch|move|copy|show|prepare|execute|begin|start|commit|rollback)\\M';
/** What cannot be told apart from what is behind it: escapes, dollar quotes, and comments within comments. */
const UNCLEAR = '\\\\|[$][^0-9$[:space:]][^$[:space:]]*[$]|[$][$]|/[*]([^*]|[*]+[^*/])*/[*]';
/** Quoted names, which stay, and literals and comments, of which only the marks around them do: a quote in one begins no other. */
const TOKENS = `("(?:[^"]|"")*(?:"|$))|(')(?:[^']|'')*('|$)|(--)[^\\n]*|(/[*])(?:[^*]|[*]+[^*/])*([*]+/|[*]*$)`;

/** A text that names secrets is shown without its literals and comments where it is a query, and not at all where it is anything else. */
const ofText = (column: string) => `case
    when s.${column} !~* ${literal(SECRET_WORDS)} then s.${column}
    when s.${column} ~* ${literal(QUERIES)} and s.${column} !~ ${literal(UNCLEAR)}
      then pg_catalog.replace(
        pg_catalog.regexp_replace(s.${column}, ${literal(TOKENS)}, '\\1\\2\\3\\4\\5\\6', 'g'), '''''', '''********'''
      )
    else '********'
  end`;

const mask = (
  relation: string,
  columns: Readonly<Record<string, string>>,
  more: Partial<Pick<Mask, 'in' | 'functions' | 'isAlways'>> = {},
): Mask => ({
  in: 'pg_catalog',
  functions: [],
  isAlways: false,
  ...more,
  relation,
  columns: new Map(Object.entries(columns)),
});

const OPTIONS = ['foreign_server_options', 'foreign_data_wrapper_options', 'foreign_table_options'];

export const MASKS: readonly Mask[] = [
  mask(
    'pg_settings',
    { setting: ofSetting('setting'), reset_val: ofSetting('reset_val') },
    { functions: ['pg_show_all_settings'] },
  ),
  mask('pg_roles', { rolconfig: ofList('rolconfig') }),
  mask('pg_user', { useconfig: ofList('useconfig') }),
  mask('pg_db_role_setting', { setconfig: ofList('setconfig') }),
  mask('pg_proc', { proconfig: ofList('proconfig') }, { functions: ['pg_get_functiondef'] }),
  mask('pg_foreign_server', { srvoptions: ofList('srvoptions') }),
  mask('pg_foreign_data_wrapper', { fdwoptions: ofList('fdwoptions') }),
  mask('pg_foreign_table', { ftoptions: ofList('ftoptions') }),
  ...OPTIONS.map((name) => mask(name, { option_value: ofOption }, { in: 'information_schema' })),
  mask(
    'pg_stat_activity',
    { query: ofText('query') },
    { functions: ['pg_stat_get_activity', 'pg_stat_get_backend_activity'], isAlways: true },
  ),
  mask(
    'pg_stat_statements',
    { query: ofText('query') },
    { in: 'extension', functions: ['pg_stat_statements'], isAlways: true },
  ),
];

/** The relation of a mask by its schema. */
export interface Source {
  readonly schema: string;
  readonly mask: Mask;
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const nameOf = ({ schema, mask: { relation } }: Source) => `${quote(schema)}.${quote(relation)}`;

/** Its columns in their order; none: it is not what it is called. $1: its name with its schema. */
export const COLUMNS = `/* sql.masked_columns */
select a.attname::text as name
from pg_catalog.pg_attribute a
where a.attrelid = pg_catalog.to_regclass($1::text) and a.attnum > 0 and not a.attisdropped
  and (a.attrelid < 16384 or exists (
    select
    from pg_catalog.pg_depend d
    where d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = a.attrelid and d.deptype = 'e'
  ))
order by a.attnum`;
/** Where an extension put its relation. $1: its name. */
export const EXTENSION_SCHEMA = `/* sql.masked_extension */
select n.nspname::text as schema
from pg_catalog.pg_class k
join pg_catalog.pg_namespace n on n.oid = k.relnamespace
join pg_catalog.pg_depend d on d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass and d.objid = k.oid and d.deptype = 'e'
where k.relname = $1::text
limit 1`;
export const qualifiedName = nameOf;

/** Whether this role would see a secret in it. */
export const hasSecrets = (source: Source): string =>
  `/* sql.has_secrets */ select exists (select from ${nameOf(source)} s where ${[...source.mask.columns]
    .map(([column, shown]) => `s.${quote(column)} is distinct from ${shown}`)
    .join(' or ')}) as found`;

/** As a query of a `with` that stands in its place. */
export const maskedQuery = (source: Source, columns: readonly string[]): string =>
  `${quote(source.mask.relation)} as not materialized (select ${columns
    .map((column) => {
      const shown = source.mask.columns.get(column);
      return shown === undefined ? `s.${quote(column)}` : `${shown} as ${quote(column)}`;
    })
    .join(', ')} from ${nameOf(source)} s)`;

/**
 * Those of the names that hold a secret and that pg_settings leaves out, since somebody invented them, or has. $1: names that are asked for.
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
where s.setting is distinct from ${ofSetting('setting')} or s.reset_val is distinct from ${ofSetting('reset_val')}`;
