// What every rule is set to for every connection, for whoever judges samples: two statements for all of them.
import type { Db } from '../../kernel/db.ts';
import type { Operator, Severity } from '../rules/types.ts';
import { type InForceRow, listInForce, listRules, type RuleRow } from './alert-rules.queries.ts';
import type { Source } from './alert-rules.schemas.ts';
import { demandKnown, ruleNames } from './known-rules.service.ts';

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

export class RulesInForce {
  readonly #ids: ReadonlyMap<string, number>;
  /** By rule, then by connection. */
  readonly #set: ReadonlyMap<number, ReadonlyMap<number, RuleInForce>>;
  /** Where nothing is set. */
  readonly #built = new Map<string, RuleInForce>();
  /** Another text whenever anything is set to something else. */
  readonly mark: string;

  constructor(rules: readonly RuleRow[], set: readonly InForceRow[]) {
    this.#ids = new Map(rules.map(({ name, id }) => [name, id]));
    const lasting = new Map(rules.map(({ name, id }) => [id, demandKnown(name).rule.lastsSeconds ?? 0]));
    const byRule = Map.groupBy(set, ({ rule_id }) => rule_id);
    this.#set = new Map(
      [...byRule].map(([rule_id, rows]) => [
        rule_id,
        new Map(
          rows.map(({ connection_id, ...row }) => [
            connection_id,
            { ...row, lastsSeconds: lasting.get(rule_id) ?? 0 },
          ]),
        ),
      ]),
    );
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
    const rule_id = this.#ids.get(name);
    if (rule_id === undefined) throw new Error(`the rule ${name} has no row`);
    return this.#set.get(rule_id)?.get(connection_id) ?? this.#builtIn(name, rule_id);
  }

  #builtIn(name: string, rule_id: number): RuleInForce {
    const known = this.#built.get(name);
    if (known) return known;
    const { operator, threshold, severity, isOff, lastsSeconds = 0 } = demandKnown(name).rule;
    const values = { rule_id, operator, threshold, severity, lastsSeconds };
    const made: RuleInForce = { ...values, is_enabled: isOff !== true, source: 'built_in' };
    this.#built.set(name, made);
    return made;
  }
}

export const readRulesInForce = async (db: Db): Promise<RulesInForce> =>
  new RulesInForce(await listRules(db, ruleNames), await listInForce(db));
