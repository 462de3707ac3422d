// The report of a week, or of the time that its address says, of all servers, a cluster or one: to read, to hand on as Markdown,
// and to print. Guards: what is printed says of whom and of when it is.

import { Button } from '@mantine/core';
import { useOperation } from '../../../api/use-operation.ts';
import { coarseWindow } from '../../../lib/time-window.ts';
import { iso } from '../../../lib/units.ts';
import { usePageTime } from '../../../lib/use-time-window.ts';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { download, fileName } from '../../../ui/download.ts';
import { DownloadIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { TimeBar } from '../../../ui/time-bar.tsx';
import { ScopeChoice } from '../../estate/clusters/scope-choice.tsx';
import { useScope } from '../../estate/clusters/use-scope.ts';
import classes from './report.module.css';
import { ReportParts } from './report-parts.tsx';
import { ReportSchedules } from './report-schedules.tsx';
import { type Report, reportWords } from './report-words.ts';

/** Findings are judged every ten minutes. */
const EVERY_MS = 300_000;

function Actions({ report, name }: { report: Report; name: string }) {
  const save = () => {
    const content = new Blob([report.markdown], { type: 'text/markdown' });
    download(content, fileName(`report ${name}`, { from: Date.parse(report.start_time) }, 'md'));
  };
  return (
    <>
      <CopyButton text={report.markdown} label="Copy as Markdown" />
      <Button variant="default" size="compact-xs" leftSection={<DownloadIcon size={13} />} onClick={save}>
        Markdown
      </Button>
      <Button variant="default" size="compact-xs" onClick={() => window.print()}>
        Print
      </Button>
    </>
  );
}

export function ReportPage() {
  const time = usePageTime('7d');
  const [scope] = useScope();
  const { from, to } = coarseWindow(time.window, time.isLive);
  const query = { ...scope.query, start_time: iso(from), end_time: iso(to) };
  const found = useOperation(
    'getFindingsReport',
    { query },
    { everyMs: EVERY_MS, keepPrevious: true, enabled: scope.query !== undefined },
  );
  return (
    <>
      <PageHeader
        title="Report"
        facts={found.data ? `${scope.name}: ${reportWords(found.data)}` : '\u00a0'}
        actions={found.data ? <Actions report={found.data} name={scope.name} /> : undefined}
      />
      <div className={layout.stack}>
        <TimeBar time={time} />
        <search className={classes.filters} aria-label="Filters">
          <ScopeChoice />
        </search>
        {found.data ? (
          <ReportParts report={found.data} />
        ) : (
          <Panel title="What to do next">
            <Query query={found} what="the report" lines={8} />
          </Panel>
        )}
        <ReportSchedules scope={scope} />
      </div>
    </>
  );
}
