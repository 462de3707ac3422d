// Findings of all servers: what is wrong and what to change, the worst first, each with its evidence behind it.
import { Button } from '@mantine/core';
import { Link } from 'react-router';
import layout from '../../../ui/layout.module.css';
import { PageHeader } from '../../../ui/page-header.tsx';
import { countWords, useFindingCounts } from '../finding-counts/use-finding-counts.ts';
import { FindingFilters } from './finding-filters.tsx';
import { ServerFindings } from './findings-view.tsx';
import { ManyFindings } from './many-findings.tsx';
import { useFindingFilters } from './use-findings.ts';

const reportPath = (server: number | undefined) =>
  server === undefined ? '/report' : `/report?server=${server}`;

export function FindingsPage() {
  const [filters] = useFindingFilters();
  const counts = useFindingCounts().data;
  return (
    <>
      <PageHeader
        title="Findings"
        facts={counts ? countWords(counts) : '\u00a0'}
        actions={
          <>
            <Button component={Link} to={reportPath(filters.server)} variant="subtle">
              Report of the week
            </Button>
            <Button component={Link} to="/findings/checks" variant="default">
              Checks
            </Button>
          </>
        }
      />
      <div className={layout.stack}>
        <FindingFilters />
        {filters.server === undefined ? (
          <ManyFindings filters={filters} />
        ) : (
          <ServerFindings id={filters.server} filters={filters} />
        )}
      </div>
    </>
  );
}
