// Alerts in one table, group after group, so that also thousands scroll as ten do: what is wrong where, by how much, since
// when, of when that is, and who has taken it on.
import { type ReactNode, useMemo } from 'react';
import { Link, useSearchParams } from 'react-router';
import { currentSecond } from '../../../lib/clock.ts';
import { formatCount } from '../../../lib/format.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { Unknown } from '../../../ui/unknown.tsx';
import { AcknowledgeButton } from './acknowledge-dialog.tsx';
import { type AlertActions, useAlertKeys } from './alert-keys.ts';
import {
  type Alert,
  type AlertGroup,
  alertPath,
  SEVERITY_WORDS,
  STATUS_WORDS,
  serverWords,
  sourceWords,
  thresholdWords,
  valueWords,
} from './alert-words.ts';
import classes from './alerts.module.css';
import { StateBar } from './state-bar.tsx';
import { spansOf } from './state-spans.ts';
import { ThresholdBar } from './threshold-bar.tsx';

/** The head of a group, or an alert of it. */
type Row = { group: AlertGroup; alert?: undefined } | { group: AlertGroup; alert: Alert };

const rowsOf = (groups: readonly AlertGroup[]): Row[] =>
  groups.flatMap((group) => [{ group }, ...group.alerts.map((alert) => ({ group, alert }))]);

/** Only its alerts, of those that the address shows; a rule leads to what it is set to. */
function groupPath({ filter, title }: AlertGroup, shown: URLSearchParams): string {
  if (filter === undefined) return `/alerts/rules?q=${encodeURIComponent(title)}`;
  const next = new URLSearchParams(shown);
  next.set(filter.name, filter.value);
  return `/alerts?${next}`;
}

function GroupHead({ group }: { group: AlertGroup }) {
  const [search] = useSearchParams();
  return (
    <Link className={classes.group} to={groupPath(group, search)} data-row-link>
      <Name>{group.title}</Name>{' '}
      <span className={classes.remark}>
        {formatCount(group.alerts.length)}{' '}
        <span className="visually-hidden">{group.alerts.length === 1 ? 'alert' : 'alerts'}</span>
      </span>
    </Link>
  );
}

/** Who has taken it on, and with which words. */
export function Acknowledged({ alert }: { alert: Alert }) {
  const { status, acknowledged_by, acknowledged_at, ack_message, false_positive } = alert;
  if (status === 'active' || acknowledged_at === undefined) return null;
  return (
    <div className={classes.remark}>
      {false_positive ? 'A false positive, by ' : 'Acknowledged by '}
      <Name>{acknowledged_by ?? 'a user'}</Name>, <RelativeTime at={acknowledged_at} />
      {ack_message === undefined ? null : (
        <>
          : <Name>{ack_message}</Name>
        </>
      )}
    </div>
  );
}

/** The alert that this one follows from, by its title where it is at hand. */
export function Cause({ alert, known }: { alert: Alert; known: ReadonlyMap<number, Alert> }) {
  if (alert.cause_id === undefined) return null;
  const cause = known.get(alert.cause_id);
  return (
    <div className={`${classes.remark} ${classes.cause}`}>
      Follows from{' '}
      <Link className="link" to={alertPath(alert.cause_id)}>
        <Name>{cause?.title ?? `alert ${alert.cause_id}`}</Name>
      </Link>
      , which is sent instead
    </div>
  );
}

/** For narrow screens, where the column steps back. */
function briefValue(alert: Alert): string {
  const [value, limit] = [valueWords(alert), thresholdWords(alert)];
  if (value === undefined) return '';
  return limit === undefined ? ` · ${value}` : ` · ${value}, alert ${limit}`;
}

function AlertCell({ alert, known }: { alert: Alert; known: ReadonlyMap<number, Alert> }) {
  const { label, mark } = SEVERITY_WORDS[alert.severity];
  return (
    <div className={classes.alert}>
      <Status mark={mark} label={label} iconOnly />
      <div className={classes.words}>
        <Link className={classes.title} to={alertPath(alert.id)} data-row-link>
          <Name>{alert.title}</Name>
        </Link>
        <div className={`${classes.remark} ${layout.narrow}`}>
          <Name>{serverWords(alert)}</Name> · {label} · <RelativeTime at={alert.triggered_at} />
          {briefValue(alert)}
        </div>
        <Cause alert={alert} known={known} />
        <Acknowledged alert={alert} />
      </div>
    </div>
  );
}

export function Value({ alert }: { alert: Alert }) {
  const limit = thresholdWords(alert);
  return (
    <>
      {valueWords(alert) ?? <Unknown because="Nothing was measured" />}
      {limit === undefined ? null : (
        <div className={classes.remark} title={sourceWords(alert)}>
          alert {limit}
        </div>
      )}
      <ThresholdBar alert={alert} />
    </>
  );
}

const When = ({ at }: { at: string | undefined }) =>
  at === undefined ? <Unknown /> : <RelativeTime at={at} />;

const ofAlert = (render: (alert: Alert) => ReactNode) => (row: Row) => (row.alert ? render(row.alert) : null);

export interface BarWindow {
  from: number;
  to: number;
  /** Which time that is. */
  words: string;
}

/** What it is about; the way there where that is a server. */
export const AlertServer = ({ alert }: { alert: Alert }) =>
  alert.is_own ? (
    serverWords(alert)
  ) : (
    <Link className="link" to={`/servers/${alert.connection_id}`}>
      <Name>{serverWords(alert)}</Name>
    </Link>
  );

function columnsOf(known: ReadonlyMap<number, Alert>, bar: BarWindow): Column<Row>[] {
  return [
    {
      key: 'alert',
      title: 'Alert',
      width: 'half',
      render: ({ alert, group }) =>
        alert ? <AlertCell alert={alert} known={known} /> : <GroupHead group={group} />,
    },
    {
      key: 'server',
      title: 'Server',
      needs: 'medium',
      render: ofAlert((alert) => <AlertServer alert={alert} />),
    },
    {
      key: 'status',
      title: 'Status',
      hint: `The bar is ${bar.words}: solid while it was active, hatched while it was acknowledged`,
      needs: 'wide',
      width: 'small',
      render: ofAlert((alert) => (
        <>
          {STATUS_WORDS[alert.status]}
          <StateBar spans={spansOf(alert, currentSecond() * 1000)} window={bar} />
        </>
      )),
    },
    { key: 'value', title: 'Value', needs: 'medium', render: ofAlert((alert) => <Value alert={alert} />) },
    {
      key: 'since',
      title: 'Fired',
      needs: 'medium',
      render: ofAlert(({ triggered_at }) => <When at={triggered_at} />),
    },
  ];
}

const SAMPLED: Column<Row> = {
  key: 'sampled',
  title: 'Sample',
  hint: 'When the newest sample that was judged was taken',
  needs: 'wide',
  render: ofAlert(({ sampled_at }) => <When at={sampled_at} />),
};

const CLEARED: Column<Row> = {
  key: 'cleared',
  title: 'Cleared',
  needs: 'medium',
  render: ofAlert(({ cleared_at }) => <When at={cleared_at} />),
};

const actions = (onPress: (alert: Alert) => void): Column<Row> => ({
  key: 'actions',
  title: 'Acknowledge',
  align: 'end',
  width: 'actions',
  render: ofAlert((alert) => <AcknowledgeButton alert={alert} isNamed onPress={onPress} />),
});

export interface AlertTableProps extends AlertActions {
  caption: string;
  groups: readonly AlertGroup[];
  /** All of them have cleared: there is nothing to acknowledge any more. */
  isCleared: boolean;
  /** What the bars show. */
  bar: BarWindow;
}

export function AlertTable({ caption, groups, isCleared, bar, onPress, onSilence }: AlertTableProps) {
  const [search] = useSearchParams();
  const rows = useMemo(() => rowsOf(groups), [groups]);
  const columns = useMemo(() => {
    const known = new Map(groups.flatMap(({ alerts }) => alerts.map((alert) => [alert.id, alert])));
    const buttons = actions((alert) => onPress([alert]));
    return [...columnsOf(known, bar), ...(isCleared ? [CLEARED] : [SAMPLED, buttons])];
  }, [groups, isCleared, bar, onPress]);
  const subjectAt = (index: number) => {
    const alert = rows[index]?.alert;
    return alert && { alerts: [alert], cluster_id: null, place: serverWords(alert) };
  };
  const keys = useAlertKeys(subjectAt, { onPress, onSilence });
  return (
    <div {...keys}>
      <DataTable
        caption={caption}
        columns={columns}
        rows={rows}
        rowKey={({ group, alert }) => (alert ? `alert-${alert.id}` : `group-${group.key}`)}
        rowPath={({ group, alert }) => (alert ? alertPath(alert.id) : groupPath(group, search))}
      />
    </div>
  );
}
