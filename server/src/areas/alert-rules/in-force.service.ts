// What every rule is set to for every connection, for whoever judges samples: two statements for all of them.
import type { Db } from '../../kernel/db.ts';
import type { Operator, Severity } from '../../rules/types.ts';
import { type InForceRow, listInForce, listRules, type RuleRow } from './alert-rules.queries.ts';
import type { Source } from './alert-rules.schemas.ts';
import { demandKnown, ruleNames } from './alert-rules.service.ts';

export interface RuleInForce {
  rule_id: number;
  operator: Operator;
  threshold: number;
  severity: Severity;
  is_enabled: boolean;
  /** Seconds that the condition has to last. */
  lastsSeconds: number;
  source: Source;
}

const keyOf = (connection_id: number, rule_id: number) => `${connection_id} ${rule_id}`;

export class RulesInForce {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #set: ReadonlyMap<string, InForceRow>;
  /** Another text whenever anything is set to something else. */
  readonly mark: string;

  constructor(rules: readonly RuleRow[], set: readonly InForceRow[]) {
    this.#ids = new Map(rules.map(({ name, id }) => [name, id]));
    this.#set = new Map(set.map((row) => [keyOf(row.connection_id, row.rule_id), row]));
    this.mark = JSON.stringify(set);
  }

  /** Whether something else holds for a rule on a connection than did before. */
  differs(before: RulesInForce, connection_id: number, name: string): boolean {
    const [now, then] = [this.of(connection_id, name), before.of(connection_id, name)];
    const { operator, threshold, severity, is_enabled } = now;
    return (
      operator !== then.operator ||
      threshold !== then.threshold ||
      severity !== then.severity ||
      is_enabled !== then.is_enabled
    );
  }

  /** Of a rule of the catalog. */
  of(connection_id: number, name: string): RuleInForce {
    const { rule } = demandKnown(name);
    const rule_id = this.#ids.get(name);
    if (rule_id === undefined) throw new Error(`the rule ${name} has no row`);
    const lastsSeconds = rule.lastsSeconds ?? 0;
    const set = this.#set.get(keyOf(connection_id, rule_id));
    if (set) {
      const { operator, threshold, severity, is_enabled, source } = set;
      return { rule_id, operator, threshold, severity, is_enabled, lastsSeconds, source };
    }
    const { operator, threshold, severity, isOff } = rule;
    return {
      ...{ rule_id, operator, threshold, severity, lastsSeconds },
      is_enabled: isOff !== true,
      source: 'built_in',
    };
  }
}

export const readRulesInForce = async (db: Db): Promise<RulesInForce> =>
  new RulesInForce(await listRules(db, ruleNames), await listInForce(db));
