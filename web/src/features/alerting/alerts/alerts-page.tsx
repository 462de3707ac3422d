// Alerts: what is wrong on the servers now as incidents or one by one, the worst first, and who has it; of a window of time what has cleared.

import { Button } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { OperationTypes } from '../../../api/operations.gen.ts';
import { useOperation } from '../../../api/use-operation.ts';
import { currentSecond } from '../../../lib/clock.ts';
import { countOf, formatCount } from '../../../lib/format.ts';
import { DAY_MS } from '../../../lib/units.ts';
import { usePageTime } from '../../../lib/use-time-window.ts';
import { OkIcon, SearchIcon } from '../../../ui/icons.ts';
import layout from '../../../ui/layout.module.css';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Panel } from '../../../ui/panel.tsx';
import { Query } from '../../../ui/query.tsx';
import { EmptyState } from '../../../ui/states.tsx';
import { TimeBar } from '../../../ui/time-bar.tsx';
import { useEstate } from '../../estate/estate/use-estate.ts';
import { AcknowledgeDialog } from './acknowledge-dialog.tsx';
import { AlertFilters, useView } from './alert-filters.tsx';
import { type Subject, useMaySilence } from './alert-keys.ts';
import { AlertTable, type BarWindow } from './alert-table.tsx';
import { type Alert, countWords, type Grouping, groupsOf, INCIDENTS } from './alert-words.ts';
import classes from './alerts.module.css';
import { IncidentTable } from './incident-table.tsx';
import { SilenceDialog } from './silence-dialog.tsx';
import { useAlertFilters, useAlerts, useIncidents } from './use-alerts.ts';

type FoundAlert = OperationTypes['listAlerts']['result'];
type Incidents = OperationTypes['listAlertIncidents']['result'];

/** What the head of the page says; of more than were read, only how many they are. */
function factsOf(found: FoundAlert | undefined): string {
  if (!found) return '\u00a0';
  const { alerts, total } = found;
  if (total > alerts.length) return countOf(total, 'alert');
  return total === 0 ? 'None' : countWords(alerts);
}

function incidentFacts(found: Incidents | undefined): string {
  if (!found) return '\u00a0';
  const { total, alert_count, active_count } = found;
  if (total === 0) return 'None';
  const acknowledged = alert_count - active_count;
  return `${countOf(total, 'incident')}, ${countOf(alert_count, 'alert')}${acknowledged === 0 ? '' : ` (${acknowledged} acknowledged)`}`;
}

const RulesLink = () => (
  <Link className="link" to="/alerts/rules">
    Alert rules
  </Link>
);

/** What is watched, as far as that is known. */
function AllWell() {
  const rules = useOperation('listAlertRules', {}).data?.filter(({ default_enabled }) => default_enabled);
  const servers = useEstate().data?.servers.filter(({ is_monitored }) => is_monitored);
  return (
    <EmptyState icon={<OkIcon size={26} />} title="No alert is open" action={<RulesLink />}>
      {servers && rules
        ? `${countOf(servers.length, 'server')} ${servers.length === 1 ? 'is' : 'are'} monitored, and ${countOf(rules.length, 'rule')} ${rules.length === 1 ? 'is' : 'are'} switched on for the whole estate.`
        : 'See the alert rules for what is watched.'}
    </EmptyState>
  );
}

function NoneFound({ isCleared, onReset }: { isCleared: boolean; onReset: () => void }) {
  return (
    <EmptyState
      icon={<SearchIcon size={26} />}
      title={isCleared ? 'No such alert has cleared' : 'No such alert is open'}
      action={
        <Button variant="default" size="xs" onClick={onReset}>
          Show all that are open
        </Button>
      }
    >
      {isCleared ? 'Alerts that fired in this time are looked at.' : 'Choose other filters to see more.'}
    </EmptyState>
  );
}

interface AlertsProps {
  found: FoundAlert;
  isCleared: boolean;
  /** That was asked for. */
  window: { from: number; to: number };
}

/** Of what has cleared the window that was asked for; of what is open the day before it was read. */
function useBar(alerts: readonly Alert[], { isCleared, window }: AlertsProps): BarWindow {
  const { from, to } = window;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new reading moves the bars on
  return useMemo(() => {
    const now = currentSecond() * 1000;
    return isCleared
      ? { from, to, words: 'the time above' }
      : { from: now - DAY_MS, to: now, words: 'the last 24 hours' };
  }, [alerts, isCleared, from, to]);
}

function useDialogs() {
  const [pressed, setPressed] = useState<{ alerts: readonly Alert[]; isFalsePositive: boolean }>();
  const [silenced, setSilenced] = useState<Subject>();
  const onPress = useCallback(
    (alerts: readonly Alert[], isFalsePositive = false) => setPressed({ alerts, isFalsePositive }),
    [],
  );
  const dialogs = (
    <>
      <AcknowledgeDialog
        alerts={pressed?.alerts}
        isFalsePositive={pressed?.isFalsePositive === true}
        onClose={() => setPressed(undefined)}
      />
      <SilenceDialog subject={silenced} onClose={() => setSilenced(undefined)} />
    </>
  );
  return { onPress, onSilence: setSilenced, dialogs };
}

function Keys({ isIncidents = false }: { isIncidents?: boolean }) {
  const maySilence = useMaySilence();
  return (
    <p className={classes.keys}>
      <kbd>J</kbd> <kbd>K</kbd> move · <kbd>A</kbd> acknowledge or take back ·{' '}
      {maySilence ? (
        <>
          <kbd>S</kbd> silence 1 h ·{' '}
        </>
      ) : null}
      <kbd>F</kbd> false positive · <kbd>E</kbd> explain · <kbd>Enter</kbd> open
      {isIncidents ? (
        <>
          {' '}
          · <kbd>→</kbd> <kbd>←</kbd> show and hide its alerts
        </>
      ) : null}
    </p>
  );
}

function IncidentList({ found: { incidents, total } }: { found: Incidents }) {
  const { onPress, onSilence, dialogs } = useDialogs();
  return (
    <>
      {total > incidents.length ? (
        <p className={classes.more}>
          The worst {formatCount(incidents.length)} of {countOf(total, 'incident')}. Choose filters to see the
          others.
        </p>
      ) : null}
      <IncidentTable incidents={incidents} onPress={onPress} onSilence={onSilence} />
      <Keys isIncidents />
      {dialogs}
    </>
  );
}

function Alerts({ grouping, ...props }: AlertsProps & { grouping: Grouping }) {
  const { found, isCleared } = props;
  const { alerts, total } = found;
  const { onPress, onSilence, dialogs } = useDialogs();
  const groups = useMemo(() => groupsOf(alerts, grouping), [alerts, grouping]);
  const bar = useBar(alerts, props);
  return (
    <>
      {total > alerts.length ? (
        <p className={classes.more}>
          The newest {formatCount(alerts.length)} of {formatCount(total)}. Choose filters to see the others.
        </p>
      ) : null}
      <AlertTable
        caption="Alerts, the worst first"
        groups={groups}
        isCleared={isCleared}
        bar={bar}
        onPress={onPress}
        onSilence={onSilence}
      />
      {isCleared ? null : <Keys />}
      {dialogs}
    </>
  );
}

export function AlertsPage() {
  const time = usePageTime('24h');
  const [filters, setFilters] = useAlertFilters();
  const { status, severity, type, server } = filters;
  const isCleared = status === 'cleared';
  const { view } = useView(isCleared);
  const incidents = useIncidents(filters, view === INCIDENTS);
  const found = useAlerts(filters, time, view !== INCIDENTS);
  const isNarrowed = [status, severity, type, server].some((one) => one !== undefined);
  const none = isNarrowed ? (
    <NoneFound
      isCleared={isCleared}
      onReset={() => setFilters({ status: '', severity: '', type: '', server: '' })}
    />
  ) : (
    <AllWell />
  );
  return (
    <>
      <PageHeader
        title="Alerts"
        facts={view === INCIDENTS ? incidentFacts(incidents.data) : factsOf(found.data)}
        actions={
          <Button component={Link} to="/alerts/rules" variant="default">
            Alert rules
          </Button>
        }
      />
      <div className={layout.stack}>
        <AlertFilters />
        {isCleared ? <TimeBar time={time} /> : null}
        <Panel
          title={isCleared ? 'Cleared alerts' : view === INCIDENTS ? 'Open incidents' : 'Open alerts'}
          flush
          isPlain
          {...(isCleared ? { note: 'that fired in this time' } : {})}
        >
          {view === INCIDENTS ? (
            <Query query={incidents} what="the incidents" lines={6} padded>
              {(data) => (data.incidents.length > 0 ? <IncidentList found={data} /> : none)}
            </Query>
          ) : (
            <Query query={found} what="the alerts" lines={6} padded>
              {(data) =>
                data.alerts.length > 0 ? (
                  <Alerts found={data} isCleared={isCleared} window={time.window} grouping={view} />
                ) : (
                  none
                )
              }
            </Query>
          )}
        </Panel>
      </div>
    </>
  );
}
