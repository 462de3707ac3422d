// Alerts: what is wrong on the servers now, the worst first, and who has taken it on; of a window of time what has cleared.
import { Button } from '@mantine/core';
import { useCallback, useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { OperationTypes } from '../../api/operations.gen.ts';
import { useOperation } from '../../api/use-operation.ts';
import { currentSecond } from '../../lib/clock.ts';
import { countOf, formatCount } from '../../lib/format.ts';
import { usePageTime } from '../../lib/use-time-window.ts';
import { OkIcon, SearchIcon } from '../../ui/icons.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { Panel } from '../../ui/panel.tsx';
import { Query } from '../../ui/query.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { TimeBar } from '../../ui/time-bar.tsx';
import { useEstate } from '../estate/use-estate.ts';
import { AcknowledgeDialog } from './acknowledge-dialog.tsx';
import { AlertFilters, useGrouping } from './alert-filters.tsx';
import { AlertTable, type BarWindow, KEY_WORDS } from './alert-table.tsx';
import { type Alert, countWords, groupsOf } from './alert-words.ts';
import classes from './alerts.module.css';
import { useAlertFilters, useAlerts } from './use-alerts.ts';

type Found = OperationTypes['listAlerts']['result'];

/** What the head of the page says; of more than were read, only how many they are. */
function factsOf(found: Found | undefined): string {
  if (!found) return '\u00a0';
  const { alerts, total } = found;
  if (total > alerts.length) return countOf(total, 'alert');
  return total === 0 ? 'None' : countWords(alerts);
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

const DAY_MS = 86_400_000;

interface AlertsProps {
  found: Found;
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

function Alerts(props: AlertsProps) {
  const { found, isCleared } = props;
  const { alerts, total } = found;
  const [grouping] = useGrouping();
  const [pressed, setPressed] = useState<{ alert: Alert; isFalsePositive: boolean }>();
  const press = useCallback(
    (alert: Alert, isFalsePositive = false) => setPressed({ alert, isFalsePositive }),
    [],
  );
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
        onPress={press}
      />
      {isCleared ? null : <p className={classes.keys}>{KEY_WORDS}</p>}
      <AcknowledgeDialog
        alert={pressed?.alert}
        isFalsePositive={pressed?.isFalsePositive === true}
        onClose={() => setPressed(undefined)}
      />
    </>
  );
}

export function AlertsPage() {
  const time = usePageTime('24h');
  const [filters, setFilters] = useAlertFilters();
  const found = useAlerts(filters, time);
  const { status, severity, type, server } = filters;
  const isCleared = status === 'cleared';
  const isNarrowed = [status, severity, type, server].some((one) => one !== undefined);
  return (
    <>
      <PageHeader
        title="Alerts"
        facts={factsOf(found.data)}
        actions={
          <Button component={Link} to="/alerts/rules" variant="default">
            Alert rules
          </Button>
        }
      />
      <div className={classes.stack}>
        <AlertFilters />
        {isCleared ? <TimeBar time={time} /> : null}
        <Panel
          title={isCleared ? 'Cleared alerts' : 'Open alerts'}
          flush
          {...(isCleared ? { note: 'that fired in this time' } : {})}
        >
          <Query query={found} what="the alerts" lines={6} padded>
            {(data) =>
              data.alerts.length > 0 ? (
                <Alerts found={data} isCleared={isCleared} window={time.window} />
              ) : isNarrowed ? (
                <NoneFound
                  isCleared={isCleared}
                  onReset={() => setFilters({ status: '', severity: '', type: '', server: '' })}
                />
              ) : (
                <AllWell />
              )
            }
          </Query>
        </Panel>
      </div>
    </>
  );
}
