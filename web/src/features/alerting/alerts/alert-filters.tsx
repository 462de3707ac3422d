// What is shown of the alerts: which ones, and in which groups. Each choice stands in the address.
import { NativeSelect } from '@mantine/core';
import { useUrlChoice } from '../../../lib/url-state.ts';
import { Filters } from '../../../ui/filters.tsx';
import { useEstate } from '../../estate/estate/use-estate.ts';
import {
  GROUPINGS,
  INCIDENTS,
  SEVERITIES,
  SEVERITY_WORDS,
  STATUS_WORDS,
  TYPE_WORDS,
  VIEW_WORDS,
} from './alert-words.ts';
import { useAlertFilters } from './use-alerts.ts';

const STATUS_CHOICES = [
  { value: '', label: 'Open' },
  ...Object.entries(STATUS_WORDS).map(([value, label]) => ({ value, label })),
];
const SEVERITY_CHOICES = [
  { value: '', label: 'Every severity' },
  ...SEVERITIES.map((value) => ({ value, label: SEVERITY_WORDS[value].label })),
];
const TYPE_CHOICES = [
  { value: '', label: 'Every type' },
  ...Object.entries(TYPE_WORDS).map(([value, label]) => ({ value, label })),
];

const VIEWS = [INCIDENTS, ...GROUPINGS] as const;

/** What has cleared is no incident any more. */
export function useView(isCleared: boolean) {
  const [view, setView] = useUrlChoice('group', VIEWS, INCIDENTS);
  const views = isCleared ? GROUPINGS : VIEWS;
  return { views, view: isCleared && view === INCIDENTS ? 'severity' : view, setView };
}

export function AlertFilters() {
  const [{ status = '', severity = '', type = '', server }, set] = useAlertFilters();
  const { views, view, setView } = useView(status === 'cleared');
  const servers = (useEstate().data?.servers ?? []).toSorted((a, b) => a.name.localeCompare(b.name));
  return (
    <Filters names={['status', 'severity', 'type', 'server', 'group']}>
      <NativeSelect
        label="Status"
        data={STATUS_CHOICES}
        value={status}
        onChange={(event) => set({ status: event.target.value })}
      />
      <NativeSelect
        label="Severity"
        data={SEVERITY_CHOICES}
        value={severity}
        onChange={(event) => set({ severity: event.target.value })}
      />
      <NativeSelect
        label="Type"
        data={TYPE_CHOICES}
        value={type}
        onChange={(event) => set({ type: event.target.value })}
      />
      <NativeSelect
        label="Server"
        data={[
          { value: '', label: 'Every server' },
          ...servers.map(({ connection_id, name }) => ({ value: String(connection_id), label: name })),
        ]}
        value={server === undefined ? '' : String(server)}
        onChange={(event) => set({ server: event.target.value })}
      />
      <NativeSelect
        label="Groups"
        data={views.map((value) => ({ value, label: VIEW_WORDS[value] }))}
        value={view}
        onChange={(event) => setView(VIEWS.find((one) => one === event.target.value) ?? INCIDENTS)}
      />
    </Filters>
  );
}
