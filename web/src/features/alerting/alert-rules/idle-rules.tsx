// Rules that judge nothing on a server, or only a part, because what they read is not collected there: each thing that mends
// it once, with the rules that it wakes. What to do unfolds: the rules themselves come first on the page.
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { Panel } from '../../../ui/panel.tsx';
import classes from './rules.module.css';

export type IdleRule = OperationTypes['listIdleAlertRules']['result']['rules'][number] & {
  /** Only a part of the objects is withheld from it. */
  isPartial: boolean;
};
type Remedy = IdleRule['remedies'][number];

const USUAL_MS = 15_000;

/** Of a server, by the rule's id; undefined: no server is meant, or it is not known yet. */
export function useIdleRules(serverId: number | undefined): ReadonlyMap<number, IdleRule> | undefined {
  const { data } = useOperation(
    'listIdleAlertRules',
    { params: { id: serverId ?? 0 } },
    { enabled: serverId !== undefined, everyMs: USUAL_MS },
  );
  if (serverId === undefined) return undefined;
  if (!data) return undefined;
  const idle = data.rules.map((rule) => ({ ...rule, isPartial: false }));
  const partly = data.partly_blind.map((rule) => ({ ...rule, isPartial: true }));
  return new Map([...idle, ...partly].map((rule) => [rule.rule_id, rule]));
}

/** A reason as the rest of a sentence. */
const becauseOf = ({ reason, isPartial }: IdleRule) =>
  `${isPartial ? 'Judges only a part' : 'Idle'}, because: ${reason}`;

export function IdleReason({ idle }: { idle: IdleRule | undefined }) {
  return idle ? <div className={classes.idle}>{becauseOf(idle)}</div> : null;
}

interface Waker {
  remedy: Remedy;
  rules: IdleRule[];
}

/** Each thing to do once, what wakes most rules first. */
function wakersOf(idle: readonly IdleRule[]): Waker[] {
  const found = new Map<string, Waker>();
  for (const rule of idle)
    for (const remedy of rule.remedies) {
      const key = JSON.stringify([remedy.statement, remedy.database_name]);
      const waker = found.get(key) ?? { remedy, rules: [] };
      waker.rules.push(rule);
      found.set(key, waker);
    }
  return [...found.values()].sort((a, b) => b.rules.length - a.rules.length);
}

function whereWords({ database_name, run_on, needs_restart }: Remedy): string {
  const parts = [
    ...(run_on === 'primary' ? ['on the primary'] : []),
    ...(database_name === null ? [] : [`in the database ${database_name}`]),
  ];
  const where = parts.length === 0 ? 'What to do' : `What to do ${parts.join(', ')}`;
  return needs_restart ? `${where}; the server has to be restarted` : where;
}

export function IdleRules({ idle }: { idle: ReadonlyMap<number, IdleRule> | undefined }) {
  const wakers = wakersOf([...(idle?.values() ?? [])]);
  if (wakers.length === 0) return null;
  return (
    <Panel title="Idle rules" note="what they judge is not collected on this server, or not all of it">
      <ul className={classes.wakers}>
        {wakers.map(({ remedy, rules }) => (
          <li key={`${remedy.statement}\n${remedy.database_name ?? ''}`}>
            <details>
              <summary className={classes.wakes}>
                {rules.every(({ isPartial }) => isPartial) ? 'Shows all to' : 'Wakes'}{' '}
                {countOf(rules.length, 'rule')}: {rules.map(({ title }) => title).join(', ')}
              </summary>
              <CodeBlock code={remedy.statement} label={whereWords(remedy)} />
            </details>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
