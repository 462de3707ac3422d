// What an alert rule is: pure data. A rule judges a metric that its probe declares, and computes nothing itself. Guards:
// each rule says what it means, what to do and how to see it on the server, so that no one has to look these up at night.

export type Operator = '>' | '>=' | '<' | '<=' | '==' | '!=';

export type Severity = 'info' | 'warning' | 'critical';

export type RuleCategory =
  | 'availability'
  | 'connections'
  | 'locks'
  | 'maintenance'
  | 'performance'
  | 'queries'
  | 'replication'
  | 'storage'
  | 'transactions'
  | 'wal';

/** What people run to see for themselves: a read-only statement on the monitored server, or a command on its host. */
export type Evidence = { readonly sql: string } | { readonly shell: string };

export interface Rule {
  readonly name: string;
  readonly category: RuleCategory;
  /** As probes name it to rules: `wireName` in probes/metrics.ts. */
  readonly metric: string;
  readonly operator: Operator;
  /** In the unit of the metric. */
  readonly threshold: number;
  readonly severity: Severity;
  /** Off until a person switches it on. */
  readonly isOff?: true;
  /** Seconds that the condition has to last before the alert fires; it fires at the first sample when absent. */
  readonly lastsSeconds?: number;
  /** The extension without which the metric cannot be collected. */
  readonly requires?: string;
  /** Rules whose open alert on the same object says this one already: it is kept, marked, and not sent. */
  readonly followsFrom?: readonly string[];
  /** Rules whose open alert on the same server, whatever its object, holds this one back: that is the cause. */
  readonly followsFromServer?: readonly string[];
  /**
   * Rules whose alert on the same server told of the same trouble before this one fired. They may follow from this one where both fire at
   * once, or this one fires first.
   */
  readonly followsFromEarlier?: readonly string[];
  /** While another server of its cluster cannot be reached, the alert of that says this one already. */
  readonly followsFromMember?: true;
  /** It is about what applications do: in the product's own database it says nothing that a person has to act on. */
  readonly isOfWorkload?: true;
  /** While the server that this one replicates from cannot be reached, the alert of that says this one already. */
  readonly followsFromUpstream?: true;
  /** A standby that is late on purpose (recovery_min_apply_delay) is well, seen from either end. */
  readonly allowsDelay?: true;
  /** Its alert names the session that holds the lock, where the lock tree knows it. */
  readonly namesBlocker?: true;
  /** Its alert names the objects in that column of the newest rows of its probe, of those rows where `where` is true. */
  readonly namesObjects?: { readonly column: string; readonly where?: string };
  /** Its alert says so where a row of its probe has that value: what causes it, and what ends it at once. */
  readonly saysWhere?: { readonly column: string; readonly is: string; readonly words: string };
  /** Its alert names what keeps vacuum from freezing in that database: a session, a prepared transaction, a slot or a standby. */
  readonly namesHolder?: true;
  /** Its alert names the session whose age the value is. */
  readonly namesSession?: true;
  /** Its alert names the statement that wrote most of them, or those of the newest deadlock, where that is known. */
  readonly namesStatement?: 'temporary files' | 'deadlocks';
  /** Its alert names the indexes of the tables of its statement that were dropped in the day before. */
  readonly namesDropped?: true;
  /** It is about the server as a whole, whatever rows its metric is made of. */
  readonly isOfServer?: true;
  /** A noun phrase that a DBA would search for; what an alert is called. */
  readonly title: string;
  /** What connects the title to the name of the object; the name follows at once when absent. */
  readonly joins?: 'in' | 'of' | 'for' | ':';
  /** The figure in a sentence, `{value}` for the value with its unit; absent for yes and no. */
  readonly reading?: string;
  /** Why it matters. */
  readonly meaning: string;
  /** What to do about it. */
  readonly remedy: string;
  readonly evidence?: Evidence;
  /** Beyond the specification of the API. */
  readonly isOurs?: true;
}

/**
 * Declares an alert rule: one file in this folder, exported as `rule`.
 * @example
 * export const rule = defineRule({ name: 'deadlocks_detected', category: 'locks', metric: 'pg_stat_database.deadlocks_delta',
 *   operator: '>', threshold: 0, severity: 'warning', title: 'Deadlocks', reading: 'Deadlocks in the last hour: {value}', meaning: '…',
 *   remedy: '…' });
 */
export const defineRule = <const R extends Rule>(declaration: R): R => declaration;
