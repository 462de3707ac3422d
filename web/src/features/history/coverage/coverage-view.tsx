// What is collected, what is not, why, and what mends it: the sum first, then what to do, then every reading.
import type { Coverage } from '../../../api/types.ts';
import { useUrlText } from '../../../lib/url-state.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { Status } from '../../../ui/status.tsx';
import type { CoverageFilter } from './coverage-groups.ts';
import { CoverageMatrix } from './coverage-matrix.tsx';
import { Remedies } from './coverage-remedies.tsx';
import { CoverageSummary } from './coverage-summary.tsx';
import classes from './coverage-view.module.css';
import { sourceTitle } from './coverage-words.ts';
import { ProbesTable } from './probes-table.tsx';
import { useCoverage } from './use-coverage.ts';

/** Where facts about the machine come from, and what makes other sources available. */
export function HostSources({ sources }: { sources: Coverage['host_sources'] }) {
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

const LOG_MARKS = {
  reading: { mark: 'ok', label: 'Read' },
  stale: { mark: 'skipped', label: 'Stale' },
  unreadable: { mark: 'skipped', label: 'Not readable' },
  never: { mark: 'skipped', label: 'Not read' },
} as const;

/** Whether the log is read, and the command that makes it so. */
export function LogSource({ log }: { log: Coverage['log'] }) {
  if (log === undefined) return null;
  return (
    <Panel title="Server log" note="events, read from the log files of the server">
      <Status {...LOG_MARKS[log.state]} />
      {log.reason === null ? null : <p className={classes.reason}>{log.reason}</p>}
      {log.mend === null ? null : (
        <CodeBlock code={log.mend} label="Run as a superuser in the database of the connection" />
      )}
    </Panel>
  );
}

export function CoverageView({ id }: { id: number }) {
  const [status, setStatus] = useUrlText('state');
  const [text, setText] = useUrlText('find');
  const coverage = useCoverage(id, { brief: false });
  if (coverage.data === undefined) {
    return (
      <Panel title="Coverage">
        <Query query={coverage} what="the coverage" lines={6} />
      </Panel>
    );
  }
  const wanted: CoverageFilter = { status, text };
  const want = (next: Partial<CoverageFilter>) => {
    if (next.status !== undefined) setStatus(next.status);
    if (next.text !== undefined) setText(next.text);
  };
  const { probes, remedies, host_sources, log } = coverage.data;
  return (
    <div className={layout.stack}>
      <CoverageSummary coverage={coverage.data} wanted={wanted} onWant={want} />
      <Remedies id={id} remedies={remedies} entries={probes} />
      <CoverageMatrix coverage={coverage.data} wanted={wanted} />
      <ProbesTable probes={probes} wanted={wanted} />
      <HostSources sources={host_sources} />
      <LogSource log={log} />
    </div>
  );
}
