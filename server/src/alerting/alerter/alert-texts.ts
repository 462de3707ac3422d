// Title and description of an alert, in plain text: the value, the threshold, what the value is made of, and why it matters.
// Pure. Guards: what comes from a monitored server is cut to one line of a bounded length.
import { shownNames, shownValue } from '../../kernel/shown-value.ts';
import type { Metric } from '../../probes/metrics.ts';
import type { Operator, Rule } from '../rules/types.ts';

/** The title says which side of the threshold is meant; only an exact one is named. */
const COMPARED: Partial<Record<Operator, string>> = { '==': 'exactly ', '!=': 'other than ' };
const STATEMENT = 'statement ';

export interface AlertTextInput {
  rule: Pick<
    Rule,
    'title' | 'meaning' | 'joins' | 'reading' | 'namesBlocker' | 'namesSession' | 'namesStatement'
  >;
  metric: Pick<Metric, 'name' | 'description' | 'unit'>;
  operator: Operator;
  threshold: number;
  value: number;
  /** What the value is made of. */
  says?: string | undefined;
  /** What led to it, as a sentence. */
  because?: string | undefined;
  /** Of the objects that it is about, where these are not the one of the reading itself. */
  names?: readonly string[] | undefined;
  database_name: string;
  object_name: string;
}

/** 1 for yes: the number says nothing more than the title. */
const isFlag = ({ operator, threshold, value }: AlertTextInput) =>
  operator === '==' && threshold === 1 && value === 1;

function objectIn({ rule: { joins }, object_name }: AlertTextInput): string {
  if (object_name === '') return '';
  if (object_name.startsWith(STATEMENT)) return ` ${object_name.slice(STATEMENT.length)}`;
  const before = joins === undefined ? ' ' : joins === ':' ? ': ' : ` ${joins} `;
  return `${before}"${object_name}"`;
}

const MOST_NAMES = 3;

/** Such as ` "gid"`, or `: "a", "b", "c" and 4 more`. */
function namesIn({ rule: { joins }, names = [] }: AlertTextInput): string {
  if (names.length === 0) return '';
  const shown = shownNames(
    names.map((name) => `"${name}"`),
    MOST_NAMES,
  );
  return `${joins === ':' || names.length > 1 ? ':' : ''} ${shown}`;
}

export function titleOf(reading: AlertTextInput): string {
  const { rule, database_name } = reading;
  const database = database_name === '' ? '' : ` in database "${database_name}"`;
  return `${rule.title}${namesIn(reading)}${objectIn(reading)}${database}`;
}

/** The unit of a metric of hours is not in its column, which is as the API names it. */
const unitOf = ({ name, unit }: AlertTextInput['metric']) => (name.endsWith('_hours') ? 'hours' : unit);

/** A value that rounds to its threshold is beside it: "90 % (threshold 90 %)" would read as no alert. */
function valueWords(value: number, threshold: number, unit: string): string {
  const words = shownValue(value, unit);
  if (value === threshold || words !== shownValue(threshold, unit)) return words;
  return `just ${value > threshold ? 'over' : 'under'} ${words}`;
}

export function descriptionOf(reading: AlertTextInput): string {
  const { rule, metric, operator, threshold, value, says, because } = reading;
  if (isFlag(reading)) return rule.meaning;
  const unit = unitOf(metric);
  const limit = `${COMPARED[operator] ?? ''}${shownValue(threshold, unit)}`;
  // A session or a statement that is named is a sentence of its own; what the value is made of stands beside it.
  const isNamed =
    rule.namesBlocker === true || rule.namesSession === true || rule.namesStatement !== undefined;
  const beside = says === undefined || isNamed ? '' : `${says}; `;
  const cause = says === undefined || !isNamed ? '' : ` ${says.charAt(0).toUpperCase()}${says.slice(1)}.`;
  const template = rule.reading ?? `${metric.description.split(/[;.]/)[0] ?? ''}: {value}`;
  const shown = valueWords(value, threshold, unit);
  const reads = template
    .replace(/^\{value\}/, () => shown.replace('just', 'Just'))
    .replace('{value}', () => shown);
  return `${reads} (${beside}threshold ${limit}).${cause}${because === undefined ? '' : ` ${because}`} ${rule.meaning}`;
}
