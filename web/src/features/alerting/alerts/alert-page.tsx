// One alert: what it means and what to do, its value against the threshold and where that is set, the metric around that
// time, all that happened to it, and the way to what else was going on then.
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { useOperation } from '../../../api/use-operation.ts';
import { currentSecond } from '../../../lib/clock.ts';
import { momentText, zoneName } from '../../../lib/zone.ts';
import { formatValue } from '../../../ui/charts/values.ts';
import { CodeBlock } from '../../../ui/code-block.tsx';
import { type Column, DataTable } from '../../../ui/data-table.tsx';
import { ExplainButton } from '../../../ui/explain-button.tsx';
import { type KeyValue, KeyValues } from '../../../ui/key-values.tsx';
import layout from '../../../ui/layout.module.css';
import { Name } from '../../../ui/name.tsx';
import { NotFoundPage } from '../../../ui/not-found-page.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { RelativeTime } from '../../../ui/relative-time.tsx';
import { Status } from '../../../ui/status.tsx';
import { TableChangesBefore } from '../../history/queries/statement-tables-panel.tsx';
import { AcknowledgeButton, AcknowledgeDialog } from './acknowledge-dialog.tsx';
import { aboutAlert } from './alert-about.ts';
import { AlertChart } from './alert-chart.tsx';
import { AlertDeliveries } from './alert-deliveries.tsx';
import { AlertEvidence } from './alert-evidence.tsx';
import { momentPaths, statementIdOf, statementPath } from './alert-links.ts';
import { Acknowledged, AlertServer, Cause } from './alert-table.tsx';
import {
  type Alert,
  type AlertEvent,
  EVENT_WORDS,
  placeWords,
  SEVERITY_WORDS,
  STATUS_WORDS,
  sourceWords,
  TYPE_WORDS,
  thresholdWords,
  valueWords,
} from './alert-words.ts';
import classes from './alerts.module.css';
import { StateBar } from './state-bar.tsx';
import { spansOf, spansOfEvents, spanWords } from './state-spans.ts';

const EVERY_MS = 10_000;
const NONE: ReadonlyMap<number, Alert> = new Map();

const zone = zoneName('local');

const At = ({ at }: { at: string }) => (
  <>
    {momentText(Date.parse(at), zone)}, <RelativeTime at={at} />
  </>
);

/** Where the rule is set for this server. */
const rulePath = ({ connection_id }: Alert, name: string) =>
  `/alerts/rules?${new URLSearchParams({ scope: 'server', of: String(connection_id), q: name })}`;

function Threshold({ alert, rule }: { alert: Alert; rule: string | undefined }) {
  const words = sourceWords(alert);
  if (words === undefined) return null;
  if (rule === undefined) return words;
  return (
    <Link className="link" to={rulePath(alert, rule)}>
      {words}
    </Link>
  );
}

function factsOf(alert: Alert, rule: string | undefined): KeyValue[] {
  const { label, mark } = SEVERITY_WORDS[alert.severity];
  const limit = thresholdWords(alert);
  const place = placeWords(alert);
  return [
    { name: 'Severity', value: <Status mark={mark} label={label} /> },
    {
      name: 'Status',
      value: STATUS_WORDS[alert.status],
      detail: <Acknowledged alert={alert} />,
    },
    {
      name: 'Value',
      value: valueWords(alert) ?? 'Not measured',
      detail:
        alert.sampled_at === undefined ? undefined : (
          <>
            of the sample of <At at={alert.sampled_at} />
          </>
        ),
    },
    ...(limit === undefined
      ? []
      : [{ name: 'Alert when', value: limit, detail: <Threshold alert={alert} rule={rule} /> }]),
    { name: 'Fired', value: <At at={alert.triggered_at} /> },
    ...(alert.cleared_at === undefined ? [] : [{ name: 'Cleared', value: <At at={alert.cleared_at} /> }]),
    {
      name: 'Type',
      value: TYPE_WORDS[alert.alert_type],
      detail: alert.anomaly_details === undefined ? undefined : <Name>{alert.anomaly_details}</Name>,
    },
    ...(place === '' ? [] : [{ name: 'Of', value: <Name>{place}</Name> }]),
  ];
}

/** What the rule says to do, and how one sees it on the server oneself. */
function Remedy({ id }: { id: number }) {
  const rule = useOperation('getAlertRule', { params: { id } }, { staleMs: 60_000 });
  return (
    <Query query={rule} what="what to do" lines={3}>
      {({ remedy, evidence }) => (
        <>
          <h3 className={classes.heading}>What to do</h3>
          <p>{remedy}</p>
          {evidence ? (
            <CodeBlock
              code={evidence.text}
              label={evidence.kind === 'sql' ? 'Run on the server to see it' : 'Run on its machine to see it'}
            />
          ) : null}
        </>
      )}
    </Query>
  );
}

const HISTORY: readonly Column<AlertEvent & { unit: string }>[] = [
  {
    key: 'at',
    title: `When (${zone})`,
    render: ({ occurred_at }) => momentText(Date.parse(occurred_at), zone),
  },
  {
    key: 'what',
    title: 'What',
    width: 'grow',
    render: ({ event_type, severity, message }) => (
      <div className={classes.words}>
        {EVENT_WORDS[event_type]}
        <div className={classes.remark}>
          {SEVERITY_WORDS[severity].label}
          {message === null ? null : (
            <>
              : <Name>{message}</Name>
            </>
          )}
        </div>
      </div>
    ),
  },
  {
    key: 'value',
    title: 'Value',
    needs: 'medium',
    render: ({ metric_value, unit }) => formatValue(metric_value, unit) ?? '–',
  },
  {
    key: 'by',
    title: 'By',
    needs: 'medium',
    render: ({ actor }) => (actor === null ? 'Matriarch' : <Name>{actor}</Name>),
  },
];

function Elsewhere({ alert }: { alert: Alert }) {
  const statement = statementPath(alert);
  return (
    <ul className={classes.links}>
      {statement === undefined ? null : (
        <li>
          <Link className="link" to={statement}>
            The statement and its plans
          </Link>
        </li>
      )}
      {momentPaths(alert).map(({ path, words }) => (
        <li key={path}>
          <Link className="link" to={path}>
            {words}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** What a language model made of it, and of which value. */
function Analysis({ alert: { ai_analysis, ai_analysis_metric_value, metric_unit = '' } }: { alert: Alert }) {
  if (ai_analysis === undefined) return null;
  const value = formatValue(ai_analysis_metric_value, metric_unit);
  return (
    <Panel title="Analysis" note={`by a language model${value === undefined ? '' : `, of ${value}`}`}>
      <p className={classes.analysis}>{ai_analysis}</p>
    </Panel>
  );
}

/** From when it fired until it cleared, or now. */
function OverTime({ alert, events }: { alert: Alert; events: readonly AlertEvent[] }) {
  const now = currentSecond() * 1000;
  const known = spansOfEvents(events, now);
  const spans = known.length > 0 ? known : spansOf(alert, now);
  const [first, last] = [spans[0], spans.at(-1)];
  if (!first || !last) return null;
  return (
    <div className={classes.overTime}>
      <StateBar spans={spans} window={{ from: first.from, to: last.to }} />
      <span className={classes.remark}>{spanWords(spans)}</span>
    </div>
  );
}

function OneAlert({ alert, events }: { alert: Alert; events: readonly AlertEvent[] }) {
  const [pressed, setPressed] = useState<Alert>();
  const rule = useOperation(
    'getAlertRule',
    { params: { id: alert.rule_id ?? 0 } },
    { enabled: alert.rule_id !== undefined, staleMs: 60_000 },
  );
  const [unit, queryid] = [alert.metric_unit ?? '', statementIdOf(alert)];
  return (
    <>
      <PageHeader
        title={alert.title}
        facts={
          <>
            <AlertServer alert={alert} /> · {STATUS_WORDS[alert.status].toLowerCase()}
          </>
        }
        actions={
          <>
            <ExplainButton what={alert.title} question={() => aboutAlert(alert)} />
            <AcknowledgeButton alert={alert} onPress={setPressed} />
          </>
        }
      />
      <div className={layout.stack}>
        <Panel title="State">
          <KeyValues items={factsOf(alert, rule.data?.name)} wide />
          <Cause alert={alert} known={NONE} />
          <OverTime alert={alert} events={events} />
        </Panel>
        <Panel title="What it means">
          <div className={classes.text}>
            <p>{alert.description}</p>
            {queryid === undefined ? null : (
              <TableChangesBefore id={alert.connection_id} queryid={queryid} at={alert.triggered_at} />
            )}
            {alert.rule_id === undefined ? null : <Remedy id={alert.rule_id} />}
          </div>
        </Panel>
        <Analysis alert={alert} />
        <AlertChart alert={alert} events={events} />
        <AlertEvidence id={alert.id} />
        <Panel title="Around that moment">
          <Elsewhere alert={alert} />
        </Panel>
        <AlertDeliveries id={alert.id} />
        <Panel title="History" flush>
          <DataTable
            caption="What happened to the alert"
            columns={HISTORY}
            rows={events.map((event) => ({ ...event, unit }))}
            rowKey={({ occurred_at, event_type }) => `${occurred_at}-${event_type}`}
          />
        </Panel>
      </div>
      <AcknowledgeDialog alerts={pressed && [pressed]} onClose={() => setPressed(undefined)} />
    </>
  );
}

function AlertById({ id }: { id: number }) {
  const found = useOperation('getAlert', { params: { id } }, { everyMs: EVERY_MS });
  if (found.error?.status === 404) return <NotFoundPage />;
  if (found.data) return <OneAlert {...found.data} />;
  return (
    <>
      <PageHeader title={`Alert ${id}`} facts={'\u00a0'} />
      <Panel title="State">
        <Query query={found} what="the alert" lines={6} />
      </Panel>
    </>
  );
}

export function AlertPage() {
  const { id = '' } = useParams();
  const number = /^[1-9]\d{0,9}$/.test(id) ? Number(id) : 0;
  if (number === 0 || number > 2_147_483_647) return <NotFoundPage />;
  return <AlertById key={number} id={number} />;
}
