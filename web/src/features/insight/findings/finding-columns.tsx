// The columns of a list of findings: what is wrong, of what, its figure with what that figure is, how well it is proven, since when.
// Guards: a figure is never shown without its meaning; on narrow screens a row is a card with its figure at the right.
import { Link } from 'react-router';
import type { Column } from '../../../ui/data-table.tsx';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { RelativeTime, TimeAhead } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import {
  type Finding,
  figureWords,
  PROOF_WORDS,
  placeWords,
  SEVERITIES,
  SEVERITY_WORDS,
  type State,
} from './finding-words.ts';
import classes from './findings.module.css';

/** What the figure of each check is, by the name of the check; undefined until the checks were read. */
export type FigureNames = ReadonlyMap<string, string | null> | undefined;

export interface ColumnOptions {
  state: State;
  /** All of them are of one server, which is not named then. */
  ofServer: boolean;
  figureNames: FigureNames;
  /** The address in which a finding is open. */
  pathOf: (finding: Finding) => string;
}

function FindingCell({ finding, ofServer, pathOf }: { finding: Finding } & ColumnOptions) {
  const { label, mark } = SEVERITY_WORDS[finding.severity];
  const place = placeWords(finding);
  return (
    <div className={classes.finding}>
      <Status mark={mark} label={label} iconOnly />
      <div className={classes.words}>
        <Link className={classes.title} to={pathOf(finding)} data-row-link data-finding={finding.id}>
          {finding.title}
          <span className="visually-hidden">
            : <Name>{place === '' ? finding.server_name : place}</Name>
          </span>
        </Link>
        <div className={classes.message} title={finding.message}>
          <Name>{finding.message}</Name>
        </div>
        <div className={`${classes.remark} ${layout.narrow}`}>
          {ofServer ? null : (
            <>
              <Name>{finding.server_name}</Name> ·{' '}
            </>
          )}
          {PROOF_WORDS[finding.proof].label} · <RelativeTime at={finding.resolved_at ?? finding.opened_at} />
        </div>
      </div>
    </div>
  );
}

function Figure({ finding, figureNames }: { finding: Finding; figureNames: FigureNames }) {
  const text = figureWords(finding.figure, finding);
  if (text === undefined)
    return (
      <span className={classes.figureless}>
        <Unknown because="This finding has no figure" />
      </span>
    );
  const name = figureNames?.get(finding.check);
  return (
    <span className={classes.figure}>
      {text}
      {name ? <span className={classes.remark}>{name}</span> : null}
    </span>
  );
}

const SERVER: Column<Finding> = {
  key: 'server',
  title: 'Server',
  needs: 'medium',
  width: 'small',
  value: ({ server_name }) => server_name,
  render: ({ connection_id, server_name }) => (
    <Link className="link" to={`/servers/${connection_id}`}>
      <Name>{server_name}</Name>
    </Link>
  ),
};

const time = (iso: string | null) => (iso === null ? null : Date.parse(iso));

const LAST: Record<State, Column<Finding>> = {
  open: {
    key: 'since',
    title: 'Since',
    hint: 'When it was found',
    align: 'end',
    needs: 'medium',
    width: 'min',
    descendingFirst: true,
    value: ({ opened_at }) => time(opened_at),
    render: ({ opened_at }) => <RelativeTime at={opened_at} />,
  },
  muted: {
    key: 'until',
    title: 'Muted until',
    align: 'end',
    needs: 'medium',
    width: 'min',
    value: ({ muted_until }) => time(muted_until),
    render: ({ muted_until }) => (muted_until === null ? <Unknown /> : <TimeAhead at={muted_until} />),
  },
  resolved: {
    key: 'resolved',
    title: 'Resolved',
    align: 'end',
    needs: 'medium',
    width: 'min',
    descendingFirst: true,
    value: ({ resolved_at }) => time(resolved_at),
    render: ({ resolved_at }) => (resolved_at === null ? <Unknown /> : <RelativeTime at={resolved_at} />),
  },
};

const OBJECT: Column<Finding> = {
  key: 'object',
  title: 'Object',
  needs: 'medium',
  width: 'half',
  value: ({ object_name, database_name }) => object_name ?? database_name,
  render: (finding) => {
    const { object_name, database_name } = finding;
    if (placeWords(finding) === '') return <span className={classes.remark}>server</span>;
    return (
      <span className={classes.object}>
        <Name>{object_name ?? database_name ?? ''}</Name>
        {object_name === null || database_name === null ? null : (
          <span className={classes.remark}>
            <Name>{database_name}</Name>
          </span>
        )}
      </span>
    );
  },
};

const PROOF: Column<Finding> = {
  key: 'proof',
  title: 'Proof',
  needs: 'wide',
  width: 'min',
  value: ({ proof }) => PROOF_WORDS[proof].label,
  render: ({ proof }) => <span title={PROOF_WORDS[proof].meaning}>{PROOF_WORDS[proof].label}</span>,
};

export const columnsOf = (options: ColumnOptions): Column<Finding>[] => [
  {
    key: 'finding',
    title: 'Finding',
    hint: 'The gravest first',
    order: 'gravest first',
    width: 'grow',
    value: ({ severity }) => SEVERITIES.indexOf(severity),
    render: (finding) => <FindingCell finding={finding} {...options} />,
  },
  ...(options.ofServer ? [] : [SERVER]),
  OBJECT,
  {
    key: 'figure',
    title: 'Figure',
    align: 'end',
    width: 'min',
    render: (finding) => <Figure finding={finding} figureNames={options.figureNames} />,
  },
  PROOF,
  LAST[options.state],
];
