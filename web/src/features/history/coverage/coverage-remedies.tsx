// What there is to do so that more is collected: each thing once, with what it mends, then what nothing mends.
import { Button } from '@mantine/core';
import type { Coverage, CoverageEntry } from '../../../api/types.ts';
import { useOperationMutation } from '../../../api/use-operation.ts';
import { countOf } from '../../../lib/format.ts';
import { clockTime, exactTime } from '../../../lib/time.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { ExplainButton } from '../../../ui/explain-button.tsx';
import { OkIcon, RetryIcon } from '../../../ui/icons.ts';
import { Panel } from '../../../ui/panel.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { aboutAllMissing, aboutMissing } from './coverage-about.ts';
import { fewOf, type Group, unmended } from './coverage-groups.ts';
import classes from './coverage-view.module.css';
import { COVERAGE_STATES } from './coverage-words.ts';
import { useCoverage } from './use-coverage.ts';

type Remedy = Coverage['remedies'][number];

function Subject({ status, probes, databases }: Pick<Group, 'status' | 'probes' | 'databases'>) {
  const { label, mark } = COVERAGE_STATES[status];
  return (
    <>
      <Status mark={mark} label={label} />
      <span className={classes.subject}>
        <code title={probes.join(', ')}>{fewOf(probes)}</code>
        {databases.length === 0 ? null : (
          <>
            {' in '}
            <strong title={databases.join(', ')}>{fewOf(databases)}</strong>
          </>
        )}
      </span>
    </>
  );
}

const SQL = /^(grant|create|alter|set|drop) /im;

/** Where it is run, and what else belongs to it. */
function whereToRun({ statement, database_name, run_on, needs_restart }: Remedy): string {
  if (!SQL.test(statement)) return needs_restart ? 'What to do, with a restart' : 'What to do';
  const primary = run_on === 'primary' ? ' on the primary,' : '';
  const database =
    database_name === null ? 'the database of the connection' : `the database ${database_name}`;
  return `Run${primary} in ${database}${needs_restart ? '; this server has to be restarted' : ''}`;
}

/** Tried since somebody asked for it, and no better. */
function Checked({ at, askedAt }: { at: string | null; askedAt: number | undefined }) {
  if (at === null) return null;
  const isAgain = askedAt !== undefined && Date.parse(at) >= askedAt;
  return (
    <span className={classes.mends} title={exactTime(at)}>
      Checked {clockTime(Date.parse(at))}
      {isAgain ? ': still missing' : ''}
    </span>
  );
}

interface Retest {
  again: () => void;
  isPending: boolean;
  /** When somebody asked for it here last, in milliseconds. */
  askedAt: number | undefined;
}

function OneRemedy({ remedy, retest }: { remedy: Remedy; retest: Retest }) {
  return (
    <li className={classes.problem}>
      <div className={classes.line}>
        <Subject {...remedy} />
        <span className={classes.mends}>fixes {countOf(remedy.count, 'reading')}</span>
        <Checked at={remedy.checked_at} askedAt={retest.askedAt} />
        <Button
          size="compact-xs"
          variant="default"
          leftSection={<RetryIcon size={13} />}
          loading={retest.isPending}
          onClick={retest.again}
          aria-label={`Test again: ${fewOf(remedy.probes)}`}
        >
          Test again
        </Button>
        <ExplainButton what={fewOf(remedy.probes)} question={() => aboutMissing(remedy)} />
      </div>
      {remedy.reason === null ? null : <p className={classes.reason}>{remedy.reason}</p>}
      <CodeBlock code={remedy.statement} label={whereToRun(remedy)} />
    </li>
  );
}

function OneGroup({ group }: { group: Group }) {
  return (
    <li className={classes.problem}>
      <div className={classes.line}>
        <Subject {...group} />
        <ExplainButton what={fewOf(group.probes)} question={() => aboutMissing(group)} />
      </div>
      {group.reason === null ? null : <p className={classes.reason}>{group.reason}</p>}
    </li>
  );
}

interface ListProps {
  remedies: Coverage['remedies'];
  others: readonly Group[];
  retest: Retest;
}

function RemedyList({ remedies, others, retest }: ListProps) {
  return (
    <ul className={classes.problems}>
      {remedies.map((remedy) => (
        <OneRemedy
          key={`${remedy.statement}\n${remedy.database_name ?? ''}`}
          remedy={remedy}
          retest={retest}
        />
      ))}
      {others.map((group) => (
        <OneGroup key={`${group.status}\n${group.reason ?? ''}`} group={group} />
      ))}
    </ul>
  );
}

function useRetest(id: number) {
  const asked = useOperationMutation('retestConnectionCoverage');
  const retest: Retest = {
    again: () => asked.mutate({ params: { id } }),
    isPending: asked.isPending,
    askedAt: asked.submittedAt === 0 ? undefined : asked.submittedAt,
  };
  return { asked, retest };
}

/** What of some probes nobody could collect, why, and what mends it; nothing where no reading is missing. */
export function MissingReadings({ id, probes }: { id: number; probes: readonly string[] }) {
  const coverage = useCoverage(id).data;
  const { retest } = useRetest(id);
  if (!coverage) return null;
  const isMissing = ({ status }: { status: Group['status'] }) =>
    status !== 'incomplete' && status !== 'waiting';
  const remedies = coverage.remedies
    .filter(isMissing)
    .filter((remedy) => remedy.probes.some((one) => probes.includes(one)));
  const others = unmended(coverage.probes.filter(({ probe }) => probes.includes(probe))).filter(isMissing);
  if (remedies.length + others.length === 0) return null;
  return (
    <Panel title="Not collected" note="of what this page shows">
      <RemedyList remedies={remedies} others={others} retest={retest} />
    </Panel>
  );
}

interface RemediesProps {
  id: number;
  remedies: Coverage['remedies'];
  entries: readonly CoverageEntry[];
}

export function Remedies({ id, remedies, entries }: RemediesProps) {
  const { asked, retest } = useRetest(id);
  const others = unmended(entries);
  const count = remedies.length + others.length;
  return (
    <Panel
      title="Not collected"
      note={count > 0 ? `${countOf(count, 'cause')}, biggest fixes first` : undefined}
      actions={
        <>
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<RetryIcon size={15} />}
            loading={retest.isPending}
            onClick={retest.again}
          >
            Test all again
          </Button>
          <span role="status" className={classes.asked}>
            {asked.error ? asked.error.message : asked.isSuccess ? 'Asked for; answers follow.' : ''}
          </span>
          {count === 0 ? null : (
            <ExplainButton
              what="what is not collected"
              question={() => aboutAllMissing([...remedies, ...others])}
            />
          )}
        </>
      }
    >
      {count === 0 ? (
        <EmptyState icon={<OkIcon size={26} />} title="Everything that can be collected is collected" />
      ) : (
        <RemedyList remedies={remedies} others={others} retest={retest} />
      )}
    </Panel>
  );
}
