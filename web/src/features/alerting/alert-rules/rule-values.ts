// What an alert rule is set to, where it is set, and as a form holds it. Pure. Guards: the most specific place where
// something is set wins whole; a threshold is checked in words before anything is sent.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import {
  ESTATE_WORDS,
  type Level,
  type Scope,
  type ScopeRows,
  type Setting,
  scopeWords,
} from '../../estate/overrides/scopes.ts';

export type Rule = OperationTypes['listAlertRules']['result'][number];
export type Override = OperationTypes['listAlertOverrides']['result'][number];
export type Operator = Rule['default_operator'];
export type Severity = Rule['default_severity'];

export interface Values {
  operator: Operator;
  threshold: number;
  severity: Severity;
  is_enabled: boolean;
}

export const OPERATORS = ['>', '>=', '<', '<=', '==', '!='] as const satisfies readonly Operator[];
export const SEVERITIES = ['info', 'warning', 'critical'] as const satisfies readonly Severity[];
export const OPERATOR_WORDS: Record<Operator, string> = {
  '>': 'more than',
  '>=': 'at least',
  '<': 'less than',
  '<=': 'at most',
  '==': 'exactly',
  '!=': 'other than',
};
export const SEVERITY_WORDS: Record<Severity, string> = {
  info: 'Info',
  warning: 'Warning',
  critical: 'Critical',
};

const of = (choices: readonly Operator[], text: string) => choices.find((one) => one === text);

const globalOf = (rule: Rule): Values => ({
  operator: rule.default_operator,
  threshold: rule.default_threshold,
  severity: rule.default_severity,
  is_enabled: rule.default_enabled,
});

const sameValues = (a: Values, b: Values): boolean =>
  a.operator === b.operator &&
  a.threshold === b.threshold &&
  a.severity === b.severity &&
  a.is_enabled === b.is_enabled;

/** What is set there; undefined: nothing. */
function overrideOf(row: Override | undefined): Values | undefined {
  if (!row?.has_override) return undefined;
  const operator = of(OPERATORS, row.override_operator ?? '');
  const severity = SEVERITIES.find((one) => one === row.override_severity);
  const { override_threshold: threshold, override_enabled: is_enabled } = row;
  if (operator === undefined || severity === undefined || threshold === null || is_enabled === null)
    return undefined;
  return { operator, threshold, severity, is_enabled };
}

/** Undefined scope: the whole estate. */
export interface RuleSetting extends Setting<Values> {
  scope: Scope | undefined;
}

export interface RuleAt {
  rule: Rule;
  /** What is set, from the most general to the most specific; the last one is in force. */
  chain: Level<Values>[];
  inForce: Level<Values>;
  /** From the most specific to the most general. */
  places: [RuleSetting, ...RuleSetting[]];
}

/** `scopes`: from the most general to the most specific. */
export function ruleAt(rule: Rule, scopes: readonly ScopeRows<Override>[]): RuleAt {
  const global = globalOf(rule);
  const builtIn = rule.built_in;
  const first: Level<Values> = { title: 'Default', values: builtIn };
  const isChanged = !sameValues(global, builtIn);
  const chain = [first, ...(isChanged ? [{ title: ESTATE_WORDS, values: global }] : [])];
  const places: [RuleSetting, ...RuleSetting[]] = [
    {
      key: 'global',
      title: ESTATE_WORDS,
      scope: undefined,
      set: isChanged ? global : undefined,
      inherited: builtIn,
    },
  ];
  for (const { scope, rows } of scopes) {
    const set = overrideOf(rows.find(({ rule_id }) => rule_id === rule.id));
    const title = scopeWords(scope);
    places.unshift({ key: scope.scope, title, scope, set, inherited: chain.at(-1)?.values ?? builtIn });
    if (set) chain.push({ title, values: set });
  }
  return { rule, chain, inForce: chain.at(-1) ?? first, places };
}

/** "more than 80 %". */
export const conditionWords = ({ operator, threshold }: Values, unit: string | null): string =>
  `${OPERATOR_WORDS[operator]} ${formatValue(threshold, unit ?? '')}`;

/** "more than 80 %, Warning"; "switched off (…)". */
export function valuesWords(values: Values, unit: string | null): string {
  const words = `${conditionWords(values, unit)}, ${SEVERITY_WORDS[values.severity].toLowerCase()}`;
  return values.is_enabled ? words : `switched off (${words})`;
}

export interface Draft extends Omit<Values, 'threshold'> {
  threshold: string;
}

export const draftOf = (values: Values): Draft => ({ ...values, threshold: String(values.threshold) });

const NUMBER = /^-?\d{1,18}(\.\d{1,9})?$/;

/** Undefined: not a number that can be sent. */
export function thresholdOf({ threshold }: Draft): number | undefined {
  const text = threshold.trim();
  return NUMBER.test(text) ? Number(text) : undefined;
}

export const THRESHOLD_FAULT = 'A number, such as 80 or 0.5.';
