// Every statement that we have for monitored servers, by its name and as the server of a session would get it: of probes, rules, sources
// of host facts, the collector, tests of connections, live calls, advice, reading SQL and tools.
import type pg from 'pg';
import { rules } from '../../alerting/rules/catalog.gen.ts';
import type { Rule } from '../../alerting/rules/types.ts';
import * as tools from '../../assistant/tools/support/statements.queries.ts';
import { obstacle } from '../../collector/outcomes.ts';
import { probeStatement, textsStatement } from '../../collector/probe.queries.ts';
import { capabilitiesOf, type Session } from '../../collector/session.ts';
import * as target from '../../collector/target.queries.ts';
import * as connectionTest from '../../estate/connections/connection-test.queries.ts';
import * as live from '../../estate/connections/live.queries.ts';
import * as advice from '../../insight/advice/advice.queries.ts';
import type { Sql } from '../../kernel/sql.ts';
import * as names from '../../monitored/read-only-sql/names.queries.ts';
import * as role from '../../monitored/read-only-sql/role.queries.ts';
import * as reading from '../../monitored/read-only-sql/session.queries.ts';
import * as settings from '../../monitored/read-only-sql/settings.ts';
import { sources } from '../../probes/hosts/catalog.gen.ts';
import * as requirements from '../../probes/requirements/reading.queries.ts';
import type { SqlProbe } from '../../probes/types.ts';
import { describeStatement } from '../queries/describe-statement.ts';
import type { HostSession } from './host-input.ts';
import { catalog } from './probing.ts';

export interface SentStatement {
  name: string;
  text: string;
  /** Instead of the text, where we would not send it. */
  problem?: string;
}

/** What the evidence of rules asks for beside what every server has; of spock's tables those columns that statements name. */
export const EVIDENCE_TABLES = [
  'create extension pg_stat_statements',
  'create schema spock',
  'create table spock.exception_log (retry_errored_at timestamptz)',
  'create table spock.resolutions (log_time timestamptz)',
];

const MODULES: readonly object[] = [
  ...[target, requirements, connectionTest, live, advice, names, role, reading, settings, tools],
];
const NAMED = /^\s*\/\* ([a-z0-9_.]+) \*\//;

const named = (text: string): SentStatement => ({ name: NAMED.exec(text)?.[1] ?? text, text });

/** Of files of SQL, those that are whole as they stand. */
export const constantStatements = (): SentStatement[] =>
  [
    ...MODULES.flatMap((one) => Object.values(one)).filter((one): one is string => typeof one === 'string'),
    capabilitiesOf(catalog).text,
    target.statementTimeout(1000),
  ]
    .filter((text) => NAMED.test(text))
    .map(named);

/** The statements of rules' evidence. */
export const evidenceStatements = (): SentStatement[] =>
  rules.flatMap(({ name, evidence }: Rule) =>
    evidence && 'sql' in evidence ? [{ name: `rule.${name}`, text: evidence.sql }] : [],
  );

/** Needs what neither this version nor a server without such extensions has. */
const isElsewhere = ({ requires }: SqlProbe, version_num: number) =>
  (requires?.version_num ?? 0) > version_num ||
  /^@(?:spock|pg_store_plans|pg_stat_plans)\./.test(requires?.relation ?? '');

/** Of the probes that the version of the server offers. */
export function probeStatements(session: Session, probes: readonly SqlProbe[] = catalog): SentStatement[] {
  const { capabilities, database, server } = session;
  return probes
    .filter((probe) => !isElsewhere(probe, capabilities.version_num))
    .flatMap((probe) => {
      const inTheWay = obstacle(probe, capabilities, { database, username: 'postgres', server });
      if (inTheWay?.kind === 'skipped' || inTheWay?.kind === 'failed')
        return [{ name: `probe.${probe.name}`, text: '', problem: inTheWay.reason }];
      const wanted = [{ dbid: '1', userid: '10', queryid: '1', toplevel: true }];
      const texts = textsStatement(probe, capabilities, { wanted, maxText: 1000 });
      return [probeStatement(probe, capabilities), ...(texts === undefined ? [] : [texts])].map(named);
    });
}

/** What the sources of host facts ask, as they ask it of this server. */
export async function hostStatements({ input }: HostSession): Promise<SentStatement[]> {
  const asked = new Map<string, SentStatement>();
  const query = (statement: Sql) => {
    asked.set(statement.text, named(statement.text));
    return input.query(statement);
  };
  for (const source of sources) await source.gather({ ...input, query });
  return [...asked.values()];
}

/** What the server says against them, by their names. Nothing is run. */
export async function problemsOf(
  client: pg.ClientBase,
  statements: readonly SentStatement[],
): Promise<string[]> {
  const problems: string[] = [];
  for (const { name, text, problem } of statements) {
    const found =
      problem ??
      (await describeStatement(client, text).then(
        () => undefined,
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      ));
    if (found !== undefined) problems.push(`${name}: ${found}`);
  }
  return problems;
}
