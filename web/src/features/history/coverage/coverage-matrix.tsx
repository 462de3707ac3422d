// Probes that are read in each database against the databases: what is collected everywhere is folded away.
import { Button } from '@mantine/core';
import { useState } from 'react';
import type { Coverage, CoverageEntry } from '../../../api/types.ts';
import { countOf, formatMilliseconds } from '../../../lib/format.ts';
import { everyText } from '../../../lib/time.ts';
import { ForwardIcon, SearchIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Panel } from '../../../ui/panel.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { Status } from '../../../ui/status.tsx';
import { type CoverageFilter, fewOf, isNarrowed, type MatrixRow, matrixOf } from './coverage-groups.ts';
import classes from './coverage-matrix.module.css';
import { COVERAGE_STATES } from './coverage-words.ts';

function Reading({ entry }: { entry: CoverageEntry }) {
  const { label, mark } = COVERAGE_STATES[entry.status];
  const { collected_at, took_ms, row_count } = entry;
  const facts = [
    ...(took_ms === null ? [] : [formatMilliseconds(took_ms)]),
    ...(row_count === null ? [] : [countOf(row_count, 'row')]),
  ];
  return (
    <li className={classes.reading}>
      <span className={classes.database}>{entry.database_name}</span>
      <Status mark={mark} label={label} />
      <span className={layout.remark}>
        {collected_at === null ? null : <RelativeTime at={collected_at} />} {facts.join(', ')}
      </span>
      {entry.reason === null ? null : <span className={classes.why}>{entry.reason}</span>}
    </li>
  );
}

function Row({ row, databases }: { row: MatrixRow; databases: readonly string[] }) {
  const [isOpen, setOpen] = useState(false);
  const entries = [...row.entries.values()];
  const [first] = entries;
  return (
    <>
      <tr className={classes.row}>
        <th scope="row" className={classes.probe}>
          <button
            type="button"
            className={classes.open}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            <ForwardIcon size={14} aria-hidden="true" />
            <code>{row.probe}</code>
          </button>
        </th>
        {databases.map((database) => {
          const entry = row.entries.get(database);
          return (
            <td key={database} className={classes.cell}>
              {entry ? <Status iconOnly {...COVERAGE_STATES[entry.status]} /> : null}
            </td>
          );
        })}
        <td className={classes.every}>{first ? everyText(first.effective_interval_seconds) : null}</td>
      </tr>
      {isOpen ? (
        <tr>
          <td colSpan={databases.length + 2} className={classes.opened}>
            <ul className={classes.readings}>
              {entries.map((entry) => (
                <Reading key={entry.database_name} entry={entry} />
              ))}
            </ul>
          </td>
        </tr>
      ) : null}
    </>
  );
}

interface MatrixProps {
  coverage: Coverage;
  wanted: CoverageFilter;
}

export function CoverageMatrix({ coverage, wanted }: MatrixProps) {
  const [isUnfolded, setUnfolded] = useState(false);
  const { databases, more, shut, rows } = matrixOf(coverage, wanted);
  const shown = isUnfolded || isNarrowed(wanted) ? rows : rows.filter((row) => !row.isFine);
  const folded = rows.length - shown.length;
  const nothing = shut.length > 0 ? `; nothing is collected in ${fewOf(shut)}` : '';
  const hidden =
    more > 0 ? `; ${countOf(more, 'more database has', 'more databases have')} no room here` : '';
  return (
    <Panel
      title="Probes of the databases"
      note={`${countOf(rows.length, 'probe')} in ${countOf(databases.length + more, 'database')}${nothing}${hidden}`}
      flush
    >
      {rows.length === 0 ? (
        <EmptyState icon={<SearchIcon size={26} />} title="No reading of a database is like that" />
      ) : (
        <div className={classes.frame}>
          <table className={classes.table}>
            <caption className="visually-hidden">Probes against databases</caption>
            <thead>
              <tr>
                <th scope="col" className={classes.corner}>
                  Probe
                </th>
                {databases.map((database) => (
                  <th key={database} scope="col" className={classes.head} title={database}>
                    <span className={classes.name}>{database}</span>
                  </th>
                ))}
                <th scope="col" className={classes.last}>
                  Interval
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <Row key={row.probe} row={row} databases={databases} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Folded count={folded} isUnfolded={isUnfolded && !isNarrowed(wanted)} onToggle={setUnfolded} />
    </Panel>
  );
}

interface FoldedProps {
  count: number;
  isUnfolded: boolean;
  onToggle: (unfolded: boolean) => void;
}

/** The way to what is folded away, and back. */
export function Folded({ count, isUnfolded, onToggle }: FoldedProps) {
  if (count === 0 && !isUnfolded) return null;
  return (
    <div className={classes.folded}>
      <Button size="compact-sm" variant="default" onClick={() => onToggle(!isUnfolded)}>
        {isUnfolded
          ? 'Fold away those with nothing to do'
          : `Show ${countOf(count, 'probe')} with nothing to do`}
      </Button>
    </div>
  );
}
