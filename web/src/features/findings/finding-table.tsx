// Findings in one table, group after group, so that also thousands scroll as ten do: what is so, where, since when, how
// well it is proven.
import { type ReactNode, useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import { formatCount } from '../../lib/format.ts';
import { type Column, DataTable } from '../../ui/data-table.tsx';
import { Name } from '../../ui/name.tsx';
import { RelativeTime, TimeAhead } from '../../ui/relative-time.tsx';
import { Status } from '../../ui/status.tsx';
import { Unknown } from '../../ui/unknown.tsx';
import {
  CATEGORY_WORDS,
  type Finding,
  type FindingGroup,
  figureWords,
  findingPath,
  type Grouping,
  groupsOf,
  PROOF_WORDS,
  SEVERITY_WORDS,
  type State,
} from './finding-words.ts';
import classes from './findings.module.css';

/** The head of a group, or a finding of it. */
type Row = { group: FindingGroup; finding?: undefined } | { group: FindingGroup; finding: Finding };

const rowsOf = (groups: readonly FindingGroup[]): Row[] =>
  groups.flatMap((group) => [{ group }, ...group.findings.map((finding) => ({ group, finding }))]);

/** Only its findings, of those that the address shows. */
function groupPath({ key }: FindingGroup, by: Grouping, shown: URLSearchParams): string {
  const next = new URLSearchParams(shown);
  next.set(by, key);
  return `?${next}`;
}

function GroupHead({ group, by }: { group: FindingGroup; by: Grouping }) {
  const [search] = useSearchParams();
  const { length } = group.findings;
  return (
    <Link className={classes.group} to={groupPath(group, by, search)} data-row-link>
      <Name>{group.title}</Name>{' '}
      <span className={classes.remark}>
        {formatCount(length)} <span className="visually-hidden">{length === 1 ? 'finding' : 'findings'}</span>
      </span>
    </Link>
  );
}

function FindingCell({ finding, ofServer }: { finding: Finding; ofServer: boolean }) {
  const { label, mark } = SEVERITY_WORDS[finding.severity];
  return (
    <div className={classes.finding}>
      <Status mark={mark} label={label} iconOnly />
      <div className={classes.words}>
        <Link className={classes.title} to={findingPath(finding.id)} data-row-link>
          <Name>{finding.message}</Name>
        </Link>
        <div className={`${classes.remark} ${classes.narrow}`}>
          {ofServer ? null : (
            <>
              <Name>{finding.server_name}</Name> ·{' '}
            </>
          )}
          {label} · {PROOF_WORDS[finding.proof].label.toLowerCase()} ·{' '}
          <RelativeTime at={finding.resolved_at ?? finding.opened_at} />
        </div>
      </div>
    </div>
  );
}

const ofFinding = (render: (finding: Finding) => ReactNode) => (row: Row) =>
  row.finding ? render(row.finding) : null;

const SERVER: Column<Row> = {
  key: 'server',
  title: 'Server',
  needs: 'medium',
  width: 'middle',
  render: ofFinding(({ connection_id, server_name }) => (
    <Link className="link" to={`/servers/${connection_id}`}>
      <Name>{server_name}</Name>
    </Link>
  )),
};

const LAST: Record<State, Column<Row>> = {
  open: {
    key: 'since',
    title: 'Since',
    hint: 'When it was found',
    needs: 'medium',
    width: 'min',
    render: ofFinding(({ opened_at }) => <RelativeTime at={opened_at} />),
  },
  muted: {
    key: 'until',
    title: 'Muted until',
    needs: 'medium',
    width: 'min',
    render: ofFinding(({ muted_until }) =>
      muted_until === null ? <Unknown /> : <TimeAhead at={muted_until} />,
    ),
  },
  resolved: {
    key: 'resolved',
    title: 'Resolved',
    needs: 'medium',
    width: 'min',
    render: ofFinding(({ resolved_at }) =>
      resolved_at === null ? <Unknown /> : <RelativeTime at={resolved_at} />,
    ),
  },
};

const columnsOf = (by: Grouping, { state, ofServer }: Pick<FindingTableProps, 'state' | 'ofServer'>) => {
  const columns: Column<Row>[] = [
    {
      key: 'finding',
      title: 'Finding',
      width: 'grow',
      render: ({ finding, group }) =>
        finding ? <FindingCell finding={finding} ofServer={ofServer} /> : <GroupHead group={group} by={by} />,
    },
    ...(ofServer ? [] : [SERVER]),
    {
      key: 'category',
      title: 'Category',
      needs: 'wide',
      width: 'min',
      render: ofFinding(({ category }) => CATEGORY_WORDS[category]),
    },
    {
      key: 'figure',
      title: 'Figure',
      align: 'end',
      needs: 'medium',
      width: 'min',
      render: ofFinding((one) => figureWords(one.figure, one) ?? <Unknown because="It has no figure" />),
    },
    {
      key: 'proof',
      title: 'Proof',
      needs: 'medium',
      width: 'min',
      render: ofFinding(({ proof }) => (
        <span title={PROOF_WORDS[proof].meaning}>{PROOF_WORDS[proof].label}</span>
      )),
    },
    LAST[state],
  ];
  return columns;
};

export interface FindingTableProps {
  findings: readonly Finding[];
  by: Grouping;
  state: State;
  /** All of them are of one server, which is not named then. */
  ofServer: boolean;
}

export function FindingTable({ findings, by, state, ofServer }: FindingTableProps) {
  const [search] = useSearchParams();
  const rows = useMemo(() => rowsOf(groupsOf(findings, by)), [findings, by]);
  const columns = useMemo(() => columnsOf(by, { state, ofServer }), [by, state, ofServer]);
  return (
    <DataTable
      caption="Findings, the worst first"
      columns={columns}
      rows={rows}
      rowKey={({ group, finding }) => (finding ? `finding-${finding.id}` : `group-${group.key}`)}
      rowPath={({ group, finding }) => (finding ? findingPath(finding.id) : groupPath(group, by, search))}
    />
  );
}
