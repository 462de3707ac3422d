// The rules of the catalog with what each judges and where that is read from, and what they call the things that they are about. Pure.
// Guards: the catalog says which rules there are, so a row of one that this program does not have is nobody's; an alert and a backtest of
// the same rule call the same thing by the same name; what comes from a monitored server is cut to one line of a bounded length.
import type { MetricValue } from '../../history/history.ts';
import { cutText } from '../../kernel/inert-text.ts';
import { probes } from '../../probes/catalog.gen.ts';
import { type Metric, metricsOf } from '../../probes/metrics.ts';
import { serverLog } from '../../probes/server-log.ts';
import type { Probe } from '../../probes/types.ts';
import { rules } from '../rules/catalog.gen.ts';
import type { Rule } from '../rules/types.ts';

/** What a rule judges is read from: the newest samples, the dates when something runs out, the log, or the plans found in it. */
export type RuleSource = 'samples' | 'dates' | 'log' | 'plans';

/** A rule with the metric that it judges and the probe that declares it. */
export interface KnownRule {
  readonly rule: Rule;
  readonly probe: Probe;
  readonly metric: Metric;
  readonly source: RuleSource;
}

type Kind = Metric['value']['kind'];
/** What is not told by samples. */
const SOURCES: ReadonlyMap<Kind, RuleSource> = new Map<Kind, RuleSource>([
  ['days left', 'dates'],
  ['log events', 'log'],
  ['log panics', 'log'],
  ['log figure', 'log'],
  ['log errors', 'log'],
  ['plan regression', 'plans'],
]);

/** Metrics are many, and this is made at each start: once for all rules. */
const judged = new Map(
  [...probes, serverLog].flatMap((probe) =>
    metricsOf(probe).map((metric) => [metric.wireName, { probe, metric }]),
  ),
);

function known(rule: Rule): KnownRule {
  const found = judged.get(rule.metric);
  if (!found) throw new Error(`the rule ${rule.name} judges ${rule.metric}, which no probe declares`);
  return { rule, ...found, source: SOURCES.get(found.metric.value.kind) ?? 'samples' };
}

/** By name. */
export const knownRules: ReadonlyMap<string, KnownRule> = new Map(
  rules.map((rule) => [rule.name, known(rule)]),
);
export const ruleNames: readonly string[] = [...knownRules.keys()];

export function demandKnown(name: string): KnownRule {
  const found = knownRules.get(name);
  if (!found) throw new Error(`no rule ${name}`);
  return found;
}

const LONGEST_NAME = 200;
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** A name that a server gave, on one line. */
export const shownName = (name: string): string => {
  const line = name.replaceAll(HIDDEN, ' ').trim();
  return line.length > LONGEST_NAME ? `${cutText(line, LONGEST_NAME - 1)}…` : line;
};

const text = (value: unknown) => (value === null || value === undefined ? '' : String(value));

const inDatabase = (name: string) => (name === '' ? '' : ` (database ${name})`);

/** What people call an object: its qualified name, else its key without process ids, which are others at each start. */
function nameOf(probe: Probe, object: MetricValue['object']): string {
  const {
    schemaname,
    relname,
    indexrelname,
    sequencename,
    funcname,
    application_name,
    queryid,
    subname,
    datname,
  } = object;
  const name = indexrelname ?? sequencename ?? relname ?? funcname;
  const named = [schemaname, name].map(text).filter((part) => part !== '');
  if (named.length === 2) return shownName(named.join('.'));
  // A subscription belongs to a database, and another database may have one of the same name.
  if (text(subname) !== '') return shownName(`${text(subname)}${inDatabase(text(datname))}`);
  if (text(queryid) !== '') return shownName(`statement ${text(queryid)}`);
  if (text(application_name) !== '') return shownName(text(application_name));
  const keys = probe.columns.filter((column) => column.kind === 'key' && column.name !== 'pid');
  const parts = keys.map((column) => text(object[column.name]));
  return shownName(parts.filter((part) => part !== '').join(' '));
}

/** What a rule calls an object; empty: the database or the server as a whole. */
export const objectNameOf = ({ rule, probe }: KnownRule, object: MetricValue['object']): string =>
  rule.isOfServer ? '' : nameOf(probe, object);
