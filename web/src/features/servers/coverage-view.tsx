// What is collected, what is not, why, and the SQL that mends it.
import { Button } from '@mantine/core';
import type { Coverage, CoverageEntry } from '../../api/types.ts';
import { LIVE_MS, useOperation, useOperationMutation } from '../../api/use-operation.ts';
import { countOf } from '../../lib/format.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { OkIcon, RetryIcon } from '../../ui/icons.ts';
import { Panel } from '../../ui/panel.tsx';
import { EmptyState, ErrorState, Loading } from '../../ui/states.tsx';
import { Status } from '../../ui/status.tsx';
import classes from './coverage-view.module.css';
import { COVERAGE_STATES, problemsOf, sourceTitle } from './coverage-words.ts';
import { ProbesTable } from './probes-table.tsx';

function Problem({ entry }: { entry: CoverageEntry }) {
  const { label, mark } = COVERAGE_STATES[entry.status];
  return (
    <li className={classes.problem}>
      <div className={classes.line}>
        <Status mark={mark} label={label} />
        <code className={classes.probe}>{entry.probe}</code>
        {entry.database_name === null ? null : (
          <span className={classes.where}>
            in database <strong>{entry.database_name}</strong>
          </span>
        )}
      </div>
      {entry.reason === null ? null : <p className={classes.reason}>{entry.reason}</p>}
      {entry.mend === null ? null : <CodeBlock code={entry.mend} label="What mends it" />}
    </li>
  );
}

/** For after something was mended: no need to wait for the next round. */
function TestAgain({ id }: { id: number }) {
  const retest = useOperationMutation('retestConnectionCoverage', { touches: ['getConnectionCoverage'] });
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<RetryIcon size={15} />}
        loading={retest.isPending}
        onClick={() => retest.mutate({ params: { id } })}
      >
        Test again
      </Button>
      <span role="status" className={classes.asked}>
        {retest.error ? retest.error.message : retest.isSuccess ? 'Asked for; answers follow.' : ''}
      </span>
    </>
  );
}

function Problems({ id, problems }: { id: number; problems: readonly CoverageEntry[] }) {
  return (
    <Panel
      title="Not collected"
      note={problems.length > 0 ? `${countOf(problems.length, 'thing')}, worst first` : undefined}
      actions={<TestAgain id={id} />}
    >
      {problems.length === 0 ? (
        <EmptyState icon={<OkIcon size={26} />} title="Everything that can be collected is collected" />
      ) : (
        <ul className={classes.problems}>
          {problems.map((entry) => (
            <Problem key={`${entry.probe}\n${entry.database_name ?? ''}`} entry={entry} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function HostSources({ sources }: { sources: Coverage['host_sources'] }) {
  if (sources.length === 0) return null;
  return (
    <Panel title="Host facts" note="one source is enough; more fill each other’s gaps">
      <ul className={classes.problems}>
        {sources.map((one) => (
          <li key={one.source} className={classes.problem}>
            <div className={classes.line}>
              <Status
                mark={one.status === 'ok' ? 'ok' : 'skipped'}
                label={one.status === 'ok' ? 'In use' : 'Not available'}
              />
              <span className={classes.source}>{sourceTitle(one.source)}</span>
            </div>
            {one.reason === null ? null : <p className={classes.reason}>{one.reason}</p>}
            {one.mend === null ? null : <CodeBlock code={one.mend} label="What makes it available" />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function CoverageView({ id }: { id: number }) {
  const coverage = useOperation('getConnectionCoverage', { params: { id } }, { everyMs: LIVE_MS });
  if (coverage.data === undefined) {
    return (
      <Panel title="Coverage">
        {coverage.error ? (
          <ErrorState error={coverage.error} what="the coverage" onRetry={() => coverage.refetch()} />
        ) : (
          <Loading what="the coverage" lines={6} />
        )}
      </Panel>
    );
  }
  return (
    <div className={classes.views}>
      <Problems id={id} problems={problemsOf(coverage.data)} />
      <HostSources sources={coverage.data.host_sources} />
      <ProbesTable probes={coverage.data.probes} cost={coverage.data.own_cost} />
    </div>
  );
}
