// What an alert is called and says, in plain text: what was measured of what, against which threshold, and what it means.
// Pure. Guards: what comes from a monitored server is cut to one line of a bounded length.
import { shownValue } from '../../kernel/shown-value.ts';
import type { Metric } from '../../probes/metrics.ts';
import type { Operator, Rule } from '../rules/types.ts';

/** Which side of the threshold is meant is said by what was measured; only an exact one is named. */
const COMPARED: Partial<Record<Operator, string>> = { '==': 'exactly ', '!=': 'other than ' };

export interface AlertTextInput {
  rule: Pick<Rule, 'title' | 'meaning'>;
  metric: Pick<Metric, 'description' | 'unit'>;
  operator: Operator;
  threshold: number;
  value: number;
  /** What the value is made of. */
  says?: string | undefined;
  database_name: string;
  object_name: string;
}

/** 1 for yes: the number says nothing more than the title. */
const isFlag = ({ operator, threshold, value }: AlertTextInput) =>
  operator === '==' && threshold === 1 && value === 1;

function placeOf({ object_name, database_name }: AlertTextInput): string {
  const places = [object_name, database_name && `database ${database_name}`].filter((part) => part !== '');
  return places.join(' in ');
}

export function titleOf(told: AlertTextInput): string {
  const place = placeOf(told);
  return place === '' ? told.rule.title : `${told.rule.title}: ${place}`;
}

export function descriptionOf(told: AlertTextInput): string {
  const { rule, metric, operator, threshold, value, says } = told;
  if (isFlag(told)) return rule.meaning;
  const what = metric.description.split(/[;.]/)[0] ?? '';
  const limit = `${COMPARED[operator] ?? ''}${shownValue(threshold, metric.unit)}`;
  const beside = says === undefined ? '' : `${says}; `;
  return `${what}: ${shownValue(value, metric.unit)} (${beside}threshold ${limit}). ${rule.meaning}`;
}
