// Open alerts as incidents: one row for what belongs together, named by its cause, which unfolds to its alerts. Guards: only the server
// puts alerts together; where it lists fewer alerts than there are, the row says so.
import { Button } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { Link } from 'react-router';
import { countOf } from '../../../lib/format.ts';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { ForwardIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { AcknowledgeButton, pressable } from './acknowledge-dialog.tsx';
import { type AlertActions, useAlertKeys } from './alert-keys.ts';
import { Acknowledged, Value } from './alert-table.tsx';
import {
  type Alert,
  alertPath,
  type Incident,
  SEVERITY_WORDS,
  serverWords,
  thresholdWords,
  valueWords,
} from './alert-words.ts';
import classes from './alerts.module.css';
import own from './incidents.module.css';
import { ThresholdBar } from './threshold-bar.tsx';

/** An incident, or one of its alerts below it. */
interface Row {
  incident: Incident;
  alert?: Alert;
}

const isSingle = ({ alert_count }: Incident) => alert_count === 1;
const leadOf = ({ alerts }: Incident): Alert | undefined => alerts[0];

const rowsOf = (incidents: readonly Incident[], open: ReadonlySet<string>): Row[] =>
  incidents.flatMap((incident) => [
    { incident },
    ...(open.has(incident.incident_key) ? incident.alerts.map((alert) => ({ incident, alert })) : []),
  ]);

interface FoldProps {
  incident: Incident;
  isOpen: boolean;
  onFold: (key: string, isOpen: boolean) => void;
}

function Fold({ incident, isOpen, onFold }: FoldProps) {
  if (isSingle(incident)) return <span className={own.fold} />;
  return (
    <button
      type="button"
      className={own.fold}
      aria-expanded={isOpen}
      aria-label={`Alerts of ${incident.title}`}
      onClick={() => onFold(incident.incident_key, !isOpen)}
    >
      <ForwardIcon size={16} aria-hidden="true" />
    </button>
  );
}

/** For narrow screens, where other columns step back. */
function Brief({ alert, since }: { alert: Alert | undefined; since: string }) {
  const value = alert && valueWords(alert);
  const limit = alert && thresholdWords(alert);
  return (
    <div className={`${classes.remark} ${layout.narrow}`}>
      <RelativeTime at={since} />
      {value === undefined ? null : ` · ${value}${limit === undefined ? '' : `, alert ${limit}`}`}
      {alert ? <ThresholdBar alert={alert} /> : null}
    </div>
  );
}

function IncidentCell({ incident, isOpen, onFold }: FoldProps) {
  const { label, mark } = SEVERITY_WORDS[incident.severity];
  const lead = leadOf(incident);
  const { alert_count, active_count, alerts, acknowledged_by } = incident;
  return (
    <div className={classes.alert}>
      <Fold incident={incident} isOpen={isOpen} onFold={onFold} />
      <Status mark={mark} label={label} iconOnly />
      <div className={classes.words}>
        <span className={own.place}>
          <Name>{incident.place}</Name>:
        </span>{' '}
        <Link className={own.title} to={lead ? alertPath(lead.id) : '/alerts'} data-row-link>
          <Name>{incident.what}</Name>
        </Link>
        {incident.detail === null ? null : (
          <div className={classes.remark}>
            <Name>{incident.detail}</Name>
          </div>
        )}
        {isSingle(incident) ? null : (
          <div className={classes.remark}>
            {countOf(alert_count, 'alert')}
            {alert_count > alerts.length ? `, of which ${alerts.length} are listed` : ''}
          </div>
        )}
        <Brief alert={lead} since={incident.triggered_at} />
        {isSingle(incident) && lead ? (
          <Acknowledged alert={lead} />
        ) : acknowledged_by.length === 0 ? null : (
          <div className={`${classes.remark} ${layout.narrow}`}>
            Acknowledged by <Name>{acknowledged_by.join(', ')}</Name>
            {active_count === 0 ? '' : `: ${alert_count - active_count} of ${alert_count}`}
          </div>
        )}
      </div>
    </div>
  );
}

function AlertCell({ alert, incident }: { alert: Alert; incident: Incident }) {
  const { label, mark } = SEVERITY_WORDS[alert.severity];
  return (
    <div className={`${classes.alert} ${own.inner}`}>
      <Status mark={mark} label={label} iconOnly />
      <div className={classes.words}>
        <Link className={classes.title} to={alertPath(alert.id)} data-row-link>
          <Name>{alert.title}</Name>
        </Link>
        {incident.alerts.some(({ connection_id }) => connection_id !== alert.connection_id) ? (
          <div className={classes.remark}>
            on <Name>{serverWords(alert)}</Name>
          </div>
        ) : null}
        <Brief alert={alert} since={alert.triggered_at} />
        <Acknowledged alert={alert} />
      </div>
    </div>
  );
}

/** Who has it: all of it, or a part. */
function Taken({ incident, alert }: Row) {
  const people = alert
    ? [alert.acknowledged_by ?? ''].filter((name) => name !== '')
    : incident.acknowledged_by;
  if (people.length === 0) return <span className={classes.remark}>not acknowledged</span>;
  const { alert_count, active_count } = incident;
  return (
    <>
      <Name>{people.join(', ')}</Name>
      {alert || active_count === 0 ? null : (
        <div className={classes.remark}>
          {alert_count - active_count} of {alert_count}
        </div>
      )}
    </>
  );
}

function Actions({ row: { incident, alert }, onPress }: { row: Row; onPress: AlertActions['onPress'] }) {
  const lead = leadOf(incident);
  const one = alert ?? (isSingle(incident) ? lead : undefined);
  if (one) return <AcknowledgeButton alert={one} isNamed onPress={(pressed) => onPress([pressed])} />;
  const chosen = pressable(incident.alerts);
  if (chosen.length === 0) return null;
  const words = chosen[0]?.status === 'active' ? 'Acknowledge' : 'Take back';
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      aria-label={`${words}: ${incident.title}`}
      onClick={() => onPress(chosen)}
    >
      {words}
    </Button>
  );
}

interface ColumnsProps {
  open: ReadonlySet<string>;
  onFold: FoldProps['onFold'];
  onPress: AlertActions['onPress'];
}

function columnsOf({ open, onFold, onPress }: ColumnsProps): Column<Row>[] {
  return [
    {
      key: 'incident',
      title: 'Incident',
      width: 'grow',
      render: ({ incident, alert }) =>
        alert ? (
          <AlertCell alert={alert} incident={incident} />
        ) : (
          <IncidentCell incident={incident} isOpen={open.has(incident.incident_key)} onFold={onFold} />
        ),
    },
    {
      key: 'value',
      title: 'Value',
      hint: 'Of the cause; the mark in the bar is the threshold',
      needs: 'medium',
      render: ({ incident, alert = leadOf(incident) }) => (alert ? <Value alert={alert} /> : null),
    },
    {
      key: 'since',
      title: 'Since',
      needs: 'medium',
      render: ({ incident, alert = incident }) => <RelativeTime at={alert.triggered_at} />,
    },
    { key: 'taken', title: 'Acknowledged by', needs: 'wide', render: (row) => <Taken {...row} /> },
    {
      key: 'actions',
      title: 'Acknowledge',
      align: 'end',
      width: 'actions',
      render: (row) => <Actions row={row} onPress={onPress} />,
    },
  ];
}

function useOpen(): [ReadonlySet<string>, FoldProps['onFold']] {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const fold = useCallback(
    (key: string, isOpen: boolean) =>
      setOpen((before) => {
        const next = new Set(before);
        if (isOpen) next.add(key);
        else next.delete(key);
        return next;
      }),
    [],
  );
  return [open, fold];
}

export interface IncidentTableProps extends AlertActions {
  incidents: readonly Incident[];
}

export function IncidentTable({ incidents, onPress, onSilence }: IncidentTableProps) {
  const [open, onFold] = useOpen();
  const rows = useMemo(() => rowsOf(incidents, open), [incidents, open]);
  const columns = useMemo(() => columnsOf({ open, onFold, onPress }), [open, onFold, onPress]);
  const subjectAt = (index: number) => {
    const row = rows[index];
    if (!row) return undefined;
    const { incident, alert } = row;
    if (alert) return { alerts: [alert], cluster_id: null, place: serverWords(alert) };
    const { alerts, cluster_id, place } = incident;
    return { alerts, cluster_id, place };
  };
  const keys = useAlertKeys(subjectAt, {
    onPress,
    onSilence,
    onFold: (index, isOpen) => {
      const row = rows[index];
      if (row && !row.alert && !isSingle(row.incident)) onFold(row.incident.incident_key, isOpen);
    },
  });
  return (
    <div {...keys}>
      <DataTable
        caption="Incidents, the worst first"
        columns={columns}
        rows={rows}
        rowKey={({ incident, alert }) => (alert ? `alert-${alert.id}` : incident.incident_key)}
        rowPath={({ incident, alert = leadOf(incident) }) => (alert ? alertPath(alert.id) : '/alerts')}
      />
    </div>
  );
}
