// How much is collected, as a bar and in numbers; each number shows its own readings alone.
import type { Coverage } from '../../../api/types.ts';
import { countOf, formatCount, formatShare } from '../../../lib/format.ts';
import { exactTime } from '../../../lib/time.ts';
import { WarningIcon } from '../../../ui/icons.ts';
import { Notice } from '../../../ui/notice.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Status } from '../../../ui/status.tsx';
import { type CoverageFilter, countStates, type StatusCount } from './coverage-groups.ts';
import classes from './coverage-view.module.css';
import { COVERAGE_STATES } from './coverage-words.ts';

/** Drawn as SVG because a width from data would otherwise be an inline style. */
function Bar({ counts, total }: { counts: readonly StatusCount[]; total: number }) {
  let from = 0;
  return (
    <svg className={classes.bar} viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      {counts.map(({ status, count }) => {
        const x = from;
        const width = (100 * count) / total;
        from += width;
        return <rect key={status} x={x} width={width} height="4" data-mark={COVERAGE_STATES[status].mark} />;
      })}
    </svg>
  );
}

function entriesOf({ statement_entries, statement_entries_limit }: Coverage['own_cost']): string {
  if (statement_entries === null || statement_entries_limit === null) return '';
  return `, and ${countOf(statement_entries, 'entry', 'entries')} of pg_stat_statements (at most ${statement_entries_limit})`;
}

function noteOf({ probes, own_cost }: Coverage): string {
  const { cost_percent, sessions } = own_cost;
  const names = new Set(probes.map(({ probe }) => probe)).size;
  const databases = new Set(probes.map(({ database_name }) => database_name ?? '')).size - 1;
  const what = `${countOf(names, 'probe')} in ${countOf(Math.max(0, databases), 'database')}`;
  if (cost_percent === null) return what;
  const held = sessions === null ? '' : `, over ${countOf(sessions, 'session')} at most`;
  return `${what}; collecting takes ${formatShare(cost_percent)} of one core of the server${held}${entriesOf(own_cost)}`;
}

/** What was collected and is missing all the same. */
function Gap({ gap }: { gap: Coverage['newest_gap'] }) {
  if (gap === null) return null;
  const { began_at, ended_at, reason } = gap;
  return (
    <Notice tone="warn" icon={<WarningIcon size={16} />}>
      Samples from <time dateTime={began_at}>{exactTime(began_at)}</time> to{' '}
      <time dateTime={ended_at}>{exactTime(ended_at)}</time> had to be given up. {reason}
    </Notice>
  );
}

interface SummaryProps {
  coverage: Coverage;
  wanted: CoverageFilter;
  onWant: (wanted: Partial<CoverageFilter>) => void;
}

export function CoverageSummary({ coverage, wanted, onWant }: SummaryProps) {
  const counts = countStates(coverage.probes);
  return (
    <Panel title="Coverage" note={noteOf(coverage)}>
      <Gap gap={coverage.newest_gap} />
      <Bar counts={counts} total={coverage.probes.length} />
      <div className={classes.filters}>
        <fieldset className={classes.chips}>
          <legend className="visually-hidden">Show only readings that are</legend>
          {counts.map(({ status, count }) => {
            const { label, mark } = COVERAGE_STATES[status];
            const isChosen = wanted.status === status;
            return (
              <button
                key={status}
                type="button"
                className={classes.chip}
                aria-pressed={isChosen}
                onClick={() => onWant({ status: isChosen ? '' : status })}
              >
                <Status mark={mark} label={label} />
                <span className={classes.number}>{formatCount(count)}</span>
              </button>
            );
          })}
        </fieldset>
        <SearchField
          label="Find a probe or a database"
          value={wanted.text}
          onChange={(text) => onWant({ text })}
        />
      </div>
    </Panel>
  );
}
