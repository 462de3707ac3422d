// What mends something on a monitored server: steps, each with where it is run and whether a restart follows. Kept and
// shown as one text that can be pasted as it is, because all that is not SQL in it is a comment. Pure.
import { inertLine } from '../../kernel/inert-text.ts';

export interface Step {
  /** SQL, one statement each: some of it may not stand in a transaction with other statements. */
  readonly sql: readonly string[];
  /** What has to be done beside SQL, as the rest of a comment; before the SQL. */
  readonly first?: string;
  /** A standby takes changes of roles, databases and extensions from its primary alone. */
  readonly on: 'server' | 'primary';
  /** The server has to be restarted after it. */
  readonly restart?: true;
}

export type Remedy = readonly Step[];

const PRIMARY = '-- on the primary of this standby:';
const RESTART = '-- then restart this server';
const RESTART_ONLY = '-- restart this server';

function linesOf({ sql, first, on, restart }: Step): string[] {
  const where = on === 'primary' && sql.length > 0 ? [PRIMARY] : [];
  const before = first === undefined ? [] : [`-- ${inertLine(first)}`];
  const after = restart ? [sql.length + before.length > 0 ? RESTART : RESTART_ONLY] : [];
  return [...before, ...where, ...sql, ...after];
}

/** Of several remedies too: an empty line stands between two. */
export const remedyText = (remedy: Remedy) => remedy.flatMap(linesOf).join('\n');

/** The remedies in a text that may hold several. */
export const remediesIn = (text: string) => text.split('\n\n');

/** They concern roles, databases or the whole server, so they may be run in any of its databases. */
const ANYWHERE =
  /^(grant (connect on database |[a-z_]+ to )|alter (system|role|database) |select pg_reload_conf)/;

export interface Whereabouts {
  /** Where the first statement is run. */
  on: 'server' | 'primary';
  needs_restart: boolean;
  /** Some of it has to be run in the database that it is about. */
  in_database: boolean;
}

/** Where a remedy is run, read from its text. */
export function whereToRun(text: string): Whereabouts {
  const lines = text.split('\n');
  const statements = lines.filter((line) => line !== '' && !line.startsWith('--'));
  const [first] = statements;
  const primary = lines.indexOf(PRIMARY);
  return {
    on: primary !== -1 && primary < lines.indexOf(first ?? '') ? 'primary' : 'server',
    needs_restart: lines.includes(RESTART) || lines.includes(RESTART_ONLY),
    in_database: statements.some((line) => !ANYWHERE.test(line)),
  };
}

/** The same within a sentence: "run in shop: create extension x;". */
export function remedySentence(remedy: Remedy, database: string): string {
  const steps = remedy.map(({ sql, first, on, restart }) => {
    const inside = sql.some((line) => !ANYWHERE.test(line)) ? ` in ${database}` : '';
    const where = on === 'primary' ? ` on the primary${inside === '' ? '' : ','}${inside}` : inside;
    const run = sql.length === 0 ? [] : [`run${where}: ${sql.join(' ')}`];
    return [
      ...(first === undefined ? [] : [first]),
      ...run,
      ...(restart ? ['restart this server'] : []),
    ].join(', then ');
  });
  return steps.join(', then ');
}
